import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import type { Client } from '../../contract/client.ts'
import { createClient } from '../../contract/client.ts'
import type { PolicyRun } from '../../contract/policies.ts'
import { readConfig } from '../../server/config.ts'
import { newId } from '../../server/id.ts'
import { type Running, start } from '../../server/start.ts'
import { rejectsWith } from '../support/problems.ts'
import { allActions, describeEngines, onS3, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const ABSENT = '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10'
type NewPolicy = Parameters<Client['createPolicy']>[0]['body']

describeEngines('cleanup policies', (engine, itOnce) => {
  let server: TestServer
  let buckets = 0
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  const open = async (body: object = {}) => {
    const name = `clean-${++buckets}x`
    await server.admin.createBucket({ body: { name, ...body } })
    return {
      name,
      put: (key: string, text = 'x') => server.admin.putObject({ params: { name, key }, body: Buffer.from(text) }),
      keys: async () =>
        (await server.admin.listObjects({ params: { name }, query: { limit: 1000 } })).items.map((o) => o.key),
      trash: async () => (await server.admin.listTrash({ params: { name }, query: { limit: 1000 } })).items,
    }
  }
  const create = (body: Partial<NewPolicy> & { bucket_patterns: string[] }, client = server.admin) =>
    client.createPolicy({ body: { name: 'rule', ...body } })
  const run = (id: string, query: { dry_run?: boolean; of?: string } = {}, client = server.admin) =>
    client.runPolicy({ params: { id }, query })
  /** A run that is over, however long that takes. */
  const settled = async (one: PolicyRun): Promise<PolicyRun> => {
    let last = one
    await until(async () => {
      last = await server.admin.getPolicyRun({ params: { id: one.policy_id, run_id: one.id } })
      return last.finished_at !== null
    })
    return last
  }
  const items = async (one: PolicyRun, query: object = {}, client = server.admin) =>
    (await client.listPolicyRunItems({ params: { id: one.policy_id, run_id: one.id }, query })).items
  const brief = ({ status, matched, deleted, kept, bytes }: PolicyRun) => [status, matched, deleted, kept, bytes]

  it('creates, shows, changes and deletes', async () => {
    const { name } = await open()
    const policy = await server.records([{ action: 'policy_create' }], () =>
      create({ name: 'Old logs', bucket_patterns: [name], prefix: 'logs/', older_than_days: 30, cron: '30 2 * * *' }),
    )
    const { id, author_id, created_at, updated_at, created_by, next_run_at, ...rest } = policy
    assert.deepEqual(rest, {
      name: 'Old logs',
      bucket_patterns: [name],
      prefix: 'logs/',
      glob: null,
      older_than_days: 30,
      min_size: null,
      keep_newest: null,
      max_deletes: null,
      max_delete_percent: null,
      cron: '30 2 * * *',
      timezone: 'UTC',
      enabled: true,
      last_run: null,
      author_email: 'admin@example.com',
    })
    assert.equal(next_run_at?.slice(10), 'T02:30:00.000Z')
    assert.deepEqual([author_id, created_at], [created_by, updated_at])
    assert.deepEqual(await server.admin.getPolicy({ params: { id } }), policy)
    assert.ok((await server.admin.listPolicies()).items.some((one) => one.id === id))
    const first = await server.admin.listPolicies({ query: { limit: 1 } })
    assert.equal(first.items[0]?.id, id)

    const changed = await server.records([{ action: 'policy_update' }], () =>
      server.admin.updatePolicy({ params: { id }, body: { older_than_days: null, glob: '**/*.gz', enabled: false } }),
    )
    assert.deepEqual(
      [changed.older_than_days, changed.glob, changed.enabled, changed.next_run_at, changed.prefix],
      [null, '**/*.gz', false, null, 'logs/'],
    )
    await server.records([], () =>
      rejectsWith(server.admin.updatePolicy({ params: { id }, body: { glob: null } }), 'invalid_request', 'body'),
    )
    await server.records([{ action: 'policy_delete' }], () => server.admin.deletePolicy({ params: { id } }))
    await rejectsWith(server.admin.getPolicy({ params: { id } }), 'not_found')
    await rejectsWith(server.admin.deletePolicy({ params: { id } }), 'not_found')
    await rejectsWith(run(id), 'not_found')
    const audit = await server.admin.listAudit({
      query: { action: ['policy_create', 'policy_update', 'policy_delete'] },
    })
    assert.deepEqual(audit.items.filter((one) => one.resource_id === id).length, 3)
  })

  itOnce('refuses what means nothing, naming where', async () => {
    const base = { name: 'x', bucket_patterns: ['clean-*'], older_than_days: 1 }
    const cases: [object, string][] = [
      [{ older_than_days: undefined }, 'body'],
      [{ older_than_days: undefined, prefix: 'logs/' }, 'body'],
      [{ older_than_days: null }, 'body'],
      [{ older_than_days: -1 }, 'body.older_than_days'],
      [{ older_than_days: 1.5 }, 'body.older_than_days'],
      [{ min_size: 0 }, 'body.min_size'],
      [{ keep_newest: 0 }, 'body.keep_newest'],
      [{ glob: '' }, 'body.glob'],
      [{ bucket_patterns: [] }, 'body.bucket_patterns'],
      [{ bucket_patterns: ['UPPER'] }, 'body.bucket_patterns.0'],
      [{ prefix: 'a\0' }, 'body.prefix'],
      [{ name: ' ' }, 'body.name'],
      [{ max_deletes: -1 }, 'body.max_deletes'],
      [{ max_delete_percent: 0 }, 'body.max_delete_percent'],
      [{ max_delete_percent: 101 }, 'body.max_delete_percent'],
      [{ cron: '* * * * * *' }, 'body.cron'],
      [{ cron: '61 * * * *' }, 'body.cron'],
      [{ cron: '0 0 30 2 *' }, 'body.cron'],
      [{ cron: 'every day' }, 'body.cron'],
      [{ timezone: 'Mars/Olympus' }, 'body.timezone'],
      [{ timezone: '+02:00' }, 'body.timezone'],
      [{ unknown: 1 }, 'body.unknown'],
    ]
    await server.records([], async () => {
      for (const [change, path] of cases)
        await rejectsWith(server.admin.createPolicy({ body: { ...base, ...change } }), 'invalid_request', path)
    })
    const { id } = await create({ bucket_patterns: ['clean-*'], older_than_days: 0 })
    await rejectsWith(run(id, { dry_run: true, of: ABSENT }), 'invalid_request', 'query.of')
    await rejectsWith(run(id, { of: ABSENT }), 'not_found')
    await rejectsWith(server.admin.getPolicyRun({ params: { id, run_id: ABSENT } }), 'not_found')
    await server.admin.deletePolicy({ params: { id } })
  })

  it('tries, then deletes exactly the same, to the trash, each recorded', async () => {
    const bucket = await open()
    for (const key of ['logs/a.tmp', 'logs/b.tmp', 'logs/c.txt', 'other.tmp']) await bucket.put(key, key)
    await server.later(2 * DAY)
    await bucket.put('logs/new.tmp')
    const policy = await create({ bucket_patterns: [bucket.name], prefix: 'logs/', glob: '*.tmp', older_than_days: 1 })
    const dry = await server.records([{ action: 'policy_run' }], () => run(policy.id, { dry_run: true }))
    assert.deepEqual(brief(dry), ['succeeded', 2, 0, 0, 20])
    assert.deepEqual(
      [dry.examined, dry.dry_run, dry.trigger, dry.sample],
      [4, true, 'manual', ['logs/a.tmp', 'logs/b.tmp']],
    )
    assert.equal((await bucket.keys()).length, 5)
    assert.equal((await server.admin.getPolicy({ params: { id: policy.id } })).last_run, null)

    const action = 'delete' as const
    const done = await server.records(
      [
        { action, bucket: bucket.name, key: 'logs/a.tmp' },
        { action, bucket: bucket.name, key: 'logs/b.tmp' },
        { action: 'policy_run' },
      ],
      () => run(policy.id),
    )
    assert.deepEqual(brief(done), ['succeeded', 2, 2, 0, 20])
    assert.deepEqual(
      (await items(done)).map(({ bucket: of, key, outcome }) => [of, key, outcome]),
      (await items(dry)).map(({ bucket: of, key }) => [of, key, 'deleted']),
    )
    assert.deepEqual(await bucket.keys(), ['logs/c.txt', 'logs/new.tmp', 'other.tmp'])
    const trash = await bucket.trash()
    assert.deepEqual(trash.map(({ key }) => key).sort(), ['logs/a.tmp', 'logs/b.tmp'])
    const last = (await server.admin.getPolicy({ params: { id: policy.id } })).last_run
    assert.deepEqual([last?.id, last?.deleted], [done.id, 2])
    const records = (await allActions(server.database)).slice(-3)
    const me = await server.admin.me()
    for (const { actor_type, actor_user_id, actor_email, details } of records.slice(0, 2)) {
      assert.deepEqual([actor_type, actor_user_id, actor_email], ['system', me.id, me.email])
      const { policy_id, bulk_id, permanent } = JSON.parse(details)
      assert.deepEqual([policy_id, bulk_id, permanent], [policy.id, done.id, false])
    }
    assert.deepEqual([records[2]?.actor_type, JSON.parse(records[2]?.details ?? '').deleted], ['user', 2])
    // What a policy takes comes back.
    await server.admin.restoreTrash({ params: { name: bucket.name }, body: { ids: trash.map(({ id }) => id) } })
    assert.equal((await bucket.keys()).length, 5)
    const { object_count } = await server.admin.getBucket({ params: { name: bucket.name } })
    assert.equal(object_count, 5)
    const runs = await server.admin.listPolicyRuns({ params: { id: policy.id } })
    assert.deepEqual(
      runs.items.map(({ id }) => id),
      [done.id, dry.id],
    )
  })

  it('deletes the list of a dry run, without what has changed or gone since', async () => {
    const bucket = await open()
    for (const key of ['a', 'described', 'gone', 'moved', 'overwritten', 'same-bytes']) await bucket.put(key, key)
    const policy = await create({ bucket_patterns: [bucket.name], glob: '*' })
    const dry = await run(policy.id, { dry_run: true })
    assert.equal(dry.matched, 6)
    server.clock.advance(1000)
    await bucket.put('later')
    await bucket.put('overwritten', 'anew')
    await bucket.put('same-bytes', 'same-bytes')
    const params = { name: bucket.name }
    await server.admin.updateObject({ params: { ...params, key: 'described' }, body: { metadata: { a: 'b' } } })
    await server.admin.deleteObject({ params: { ...params, key: 'gone' } })
    await server.admin.moveObject({
      params,
      body: { source_bucket: bucket.name, source_key: 'moved', dest_key: 'there' },
    })
    const done = await run(policy.id, { of: dry.id })
    assert.deepEqual(brief(done), ['succeeded', 6, 1, 5, 1])
    assert.equal(done.of, dry.id)
    assert.deepEqual(
      (await items(done)).map(({ key, outcome }) => [key, outcome]),
      [
        ['a', 'deleted'],
        ['described', 'kept_changed'],
        ['gone', 'gone'],
        ['moved', 'gone'],
        ['overwritten', 'kept_changed'],
        ['same-bytes', 'kept_changed'],
      ],
    )
    assert.deepEqual(await items(done, { outcome: 'deleted' }).then((all) => all.map(({ key }) => key)), ['a'])
    assert.deepEqual(await items(done, { outcome: 'pending' }), [])
    assert.deepEqual(
      done.errors.map(({ code }) => code),
      ['conflict', 'not_found', 'not_found', 'conflict', 'conflict'],
    )
    assert.deepEqual(await bucket.keys(), ['described', 'later', 'overwritten', 'same-bytes', 'there'])
    // The same list again: nothing is left of it.
    assert.deepEqual(brief(await run(policy.id, { of: dry.id })), ['succeeded', 6, 0, 6, 0])
    await rejectsWith(run(policy.id, { of: done.id }), 'conflict')
    await server.admin.updatePolicy({ params: { id: policy.id }, body: { name: 'other' } })
    await rejectsWith(run(policy.id, { of: dry.id }), 'conflict')
    assert.equal((await bucket.keys()).length, 5)
  })

  it('keeps away from a bucket that took the name of a deleted one', async () => {
    const bucket = await open()
    await bucket.put('k')
    const policy = await create({ bucket_patterns: [bucket.name], glob: '*' })
    const dry = await run(policy.id, { dry_run: true })
    await server.admin.deleteObject({ params: { name: bucket.name, key: 'k' } })
    await server.admin.deleteBucket({ params: { name: bucket.name } })
    assert.deepEqual(brief(await run(policy.id, { of: dry.id })), ['succeeded', 1, 0, 1, 0])
    await server.admin.createBucket({ body: { name: bucket.name } })
    await bucket.put('k')
    assert.deepEqual(brief(await run(policy.id, { of: dry.id })), ['succeeded', 1, 0, 1, 0])
    assert.deepEqual(await bucket.keys(), ['k'])
  })

  it('keeps the newest of each folder, over several buckets', async () => {
    const stem = `stem${newId().slice(-6)}`
    for (const name of [`${stem}-a`, `${stem}-b`]) {
      await server.admin.createBucket({ body: { name } })
      for (const n of [1, 2, 3])
        for (const folder of ['', 'db/', 'db/sub/']) {
          await server.admin.putObject({ params: { name, key: `${folder}${n}.bak` }, body: 'xx' })
          await server.admin.putObject({ params: { name, key: `${folder}${n}.small` }, body: 'x' })
          server.clock.advance(1000)
        }
    }
    const policy = await create({ bucket_patterns: [`${stem}-*`], prefix: 'db/', min_size: 2, keep_newest: 1 })
    const dry = await run(policy.id, { dry_run: true })
    assert.deepEqual(brief(dry), ['succeeded', 8, 0, 0, 16])
    const done = await run(policy.id)
    assert.deepEqual(brief(done), ['succeeded', 8, 8, 0, 16])
    for (const name of [`${stem}-a`, `${stem}-b`]) {
      const left = (await server.admin.listObjects({ params: { name } })).items.map(({ key }) => key)
      assert.deepEqual(
        left.filter((key) => key.endsWith('.bak')),
        ['1.bak', '2.bak', '3.bak', 'db/3.bak', 'db/sub/3.bak'],
      )
      assert.equal(left.filter((key) => key.endsWith('.small')).length, 9)
    }
  })

  itOnce('stops before it deletes anything where a guard rail is hit, and the dry run says so', async () => {
    const bucket = await open()
    for (const key of ['a', 'b', 'c', 'd']) await bucket.put(key)
    await bucket.put('keep.txt')
    for (const [guard, limit] of [
      ['max_deletes', 3],
      ['max_deletes', 0],
      ['max_delete_percent', 79.9],
    ] as const) {
      const policy = await create({ bucket_patterns: [bucket.name], glob: '?', [guard]: limit })
      for (const dry_run of [true, false]) {
        const stopped = await server.records([{ action: 'policy_run' }], () => run(policy.id, { dry_run }))
        assert.deepEqual(brief(stopped), ['stopped', 4, 0, 0, dry_run ? 4 : 0])
        assert.match(stopped.reason ?? '', new RegExp(guard))
        assert.deepEqual(
          (await items(stopped)).map(({ outcome }) => outcome),
          Array(4).fill(dry_run ? 'matched' : 'not_reached'),
        )
      }
      const [, dry] = (await server.admin.listPolicyRuns({ params: { id: policy.id } })).items
      assert.equal((await run(policy.id, { of: dry?.id ?? '' })).status, 'stopped')
    }
    assert.equal((await bucket.keys()).length, 5)
    for (const exact of [{ max_deletes: 4 }, { max_delete_percent: 80 }]) {
      const policy = await create({ bucket_patterns: [bucket.name], glob: '?', ...exact })
      assert.equal((await run(policy.id, { dry_run: true })).status, 'succeeded')
    }
    const last = await create({ bucket_patterns: [bucket.name], glob: '?', max_deletes: 4, max_delete_percent: 80 })
    assert.deepEqual(brief(await run(last.id)), ['succeeded', 4, 4, 0, 4])
  })

  itOnce('takes its options from the query or the body, and never mistakes a try for the real thing', async () => {
    const bucket = await open()
    await bucket.put('x')
    const { id } = await create({ bucket_patterns: [bucket.name], glob: '*' })
    const ask = (body: object, query = {}) => server.admin.runPolicy({ params: { id }, query, body })
    const dry = await ask({ dry_run: true })
    assert.equal(dry.dry_run, true)
    await rejectsWith(ask({ dry_run: true }, { dry_run: false }), 'invalid_request', 'body.dry_run')
    await rejectsWith(ask({ dryrun: true }), 'invalid_request', 'body.dryrun')
    await rejectsWith(ask({ dry_run: 'true' }), 'invalid_request', 'body.dry_run')
    await rejectsWith(ask({}, { dryrun: true }), 'invalid_request', 'query.dryrun')
    await rejectsWith(ask({ of: dry.id, dry_run: true }), 'invalid_request', 'body.of')
    assert.deepEqual(await bucket.keys(), ['x'])
    const headers = { authorization: `Bearer ${server.adminToken}` }
    const bare = await fetch(`${server.url}/api/v1/policies/${id}/run?dry_run=true`, { method: 'POST', headers })
    assert.equal(bare.status, 200)
    assert.equal((await ask({ of: dry.id })).deleted, 1)
  })

  itOnce('previews a draft without saving it', async () => {
    const bucket = await open()
    await bucket.put('old.log', 'xxxx')
    await server.later(DAY)
    const oldest = new Date(server.clock.now().getTime() - DAY).toISOString()
    for (const key of ['a.log', 'a.txt', 'b.log']) await bucket.put(key, 'xx')
    await bucket.put('tiny.log', '1')
    const body = {
      ...{ bucket_patterns: [bucket.name], glob: '*.log', min_size: 2, keep_newest: 1, older_than_days: 1 },
      ...{ max_deletes: 0, cron: '0 12 * * *', timezone: 'Europe/Berlin' },
    }
    await server.records([], async () => {
      const preview = await server.admin.previewPolicy({ body })
      assert.deepEqual([preview.complete, preview.examined, preview.matched, preview.bytes], [true, 5, 1, 4])
      assert.deepEqual(preview.excluded, { glob: 1, min_size: 1, keep_newest: 1, older_than_days: 1 })
      assert.deepEqual([preview.sample, preview.oldest, preview.newest], [['old.log'], oldest, oldest])
      assert.equal(preview.objects[0]?.bucket, bucket.name)
      assert.match(preview.would_stop ?? '', /max_deletes/)
      assert.deepEqual([preview.next_runs.length, preview.next_runs[0]?.slice(11)], [5, '11:00:00.000Z'])
      await rejectsWith(
        server.admin.previewPolicy({ body: { bucket_patterns: [bucket.name] } }),
        'invalid_request',
        'body',
      )
    })
    const { id } = await create(body)
    assert.equal((await run(id, { dry_run: true })).matched, 1)
  })

  itOnce('says which policies will delete an object, when and why', async () => {
    const bucket = await open()
    const params = { name: bucket.name }
    await bucket.put('logs/a.log')
    const at = server.clock.now()
    const on = (body: object) => create({ bucket_patterns: [bucket.name], ...body })
    const aged = await on({ name: 'aged', prefix: 'logs/', older_than_days: 10, cron: '0 6 * * *' })
    const kept = await on({ name: 'kept', keep_newest: 1 })
    const off = await on({ name: 'off', glob: 'logs/*', enabled: false, cron: '0 6 * * *' })
    await on({ name: 'other prefix', prefix: 'data/', older_than_days: 1 })
    await on({ name: 'other glob', glob: '*.log' })
    await on({ name: 'too small', min_size: 2 })
    await create({ name: 'elsewhere', bucket_patterns: ['elsewhere-*'], glob: '**' })
    const explain = async () => {
      const all = (await server.admin.explainPolicies({ params, query: { key: 'logs/a.log' } })).items
      return all.reverse()
    }
    const due = new Date(at.getTime() + 10 * DAY)
    const six = new Date(due)
    six.setUTCHours(6, 0, 0, 0)
    const deletesAt = new Date(six.getTime() + (six < due ? DAY : 0)).toISOString()
    assert.deepEqual(
      (await explain()).map(({ name, enabled, matches_now, matches_at, deletes_at }) => ({
        name,
        enabled,
        matches_now,
        matches_at,
        deletes_at,
      })),
      [
        { name: 'aged', enabled: true, matches_now: false, matches_at: due.toISOString(), deletes_at: deletesAt },
        { name: 'kept', enabled: true, matches_now: false, matches_at: null, deletes_at: null },
        { name: 'off', enabled: false, matches_now: true, matches_at: at.toISOString(), deletes_at: null },
      ],
    )
    assert.match((await explain())[0]?.reason ?? '', /under "logs\/", is deleted once it has not changed for 10 days/)
    assert.match((await explain())[1]?.reason ?? '', /stays, as one of the newest 1/)
    server.clock.advance(1000)
    await bucket.put('logs/b.log')
    await bucket.put('logs/deeper/c.log')
    assert.deepEqual(
      (await explain()).map(({ matches_now }) => matches_now),
      [false, true, true],
    )
    for (const { id } of [aged, kept, off]) {
      const matched = (await run(id, { dry_run: true })).sample.includes('logs/a.log')
      assert.equal(matched, (await explain()).find(({ policy_id }) => policy_id === id)?.matches_now)
    }
    // Who may read the object is told, whoever may not is not.
    const reader = server.as(await server.userWith({ bucket_pattern: bucket.name, prefix: 'logs/', actions: ['read'] }))
    assert.equal((await reader.explainPolicies({ params, query: { key: 'logs/a.log' } })).items.length, 3)
    await rejectsWith(reader.explainPolicies({ params, query: { key: 'x' } }), 'forbidden')
    await rejectsWith(server.admin.explainPolicies({ params, query: { key: 'none' } }), 'not_found')
  })

  itOnce('asks for the right policy on all that is in scope, and hides what others have', async () => {
    const bucket = await open()
    await bucket.put('logs/a')
    const grants = (actions: ('list' | 'policy' | 'delete')[], prefix = 'logs/') => ({
      bucket_pattern: `${bucket.name}*`,
      prefix,
      actions,
    })
    const full = server.as(await server.userWith(grants(['list', 'policy', 'delete'])))
    const body = { name: 'mine', bucket_patterns: [bucket.name], prefix: 'logs/', glob: '*' }
    const { id } = await full.createPolicy({ body })
    for (const change of [
      { prefix: '' },
      { prefix: 'log' },
      { bucket_patterns: ['*'] },
      { bucket_patterns: [bucket.name, 'other'] },
    ]) {
      await rejectsWith(full.createPolicy({ body: { ...body, ...change } }), 'forbidden')
      await rejectsWith(full.previewPolicy({ body: { ...body, ...change } }), 'forbidden')
      await rejectsWith(full.updatePolicy({ params: { id }, body: change }), 'forbidden')
    }
    await full.createPolicy({ body: { ...body, bucket_patterns: [`${bucket.name}-*`], prefix: 'logs/deep' } })
    const wide = await create({ bucket_patterns: [bucket.name], glob: '**' })
    const hidden = await run(wide.id, { dry_run: true })
    const at = { params: { id: wide.id } }
    const atRun = { params: { id: wide.id, run_id: hidden.id } }
    for (const call of [
      () => full.getPolicy(at),
      () => full.updatePolicy({ ...at, body: { prefix: 'logs/' } }),
      () => full.deletePolicy(at),
      () => full.runPolicy(at),
      () => full.listPolicyRuns(at),
      () => full.getPolicyRun(atRun),
      () => full.listPolicyRunItems(atRun),
      () => full.cancelPolicyRun(atRun),
    ])
      await rejectsWith(call(), 'not_found')
    assert.ok((await full.listPolicies()).items.every((one) => one.prefix.startsWith('logs/')))
    // Another policy's run is not found under one's own.
    await rejectsWith(full.getPolicyRun({ params: { id, run_id: hidden.id } }), 'not_found')
    await rejectsWith(full.runPolicy({ params: { id }, query: { of: hidden.id } }), 'not_found')
  })

  itOnce('names no key to those who may not list it', async () => {
    const bucket = await open()
    for (const key of ['open/a', 'secret/b']) await bucket.put(key)
    const policy = await create({ bucket_patterns: [bucket.name], glob: '**' })
    const dry = await run(policy.id, { dry_run: true })
    const other = { bucket_pattern: bucket.name, actions: ['policy' as const, 'delete' as const] }
    const blind = server.as(await server.userWith(other))
    const half = server.as(
      await server.userWith(other, { bucket_pattern: bucket.name, prefix: 'open/', actions: ['list'] }),
    )
    await server.admin.deleteObject({ params: { name: bucket.name, key: 'secret/b' } })
    const done = await run(policy.id, { of: dry.id })
    assert.deepEqual(
      done.errors.map(({ key }) => key),
      ['secret/b'],
    )
    for (const [client, sees] of [
      [blind, []],
      [half, ['open/a']],
    ] as const) {
      for (const { id: run_id, matched } of [dry, done]) {
        const seen = await client.getPolicyRun({ params: { id: policy.id, run_id } })
        assert.deepEqual([seen.matched, matched, seen.sample, seen.errors], [2, 2, [...sees], []])
        assert.deepEqual(
          (await items(seen, {}, client)).map(({ key }) => key),
          [...sees],
        )
      }
      const listed = await client.listPolicyRuns({ params: { id: policy.id } })
      assert.doesNotMatch(JSON.stringify(listed), /secret/)
      const preview = await client.previewPolicy({
        body: { bucket_patterns: [bucket.name], glob: '**', keep_newest: 1 },
      })
      assert.deepEqual([preview.sample, preview.objects], [[], []])
    }
    const preview = await half.previewPolicy({ body: { bucket_patterns: [bucket.name], glob: '**' } })
    assert.deepEqual([preview.matched, preview.sample], [0, []])
    await bucket.put('secret/c')
    await bucket.put('open/c')
    const again = await half.previewPolicy({ body: { bucket_patterns: [bucket.name], glob: '**' } })
    assert.deepEqual([again.matched, again.sample, again.objects.map(({ key }) => key)], [2, ['open/c'], ['open/c']])
  })

  it('runs with no more rights than its author has at that moment', async () => {
    const bucket = await open()
    for (const key of ['a', 'b']) await bucket.put(key)
    const group = async (actions: ('list' | 'policy' | 'delete')[]) =>
      (await server.admin.createGroup({ body: { name: newId(), grants: [{ bucket_pattern: bucket.name, actions }] } }))
        .id
    const email = `author${buckets}@example.com`
    const password = 'password of the author'
    server.secrets.add(password)
    const [mayPolicy, mayDelete] = [await group(['policy', 'list']), await group(['delete'])]
    const { id: userId } = await server.admin.createUser({
      body: { email, display_name: 'A', password, group_ids: [mayPolicy, mayDelete] },
    })
    const author = server.as(await server.login(email, password))
    const { id } = await author.createPolicy({ body: { name: 'x', bucket_patterns: [bucket.name], glob: '*' } })
    const setGroups = (group_ids: string[]) => server.admin.updateUser({ params: { id: userId }, body: { group_ids } })
    const refused = async (reason: RegExp) => {
      for (const dry_run of [false, true]) {
        // The administrator has every right; the policy has its author's.
        const failed = await server.records([{ action: 'policy_run' }], () => run(id, { dry_run }))
        assert.deepEqual(brief(failed), ['failed', 0, 0, 0, 0])
        assert.match(failed.reason ?? '', reason)
      }
      assert.deepEqual(await bucket.keys(), ['a', 'b'])
    }
    await setGroups([mayPolicy])
    await refused(/lacks the right "delete"/)
    await setGroups([mayDelete])
    await refused(/lacks the right "policy"/)
    await setGroups([mayPolicy, mayDelete])
    await server.admin.updateUser({ params: { id: userId }, body: { is_active: false } })
    await refused(/no active account/)
    await server.admin.updateUser({ params: { id: userId }, body: { is_active: true } })
    const dry = await run(id, { dry_run: true })
    await setGroups([mayPolicy])
    assert.deepEqual(brief(await run(id, { of: dry.id })), ['failed', 0, 0, 0, 0])
    assert.deepEqual(await bucket.keys(), ['a', 'b'])
    // Whoever edits it becomes its author.
    const taken = await server.admin.updatePolicy({ params: { id }, body: { name: 'mine now' } })
    assert.deepEqual([taken.author_email, taken.created_by], ['admin@example.com', userId])
    assert.deepEqual(brief(await run(id)), ['succeeded', 2, 2, 0, 2])
    const trash = await bucket.trash()
    assert.ok(trash.every(({ deleted_by }) => deleted_by === taken.author_id))
    // And with fewer rights takes them from it.
    await setGroups([mayPolicy])
    const weak = server.as(await server.login(email, password))
    await weak.updatePolicy({ params: { id }, body: { name: 'weaker' } })
    await bucket.put('c')
    assert.equal((await run(id)).status, 'failed')
    await server.admin.deleteUser({ params: { id: userId } })
    assert.match((await run(id)).reason ?? '', /no active account/)
    assert.deepEqual(await bucket.keys(), ['c'])
  })

  it('stops in the midst when its author loses a right: what is left of the list stays', async () => {
    const bucket = await open()
    await server.running.tick()
    for (const key of ['a', 'b', 'c']) await bucket.put(key)
    const actions = ['list' as const, 'policy' as const, 'delete' as const]
    const author = server.as(await server.userWith({ bucket_pattern: bucket.name, actions }))
    const { id } = await author.createPolicy({ body: { name: 'x', bucket_patterns: [bucket.name], glob: '*' } })
    const dry = await run(id, { dry_run: true }, author)
    // A run as a process left it that ended after the first object.
    await server.admin.deleteObject({ params: { name: bucket.name, key: 'a' } })
    const { db } = server.database
    const row = await db.selectFrom('policy_runs').selectAll().where('id', '=', dry.id).executeTakeFirstOrThrow()
    const listed = await db.selectFrom('policy_run_items').selectAll().where('run_id', '=', dry.id).execute()
    const begun = { ...row, id: newId(), kind: 'live' as const, status: 'running' as const, finished_at: null }
    await server.database.transaction(async (tx) => {
      await tx
        .insertInto('policy_runs')
        .values({ ...begun, position: 1, deleted: 1, deleted_bytes: 1 })
        .execute()
      const outcome = (position: number) => (position === 1 ? ('deleted' as const) : null)
      const of = listed.map((item) => ({ ...item, run_id: begun.id, outcome: outcome(item.position) }))
      await tx.insertInto('policy_run_items').values(of).execute()
    })
    const me = await author.me()
    await server.admin.updateUser({ params: { id: me.id }, body: { is_active: false } })
    await server.records([{ action: 'policy_run' }], () => server.running.tick())
    const failed = await server.admin.getPolicyRun({ params: { id, run_id: begun.id } })
    assert.deepEqual(brief(failed), ['failed', 3, 1, 0, 1])
    assert.deepEqual(
      (await items(failed)).map(({ outcome }) => outcome),
      ['deleted', 'not_reached', 'not_reached'],
    )
    assert.deepEqual(await bucket.keys(), ['b', 'c'])
  })

  it('runs at its times: once for all that were missed, not while paused, one at a time', async () => {
    const bucket = await open()
    await bucket.put('x')
    await server.running.tick()
    const policy = await create({ bucket_patterns: [bucket.name], glob: '*', cron: '*/10 * * * *' })
    const runs = async () => (await server.admin.listPolicyRuns({ params: { id: policy.id } })).items
    await server.running.tick()
    assert.deepEqual(await runs(), [])
    await server.later(10 * MINUTE)
    await server.running.tick()
    await server.running.tick()
    const [first, ...more] = await runs()
    assert.deepEqual(
      [first?.status, first?.trigger, first?.deleted, first?.scheduled_for, more.length],
      ['succeeded', 'schedule', 1, policy.next_run_at, 0],
    )
    assert.equal(first?.requested_by, null)
    const record = (await allActions(server.database)).findLast(({ action }) => action === 'policy_run')
    assert.deepEqual([record?.actor_type, record?.actor_email], ['system', 'admin@example.com'])
    // A week without us: one run makes up for 1,008.
    await server.later(7 * DAY)
    await server.running.tick()
    await server.running.tick()
    assert.equal((await runs()).length, 2)
    const { next_run_at } = await server.admin.getPolicy({ params: { id: policy.id } })
    const ahead = Date.parse(next_run_at ?? '') - server.clock.now().getTime()
    assert.ok(ahead > 0 && ahead <= 10 * MINUTE)
    // Paused, and nothing to make up for after that.
    await server.admin.updatePolicy({ params: { id: policy.id }, body: { enabled: false } })
    await server.later(DAY)
    await server.running.tick()
    await server.admin.updatePolicy({ params: { id: policy.id }, body: { enabled: true } })
    await server.running.tick()
    assert.equal((await runs()).length, 2)
    // A paused one still runs when asked to.
    await server.admin.updatePolicy({ params: { id: policy.id }, body: { enabled: false } })
    assert.equal((await run(policy.id)).status, 'succeeded')
    await server.admin.deletePolicy({ params: { id: policy.id } })
  })

  it('a run that is not over: others are refused, its time waits, a change stops it, deleting cancels it', async () => {
    const bucket = await open()
    await bucket.put('x')
    await server.running.tick()
    const policy = await create({ bucket_patterns: [bucket.name], glob: '*', cron: '*/10 * * * *' })
    const params = { id: policy.id }
    /** A run that some other process has begun with and not renewed: nobody takes it before its lease is over. */
    const stuck = async (change: { kind?: 'live' | 'dry' } = {}) => {
      const done = await run(policy.id, { dry_run: true })
      const row = await server.database.db
        .selectFrom('policy_runs')
        .selectAll()
        .where('id', '=', done.id)
        .executeTakeFirstOrThrow()
      const id = newId()
      const leased_until = new Date(server.clock.now().getTime() + MINUTE).toISOString()
      await server.database.transaction((tx) =>
        tx
          .insertInto('policy_runs')
          .values({
            ...row,
            kind: 'live',
            id,
            finished_at: null,
            status: 'running',
            runner: newId(),
            leased_until,
            listed_at: null,
            ...change,
          })
          .execute(),
      )
      return id
    }
    const id = await stuck()
    await server.records([], async () => {
      await rejectsWith(run(policy.id), 'conflict')
      await rejectsWith(run(policy.id, { dry_run: true }), 'conflict')
      await server.running.tick()
    })
    // Its lease ends, and the time has come as well: the run is completed, then that of the schedule.
    await server.later(10 * MINUTE)
    await server.records(
      [{ action: 'delete', bucket: bucket.name, key: 'x' }, { action: 'policy_run' }, { action: 'policy_run' }],
      async () => {
        await server.running.tick()
        await server.running.tick()
      },
    )
    assert.deepEqual(brief(await server.admin.getPolicyRun({ params: { ...params, run_id: id } })), [
      'succeeded',
      1,
      1,
      0,
      1,
    ])

    await bucket.put('y')
    const changed = await stuck()
    await server.admin.updatePolicy({ params, body: { enabled: false } })
    await server.later(2 * MINUTE)
    await server.running.tick()
    const stopped = await server.admin.getPolicyRun({ params: { ...params, run_id: changed } })
    assert.deepEqual([stopped.status, stopped.reason], ['stopped', 'The policy was changed meanwhile.'])

    const cancelled = await stuck()
    await server.later(2 * MINUTE)
    await server.records([{ action: 'policy_run' }], async () => {
      const over = await server.admin.cancelPolicyRun({ params: { ...params, run_id: cancelled } })
      assert.equal(over.status, 'cancelled')
      assert.equal(
        (await server.admin.cancelPolicyRun({ params: { ...params, run_id: cancelled } })).status,
        'cancelled',
      )
    })
    await stuck()
    await server.records([{ action: 'policy_run' }, { action: 'policy_delete' }], () =>
      server.admin.deletePolicy({ params }),
    )
    await server.later(2 * MINUTE)
    await server.records([], () => server.running.tick())
    assert.deepEqual(await bucket.keys(), ['y'])
  })

  it('what fails in the midst leaves nothing half done, and is tried again', async () => {
    const bucket = await open()
    for (const key of ['a', 'b', 'c']) await bucket.put(key)
    const policy = await create({ bucket_patterns: [bucket.name], glob: '*' })
    const refusing =
      engine === 'sqlite'
        ? [
            sql`create trigger refuse before insert on audit_recent when new.object_key = 'c' begin select raise(abort, 'refused'); end`,
          ]
        : [
            sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`,
            sql`create trigger refuse before insert on audit_recent for each row when (new.object_key = 'c') execute function refuse()`,
          ]
    await server.database.transaction(async (tx) => {
      for (const one of refusing) await one.execute(tx)
    })
    const usage = await server.admin.getBucket({ params: { name: bucket.name } })
    const failed = await server.records([{ action: 'policy_run' }], async () => settled(await run(policy.id)))
    assert.deepEqual(brief(failed), ['failed', 3, 0, 0, 0])
    assert.deepEqual(await bucket.keys(), ['a', 'b', 'c'])
    assert.deepEqual(
      [await bucket.trash(), await server.admin.getBucket({ params: { name: bucket.name } })],
      [[], usage],
    )
    assert.ok((await items(failed)).every(({ outcome }) => outcome === 'not_reached'))
    await server.database.transaction((tx) =>
      sql.raw(`drop trigger refuse${engine === 'sqlite' ? '' : ' on audit_recent'}`).execute(tx),
    )
    assert.deepEqual(brief(await run(policy.id)), ['succeeded', 3, 3, 0, 3])
  })

  it('clears its history away: lists after a month, runs after a year, all of a deleted policy', async () => {
    const bucket = await open()
    await bucket.put('x')
    const [kept, deleted] = [
      await create({ bucket_patterns: [bucket.name], glob: '*' }),
      await create({ bucket_patterns: [bucket.name], glob: '*' }),
    ]
    const dry = await run(kept.id, { dry_run: true })
    await run(deleted.id, { dry_run: true })
    await server.admin.deletePolicy({ params: { id: deleted.id } })
    await server.running.tick()
    const rows = (id: string) =>
      server.database.db.selectFrom('policy_runs').select('id').where('policy_id', '=', id).execute()
    assert.deepEqual([(await rows(kept.id)).length, await rows(deleted.id)], [1, []])
    assert.equal(
      await server.database.db.selectFrom('policies').select('id').where('id', '=', deleted.id).executeTakeFirst(),
      undefined,
    )
    assert.equal((await items(dry)).length, 1)
    await server.later(31 * DAY)
    await server.running.tick()
    assert.deepEqual(await items(dry), [])
    assert.deepEqual((await server.admin.getPolicyRun({ params: { id: kept.id, run_id: dry.id } })).sample, ['x'])
    await rejectsWith(run(kept.id, { of: dry.id }), 'conflict')
    await server.later(340 * DAY)
    await server.running.tick()
    assert.deepEqual(await rows(kept.id), [])
  })

  itOnce(
    'clocks that are set forward and back: a skipped time comes after the gap, a repeated one once',
    {
      skip: onS3 && 'not about storage',
    },
    async () => {
      const clocked = await startServer(engine)
      try {
        const times = async (cron: string, timezone: string, from: string, days: number) => {
          await clocked.later(Date.parse(from) - clocked.clock.now().getTime())
          const { id } = await clocked.admin.createPolicy({
            body: { name: 'x', bucket_patterns: ['none'], glob: '*', cron, timezone },
          })
          for (let half = 0; half < days * 48; half++) {
            clocked.clock.advance(30 * MINUTE)
            await clocked.running.tick()
          }
          await clocked.later(0)
          const { items } = await clocked.admin.listPolicyRuns({ params: { id } })
          await clocked.admin.deletePolicy({ params: { id } })
          return items.map(({ started_at }) => started_at?.slice(5, 16)).reverse()
        }
        // 2026-03-29 there is no 02:30 in Berlin, 2026-10-25 there are two.
        assert.deepEqual(await times('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', 3), [
          '03-28T01:30',
          '03-29T01:00',
          '03-30T00:30',
        ])
        assert.deepEqual(await times('30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00:00Z', 3), [
          '10-24T00:30',
          '10-25T00:30',
          '10-26T01:30',
        ])
        assert.deepEqual(await times('30 2,14 * * *', 'Europe/Berlin', '2026-10-24T20:00:00Z', 1), [
          '10-25T00:30',
          '10-25T13:30',
        ])
        assert.deepEqual(await times('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30:00Z', 0.125), [
          '10-25T00:00',
          '10-25T01:00',
          '10-25T02:00',
        ])
        assert.deepEqual(await times('30 1 * * *', 'America/New_York', '2026-10-31T12:00:00Z', 2), [
          '11-01T05:30',
          '11-02T06:30',
        ])
      } finally {
        await clocked.stop()
      }
    },
  )

  it('two services: a time that has come makes exactly one run', {
    skip: engine === 'sqlite' && 'one process has it',
  }, async () => {
    const bucket = await open()
    for (let i = 0; i < 30; i++) await bucket.put(`k${i}`)
    const twins: Running[] = []
    for (let i = 0; i < 2; i++)
      twins.push(
        await start(readConfig({ ...server.env, LOG_LEVEL: 'silent' }), { now: server.clock.now, timers: false }),
      )
    try {
      const all = await Promise.all(
        Array.from({ length: 5 }, () => create({ bucket_patterns: [bucket.name], glob: '*', cron: '0 * * * *' })),
      )
      const ROUNDS = 8
      for (let round = 0; round < ROUNDS; round++) {
        await server.later(60 * MINUTE)
        await Promise.all([server.running, ...twins].flatMap(({ tick }) => [tick(), tick()]))
        await server.running.tick()
        for (const { id } of all) {
          const runs = (await server.admin.listPolicyRuns({ params: { id } })).items
          assert.deepEqual(
            runs.map(({ status }) => status),
            Array(round + 1).fill('succeeded'),
          )
        }
      }
      const done = (await Promise.all(all.map(({ id }) => server.admin.listPolicyRuns({ params: { id } })))).flatMap(
        ({ items }) => items,
      )
      assert.equal(
        done.reduce((sum, one) => sum + one.deleted, 0),
        30,
        'five policies over the same objects delete each once',
      )
      assert.equal((await bucket.trash()).length, 30)
      const recorded = (await allActions(server.database)).filter(
        ({ action, details }) => action === 'policy_run' && all.some(({ id }) => details.includes(id)),
      )
      assert.equal(recorded.length, ROUNDS * all.length)
      // Asked for at once, over all services: one of them has it.
      const policy = await create({ bucket_patterns: [bucket.name], glob: '*' })
      const clients = [server.url, ...twins.map(({ url }) => url)].map((baseUrl) =>
        createClient({ baseUrl, token: server.adminToken }),
      )
      for (let i = 0; i < 60; i++) await bucket.put(`again${i}`)
      const asked = await Promise.allSettled(
        Array.from({ length: 12 }, (_, i) => (clients[i % 3] as Client).runPolicy({ params: { id: policy.id } })),
      )
      const won = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      assert.ok(won.length >= 1)
      assert.equal(
        won.reduce((sum, one) => sum + one.deleted, 0),
        60,
      )
    } finally {
      for (const twin of twins) await twin.stop()
    }
  })
})
