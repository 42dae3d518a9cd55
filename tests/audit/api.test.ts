import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import type { AuditRecord } from '../../contract/audit.ts'
import { joinDetails, type PartialDetails } from '../../contract/details.ts'
import { newId } from '../../server/base/id.ts'
import { rejectsWith } from '../support/problems.ts'
import { allActions, describeEngines, startServer, type TestServer } from '../support/server.ts'
import { parseCsv } from './csv.ts'

describeEngines('audit', (engine, itOnce) => {
  let server: TestServer
  const endpoint = async (events: string[], disabled_at: string | null = null) => {
    const id = newId()
    const created_at = server.clock.now().toISOString()
    await server.database.transaction((tx) =>
      tx
        .insertInto('webhooks')
        .values({
          id,
          name: 'n',
          url: 'https://example.com/',
          events: JSON.stringify(events),
          secret: 's',
          created_at,
          disabled_at,
        })
        .execute(),
    )
    return id
  }
  const deliveries = () => server.database.db.selectFrom('webhook_deliveries').selectAll().orderBy('id').execute()
  const put = (key: string, headers = {}) =>
    server.admin.putObject({ params: { bucket: 'audited', key }, body: Buffer.from('12345'), headers })

  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: 'audited' } })
  })
  after(() => server.stop())

  it('returns one record by its id, sealed or not', async () => {
    await put('one.txt')
    const [record] = (await server.admin.listAudit({ query: { object_key_prefix: 'one.txt' } })).items
    const params = { id: record?.id ?? '' }
    assert.deepEqual(await server.admin.getAuditRecord({ params }), record)
    await server.running.tick()
    assert.deepEqual(await server.admin.getAuditRecord({ params }), record)
    await rejectsWith(server.admin.getAuditRecord({ params: { id: newId() } }), 'not_found')
    await rejectsWith(server.admin.getAuditRecord({ params: { id: 'export2' } }), 'invalid_request', 'params.id')
  })

  itOnce('keeps who, what, where and how', async () => {
    await put('a.txt', { 'user-agent': 'x'.repeat(600) })
    const { items } = await server.admin.listAudit({ query: { action: ['upload'], page_size: 1 } })
    const me = await server.admin.me()
    const { id, request_id, session_id, ...record } = items[0] ?? assert.fail()
    assert.match(`${id} ${request_id} ${session_id}`, /^[0-9a-f-]{36} [0-9a-f-]{36} [0-9a-f-]{36}$/)
    assert.deepEqual(record, {
      time: '2026-01-01T00:00:00.000Z',
      action: 'upload',
      result: 'success',
      status_code: null,
      error_code: null,
      actor: { user_id: me.id, email: me.email, type: 'user' },
      auth_method: 'local',
      token_id: null,
      actor_ip: '127.0.0.1',
      user_agent: 'x'.repeat(512),
      method: 'PUT',
      route: '/api/v1/buckets/{bucket}/objects/{key}',
      bucket: 'audited',
      object_key: 'a.txt',
      resource_type: null,
      resource_id: null,
      details: { size: 5, content_type: 'text/plain', etag: '827ccb0eea8a706c4c34a16891f84e7b', replaced: false },
    })
  })

  it('filters, pages and orders; administrators only', async () => {
    server.clock.advance(1000)
    const from = server.clock.now().toISOString()
    for (const key of ['x/1', 'x/2', 'y/1']) {
      await put(key)
      server.clock.advance(1000)
    }
    await server.admin.deleteObject({ params: { bucket: 'audited', key: 'x/1' } })
    const me = await server.admin.me()
    const list = async (query: object) => {
      const { items, total, total_is_estimate } = await server.admin.listAudit({ query: { from, ...query } })
      assert.deepEqual([total, total_is_estimate], [items.length, false])
      return items.map(({ action, object_key }) => `${action} ${object_key}`)
    }
    const all = ['delete x/1', 'upload y/1', 'upload x/2', 'upload x/1']
    assert.deepEqual(await list({}), all)
    assert.deepEqual(await list({ action: ['delete'] }), all.slice(0, 1))
    assert.deepEqual(await list({ action: ['delete', 'upload'] }), all)
    assert.deepEqual(await list({ object_key_prefix: 'x/' }), ['delete x/1', 'upload x/2', 'upload x/1'])
    assert.deepEqual(await list({ to: new Date(Date.parse(from) + 1500).toISOString() }), ['upload x/2', 'upload x/1'])
    const elsewhere = (time: string, zone: string) =>
      new Date(Date.parse(time) + Number(zone.slice(0, 3)) * 3600_000).toISOString().replace('.000Z', zone)
    assert.deepEqual(await list({ from: elsewhere(from, '+05:00') }), all, 'another time zone')
    assert.deepEqual(await list({ to: elsewhere(from, '-03:00') }), [])
    for (const query of [
      { bucket: 'audited' },
      { user_id: me.id },
      { email: me.email },
      { ip: '127.0.0.1' },
      { auth_method: 'local' },
      { result: 'success' },
    ])
      assert.deepEqual(await list(query), all)
    for (const query of [
      { bucket: 'other' },
      { user_id: newId() },
      { email: 'x@y.z' },
      { result: 'denied' },
      { token_id: newId() },
      { resource_id: newId() },
      { request_id: 'x' },
    ])
      assert.deepEqual(await list(query), [])
    const second = await server.admin.listAudit({ query: { from, page: 2, page_size: 3 } })
    assert.deepEqual(
      [second.items.map((one) => one.object_key), second.total, second.page, second.page_size],
      [['x/1'], 4, 2, 3],
    )
    const { id } = await server.admin.createUser({ body: { email: 'about@example.com', display_name: 'About' } })
    await server.admin.updateUser({ params: { id }, body: { display_name: 'Still about' } })
    const about = await server.admin.listAudit({ query: { resource_id: id } })
    assert.deepEqual(
      about.items.map(({ action, resource_id }) => [action, resource_id]),
      [
        ['user_update', id],
        ['user_create', id],
      ],
    )
    for (const query of [
      { page: 0 },
      { page_size: 201 },
      { result: 'other' },
      { from: 'yesterday' },
      { user_id: 'x' },
      { resource_id: '' },
    ])
      await rejectsWith(
        server.admin.listAudit({ query: query as never }),
        'invalid_request',
        `query.${Object.keys(query)[0]}`,
      )
    const someone = server.as(await server.userWith({ bucket_pattern: '*', actions: ['list', 'read', 'manage'] }))
    await server.records([{ action: 'access_denied', result: 'denied' }], () =>
      rejectsWith(someone.listAudit(), 'forbidden'),
    )
    await rejectsWith(server.as().listAudit(), 'unauthenticated')
  })

  it('pages by cursor and by number over recent and sealed records alike', async () => {
    const bucket = 'paged-b'
    await server.admin.createBucket({ body: { name: bucket } })
    const keys: string[] = []
    for (let i = 0; i < 12; i++) {
      const key = i % 2 ? `odd/${i}` : `even/${i}`
      keys.unshift(key)
      await server.admin.putObject({ params: { bucket, key }, body: 'x' })
      if (i % 3 === 0) server.clock.advance(1)
      // Half of them are sealed, and in an order that is not the one of the list.
      if (i === 5) await server.running.tick()
    }
    const compare = async () => {
      for (const [query, expected] of [
        [{ bucket, action: ['upload'] }, keys],
        [{ object_key_prefix: 'odd/' }, keys.filter((key) => key.startsWith('odd/'))],
        [{ bucket, object_key_prefix: 'even/' }, keys.filter((key) => key.startsWith('even/'))],
        [{ bucket, action: ['upload', 'copy', 'login'] }, keys],
        [{ action: ['upload', 'create_bucket'], object_key_prefix: 'odd/' }, keys.filter((k) => k.startsWith('odd/'))],
      ] as const) {
        const asked = { ...query, action: 'action' in query ? [...query.action] : undefined, page_size: 5 } as const
        const byCursor: (string | null)[] = []
        let cursor: string | undefined
        do {
          const page = await server.admin.listAudit({ query: { ...asked, cursor } })
          assert.equal(page.total, expected.length)
          byCursor.push(...page.items.map((one) => one.object_key))
          cursor = page.next_cursor ?? undefined
        } while (cursor)
        const byNumber: (string | null)[] = []
        for (let page = 1; page <= 4; page++)
          byNumber.push(
            ...(await server.admin.listAudit({ query: { ...asked, page } })).items.map((one) => one.object_key),
          )
        assert.deepEqual(byCursor, expected, JSON.stringify(query))
        assert.deepEqual(byNumber, expected, JSON.stringify(query))
      }
    }
    await compare()
    await server.running.tick()
    await compare()
    for (const cursor of ['x', Buffer.from('["now","x"]').toString('base64url')])
      await rejectsWith(server.admin.listAudit({ query: { cursor } }), 'invalid_request', 'query.cursor')
  })

  it('merges as one list whatever is sealed, at any offset', async () => {
    const all = (await allActions(server.database)).sort((a, b) =>
      a.time === b.time ? (a.id < b.id ? 1 : -1) : a.time < b.time ? 1 : -1,
    )
    await put('recent/1')
    await put('recent/2')
    const before = (await allActions(server.database)).length
    for (let page = 1; page <= Math.ceil(before / 7); page++) {
      const { items } = await server.admin.listAudit({ query: { page, page_size: 7 } })
      const expected = all.map(({ id }) => id)
      for (const { id } of items)
        if (expected.includes(id))
          assert.equal(
            items.indexOf(items.find((o) => o.id === id) ?? assert.fail()),
            (expected.indexOf(id) + before - all.length) % 7,
          )
    }
  })

  itOnce('exports matching records, newest first, as JSON lines and as CSV without live formulas', async () => {
    const bucket = 'export-b'
    await server.admin.createBucket({ body: { name: bucket } })
    const keys = ['=1+1', '+x', '-x', '@x', 'plain', 'with "quotes", comma', 'two\nlines', '漢 emoji 🙂', '\ttab']
    for (const key of keys) {
      await server.admin.putObject({ params: { bucket, key }, body: 'x' })
      server.clock.advance(1)
    }
    const { items } = await server.admin.listAudit({ query: { bucket, page_size: 200 } })
    const query = { bucket }
    const lines = await server.records([{ action: 'audit_export' }], async () =>
      (await server.admin.exportAudit({ query })).text(),
    )
    assert.deepEqual(
      lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      items,
    )
    const answer = await server.admin.exportAudit({ query: { ...query, format: 'csv' } })
    assert.match(answer.headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/)
    assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="audit.csv"')
    const [header, ...cells] = parseCsv(await answer.text())
    const column = (name: string) => header?.indexOf(name) ?? -1
    assert.deepEqual(
      cells.map((row) => row[column('object_key')]),
      items.map(({ object_key }) => (/^[=+\-@\t\r]/.test(object_key ?? '') ? `'${object_key}` : (object_key ?? ''))),
    )
    assert.deepEqual(
      cells.map((row) => JSON.parse(row[column('details')] ?? '')),
      items.map(({ details }) => details),
    )
    assert.ok(cells.every((row) => row.length === header?.length))
    const [record] = (await server.admin.listAudit({ query: { action: ['audit_export'] } })).items
    assert.deepEqual(record?.details, { format: 'csv', filter: { bucket } })
    assert.ok((await deliveries()).every(({ event }) => event !== 'audit_export'))
    // HEAD asks for the headers alone: nothing is exported, nothing recorded.
    await server.records([], async () => {
      const head = await fetch(`${server.url}/api/v1/audit/export`, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${server.adminToken}` },
      })
      assert.equal(head.status, 200)
    })
  })

  itOnce('records reads only if the setting is on, after the response, and sends no webhook', async () => {
    await put('read/me')
    const byKey = { params: { bucket: 'audited', key: 'read/me' } }
    const { url } = await server.admin.presignObject({ params: { bucket: 'audited' }, body: { key: 'read/me' } })
    const share = await server.admin.createShare({ body: { kind: 'object', bucket: 'audited', key: 'read/me' } })
    const link = `${server.url}/public/s/${share.token}`
    const readAll = async () => {
      await (await server.admin.getObject(byKey)).text()
      await (await server.admin.getObject({ ...byKey, headers: { range: 'bytes=0-1' } })).text()
      await server.admin.headObject(byKey)
      await (await fetch(`${server.url}${new URL(url).pathname}`)).text()
      await (await fetch(link)).text()
      await (await server.admin.archiveObjects({ params: { bucket: 'audited' }, query: { prefix: 'read/' } })).text()
      await rejectsWith(server.admin.getObject({ params: { bucket: 'audited', key: 'none' } }), 'not_found')
      await server.running.tick()
    }
    await server.records([], readAll)
    await server.admin.updateSettings({ body: { audit: { log_reads: true } } })
    const queued = (await deliveries()).length
    const one = { action: 'object_read' as const, bucket: 'audited', key: 'read/me' }
    await server.records([one, one, one, one, one], readAll)
    const { items } = await server.admin.listAudit({ query: { action: ['object_read'] } })
    const seen = items.map(({ auth_method, status_code, actor, details: { via, complete } }) =>
      [actor.type, auth_method, status_code, via, complete].join(' '),
    )
    assert.deepEqual(
      seen.sort(),
      [
        'public share_link 200 download true',
        'user local 200 archive true',
        'user local 200 download true',
        'user local 206 download true',
        'user presigned 200 download true',
      ].sort(),
    )
    assert.equal(items.find(({ actor }) => actor.type === 'public')?.details.share_id, share.id)
    assert.equal((await deliveries()).length, queued)
    await server.admin.updateSettings({ body: { audit: { log_reads: false } } })
    await server.records([], readAll)
  })

  const latest = async (count: number) =>
    (await allActions(server.database)).slice(-count).map(({ id, action, details, ...row }) => {
      assert.ok(Buffer.byteLength(details) <= 8192)
      return { id, action, resource_id: row.resource_id, details: JSON.parse(details) as PartialDetails }
    })

  itOnce('records a long change completely, as several linked records with a delivery for each', async () => {
    const hook = await endpoint(['group_create'])
    const grants = Array.from({ length: 40 }, (_, i) => ({
      bucket_pattern: '*',
      prefix: `${i}/${'x'.repeat(300)}`,
      actions: ['read' as const],
    }))
    const created = await server.records(
      [{ action: 'group_create' }, { action: 'group_create' }, { action: 'group_create' }],
      () => server.admin.createGroup({ body: { name: 'Long', grants } }),
    )
    const records = await latest(3)
    assert.deepEqual(joinDetails(records.map(({ details }) => details)), {
      name: 'Long',
      global: [],
      grants: created.grants,
    })
    for (const [i, { resource_id, details }] of records.entries()) {
      assert.deepEqual(details.part, { id: records[0]?.id, number: i + 1, of: 3 })
      assert.deepEqual([resource_id, details.name], [created.id, 'Long'])
    }
    const sent = (await deliveries()).filter(({ webhook_id }) => webhook_id === hook)
    assert.deepEqual(
      sent.map(({ audit_id, body }) => [audit_id, JSON.parse(body).details]),
      records.map(({ id, details }) => [id, details]),
    )
    await server.running.tick()
    const { ok, complete, pending } = await server.admin.verifyAudit({ query: {} })
    assert.deepEqual([ok, complete, pending], [true, true, 0])
    const lines = (await (await server.admin.exportAudit({ query: { action: ['group_create'] } })).text()).split('\n')
    const exported = lines.filter((line) => line.includes(created.id)).map((line) => JSON.parse(line) as AuditRecord)
    assert.deepEqual(
      joinDetails(exported.reverse().map(({ details }) => details as PartialDetails)).grants,
      created.grants,
    )
  })

  itOnce('names everyone who gained a permission, and every permission that changed, however many', async () => {
    const user_ids = Array.from({ length: 230 }, () => newId())
    await server.database.transaction(async (tx) => {
      const me = await tx.selectFrom('users').selectAll().executeTakeFirstOrThrow()
      await tx
        .insertInto('users')
        .values(user_ids.map((one, i) => ({ ...me, id: one, email_key: `many${i}@example.com` })))
        .execute()
    })
    const { id } = await server.admin.createGroup({ body: { name: 'Powerful', global: ['admin'] } })
    const twice = [{ action: 'group_update' as const }, { action: 'group_update' as const }]
    await server.records(twice, () => server.admin.addMembers({ params: { id }, body: { user_ids } }))
    const { before, after } = joinDetails((await latest(2)).map(({ details }) => details)) as {
      [side: string]: { added: string[] }
    }
    assert.deepEqual(before, { member_count: 0 })
    assert.deepEqual(
      { ...after, added: after?.added.sort() },
      { added: user_ids.sort(), removed: [], member_count: 230 },
    )

    const grant = (i: number) => ({ bucket_pattern: `team-${i}`, prefix: 'x'.repeat(99), actions: ['read' as const] })
    const grants = Array.from({ length: 99 }, (_, i) => grant(i))
    const { grants: old } = await server.admin.updateGroup({ params: { id }, body: { grants } })
    // Of a hundred the one that is new and the one that is gone, in one record.
    const changed = await server.records([{ action: 'group_update' }], () =>
      server.admin.updateGroup({
        params: { id },
        body: { grants: [...grants.slice(1), { bucket_pattern: '*', actions: ['manage'] }] },
      }),
    )
    assert.deepEqual((await latest(1))[0]?.details, {
      name: 'Powerful',
      before: { grants: [old.find(({ bucket_pattern }) => bucket_pattern === 'team-0')] },
      after: { grants: [changed.grants.find(({ bucket_pattern }) => bucket_pattern === '*')] },
    })
    await server.records(
      Array.from({ length: 4 }, () => ({ action: 'group_delete' as const })),
      () => server.admin.deleteGroup({ params: { id }, query: { force: true } }),
    )
    const gone = joinDetails((await latest(4)).map(({ details }) => details)) as {
      members: string[]
      grants: unknown[]
    }
    assert.deepEqual([gone.members.sort(), gone.grants.length], [user_ids, 99])
  })

  itOnce('records a text that is longer than a record, and the keys of a link to a selection', async () => {
    await put('meta.txt')
    const metadata = { a: '"'.repeat(4080) }
    await server.records(
      Array.from({ length: 2 }, () => ({ action: 'update_object', bucket: 'audited', key: 'meta.txt' })),
      () => server.admin.updateObject({ params: { bucket: 'audited', key: 'meta.txt' }, body: { metadata } }),
    )
    const { after } = joinDetails((await latest(2)).map(({ details }) => details)) as { after: { metadata: object } }
    assert.deepEqual(after.metadata, metadata)

    const keys = Array.from({ length: 60 }, (_, i) => `${i}/${'k'.repeat(200)}`)
    await server.records(
      [
        { action: 'share_create', bucket: 'audited' },
        { action: 'share_create', bucket: 'audited' },
      ],
      () => server.admin.createShare({ body: { kind: 'selection', bucket: 'audited', keys } }),
    )
    const shared = joinDetails((await latest(2)).map(({ details }) => details))
    assert.deepEqual([shared.keys, shared.object_keys], [60, keys])
  })

  it('records refusals, up to a limit', async () => {
    const someone = server.as(await server.userWith())
    const before = (await allActions(server.database)).length
    for (let i = 0; i < 80; i++) await rejectsWith(someone.getBucket({ params: { bucket: 'audited' } }), 'forbidden')
    assert.equal((await allActions(server.database)).length - before, 60)
    server.clock.advance(60_000)
    await server.records([{ action: 'access_denied', result: 'denied' }], () =>
      rejectsWith(someone.getBucket({ params: { bucket: 'audited' } }), 'forbidden'),
    )
  })

  it('a failing audit insert fails the request and leaves no object, no usage, no delivery, no bytes', async () => {
    await endpoint(['*'])
    const usage = () => server.admin.getBucket({ params: { bucket: 'audited' } })
    const before = { usage: await usage(), files: (await server.stored()).length, deliveries: await deliveries() }
    const break_ =
      engine === 'sqlite'
        ? [
            "create trigger refuse before insert on audit_recent when new.action = 'upload' begin select raise(abort, 'no'); end",
          ]
        : [
            "create function refuse() returns trigger language plpgsql as $$ begin if new.action = 'upload' then raise exception 'no'; end if; return new; end $$",
            'create trigger refuse before insert on audit_recent for each row execute function refuse()',
          ]
    const mend = engine === 'sqlite' ? 'drop trigger refuse' : 'drop trigger refuse on audit_recent'
    const run = (text: string) => server.database.transaction((tx) => sql.raw(text).execute(tx))
    for (const text of break_) await run(text)
    await server.records([], async () => {
      await rejectsWith(put('fails'), 'internal')
      await rejectsWith(put('x/2'), 'internal')
    })
    await run(mend)
    assert.deepEqual(
      { usage: await usage(), files: (await server.stored()).length, deliveries: await deliveries() },
      before,
    )
    await rejectsWith(server.admin.getObject({ params: { bucket: 'audited', key: 'fails' } }), 'not_found')
    await server.records([{ action: 'upload', bucket: 'audited', key: 'fails' }], () => put('fails'))
  })

  it('queues one delivery per subscribed endpoint, with the exact body', async () => {
    await server.database.transaction((tx) => tx.deleteFrom('webhooks').execute())
    const all = await endpoint(['*'])
    const named = await endpoint(['delete', 'upload'])
    await endpoint(['delete_bucket'])
    await endpoint(['*'], server.clock.now().toISOString())
    await put('event')
    const queued = await deliveries()
    assert.deepEqual(queued.map(({ webhook_id }) => webhook_id).sort(), [all, named].sort())
    const me = await server.admin.me()
    for (const { body, status, event, attempts, audit_id } of queued) {
      assert.deepEqual([status, event, attempts], ['queued', 'upload', 0])
      assert.deepEqual(JSON.parse(body), {
        event: 'upload',
        timestamp: server.clock.now().toISOString().replace('Z', '+00:00'),
        actor: { user_id: me.id, email: me.email },
        bucket: 'audited',
        object_key: 'event',
        details: {
          size: 5,
          content_type: 'application/octet-stream',
          etag: '827ccb0eea8a706c4c34a16891f84e7b',
          replaced: false,
        },
      })
      assert.ok((await allActions(server.database)).some(({ id }) => id === audit_id))
    }
    assert.equal(new Set(queued.map(({ body }) => body)).size, 1)
    await rejectsWith(put('event', { 'if-none-match': '*' }), 'precondition_failed')
    await server.login('admin@example.com', 'correct horse battery')
    await rejectsWith(server.as().login({ body: { username: 'x@y.z', password: 'wrong' } }), 'invalid_grant')
    await rejectsWith(server.as(await server.userWith()).getBucket({ params: { bucket: 'audited' } }), 'forbidden')
    const events = (await deliveries()).map(({ event }) => event)
    assert.deepEqual([...new Set(events)].sort(), ['group_create', 'upload', 'user_create'])
  })

  itOnce('queues nothing where webhooks are off', async () => {
    const off = await startServer(engine, { WEBHOOKS_ENABLED: 'false' })
    try {
      const created_at = off.clock.now().toISOString()
      await off.database.transaction((tx) =>
        tx
          .insertInto('webhooks')
          .values({ id: newId(), name: 'n', url: 'https://example.com/', events: '["*"]', secret: 's', created_at })
          .execute(),
      )
      await off.admin.createBucket({ body: { name: 'quiet' } })
      assert.deepEqual(await off.database.db.selectFrom('webhook_deliveries').selectAll().execute(), [])
      assert.deepEqual(
        [(await off.admin.listWebhooks()).sending, (await server.admin.listWebhooks()).sending],
        [false, true],
      )
    } finally {
      await off.stop()
    }
  })
})
