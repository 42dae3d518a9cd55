import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { newId } from '../../server/id.ts'
import { rejectsWith } from '../support/problems.ts'
import { allActions, describeEngines, startServer, type TestServer } from '../support/server.ts'

describeEngines('audit', (engine) => {
  let server: TestServer
  const endpoint = async (events: string[], disabled_at: string | null = null) => {
    const id = newId()
    const created_at = server.clock.now().toISOString()
    await server.database.transaction((tx) =>
      tx
        .insertInto('webhook_endpoints')
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
    server.admin.putObject({ params: { name: 'audited', key }, body: Buffer.from('12345'), headers })

  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: 'audited' } })
  })
  after(() => server.stop())

  it('A1: keeps who, what, where and how', async () => {
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
      route: '/api/v1/buckets/{name}/objects/{key}',
      bucket: 'audited',
      object_key: 'a.txt',
      resource_type: null,
      resource_id: null,
      details: { size: 5, content_type: 'text/plain', etag: '827ccb0eea8a706c4c34a16891f84e7b', replaced: false },
    })
  })

  it('A8: filters, pages and orders; administrators only', async () => {
    server.clock.advance(1000)
    const from = server.clock.now().toISOString()
    for (const key of ['x/1', 'x/2', 'y/1']) {
      await put(key)
      server.clock.advance(1000)
    }
    await server.admin.deleteObject({ params: { name: 'audited', key: 'x/1' } })
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
      { request_id: 'x' },
    ])
      assert.deepEqual(await list(query), [])
    const second = await server.admin.listAudit({ query: { from, page: 2, page_size: 3 } })
    assert.deepEqual(
      [second.items.map((one) => one.object_key), second.total, second.page, second.page_size],
      [['x/1'], 4, 2, 3],
    )
    for (const query of [{ page: 0 }, { page_size: 201 }, { result: 'other' }, { from: 'yesterday' }, { user_id: 'x' }])
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

  it('A1: keeps no more than 8 KiB of details, and sends no more', async () => {
    await endpoint(['group_create'])
    const grants = Array.from({ length: 40 }, (_, i) => ({
      bucket_pattern: '*',
      prefix: `${i}/${'x'.repeat(300)}`,
      actions: ['read' as const],
    }))
    await server.admin.createGroup({ body: { name: 'Long', grants } })
    const [record] = (await server.admin.listAudit({ query: { action: ['group_create'] } })).items
    assert.deepEqual(record?.details, { truncated: true })
    assert.deepEqual(JSON.parse((await deliveries()).at(-1)?.body ?? '').details, { truncated: true })
  })

  it('A3: records refusals, but not without end', async () => {
    const someone = server.as(await server.userWith())
    const before = (await allActions(server.database)).length
    for (let i = 0; i < 80; i++) await rejectsWith(someone.getBucket({ params: { name: 'audited' } }), 'forbidden')
    assert.equal((await allActions(server.database)).length - before, 60)
    server.clock.advance(60_000)
    await server.records([{ action: 'access_denied', result: 'denied' }], () =>
      rejectsWith(someone.getBucket({ params: { name: 'audited' } }), 'forbidden'),
    )
  })

  it('A3, W1: a failing audit insert fails the request and leaves no object, no usage, no delivery, no bytes', async () => {
    await endpoint(['*'])
    const usage = () => server.admin.getBucket({ params: { name: 'audited' } })
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
    await rejectsWith(server.admin.getObject({ params: { name: 'audited', key: 'fails' } }), 'not_found')
    await server.records([{ action: 'upload', bucket: 'audited', key: 'fails' }], () => put('fails'))
  })

  it('W1–W4, W7: queues one delivery per endpoint that wants the event, with the exact body', async () => {
    await server.database.transaction((tx) => tx.deleteFrom('webhook_endpoints').execute())
    const all = await endpoint(['*'])
    const named = await endpoint(['delete', 'upload'])
    await endpoint(['delete_bucket'])
    await endpoint(['*'], server.clock.now().toISOString())
    await put('event')
    const queued = await deliveries()
    assert.deepEqual(queued.map(({ endpoint_id }) => endpoint_id).sort(), [all, named].sort())
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
    await rejectsWith(server.as(await server.userWith()).getBucket({ params: { name: 'audited' } }), 'forbidden')
    const events = (await deliveries()).map(({ event }) => event)
    assert.deepEqual([...new Set(events)].sort(), ['group_create', 'upload', 'user_create'])
  })

  it('W6: queues nothing where webhooks are off', async () => {
    const off = await startServer(engine, { WEBHOOKS_ENABLED: 'false' })
    try {
      const created_at = off.clock.now().toISOString()
      await off.database.transaction((tx) =>
        tx
          .insertInto('webhook_endpoints')
          .values({ id: newId(), name: 'n', url: 'https://example.com/', events: '["*"]', secret: 's', created_at })
          .execute(),
      )
      await off.admin.createBucket({ body: { name: 'quiet' } })
      assert.deepEqual(await off.database.db.selectFrom('webhook_deliveries').selectAll().execute(), [])
    } finally {
      await off.stop()
    }
  })
})
