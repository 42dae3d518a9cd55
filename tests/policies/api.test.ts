import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { policiesWorld } from './policies.ts'

const ABSENT = '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10'

describeEngines('cleanup policies', (engine, itOnce) => {
  const world = policiesWorld(engine)
  const { open, create, run, items } = world
  let server: TestServer
  before(() => {
    server = world.server
  })

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
      max_size: null,
      tags: null,
      date: null,
      keep_newest: null,
      noncurrent_days: null,
      keep_versions: null,
      keep_snapshots: null,
      expired_markers: false,
      max_deletes: null,
      max_delete_percent: null,
      cron: '30 2 * * *',
      timezone: 'UTC',
      enabled: true,
      last_run: null,
      author_email: 'admin@example.com',
      lifecycle: null,
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

  itOnce('rejects invalid rules, naming the field', async () => {
    const base = { name: 'x', bucket_patterns: ['clean-*'], older_than_days: 1 }
    const cases: [object, string][] = [
      [{ older_than_days: undefined }, 'body'],
      [{ older_than_days: undefined, prefix: 'logs/' }, 'body'],
      [{ older_than_days: null }, 'body'],
      [{ older_than_days: -1 }, 'body.older_than_days'],
      [{ older_than_days: 1.5 }, 'body.older_than_days'],
      [{ min_size: 0 }, 'body.min_size'],
      [{ max_size: -1 }, 'body.max_size'],
      [{ min_size: 3, max_size: 2 }, 'body.max_size'],
      [{ tags: {} }, 'body.tags'],
      [{ tags: { a: 1 } }, 'body.tags.a'],
      [{ tags: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`t${i}`, ''])) }, 'body.tags'],
      [{ date: 'soon' }, 'body.date'],
      [{ date: '2026-02-30T00:00:00Z' }, 'body.date'],
      [{ keep_newest: 0 }, 'body.keep_newest'],
      [{ noncurrent_days: -1 }, 'body.noncurrent_days'],
      [{ keep_versions: 0 }, 'body.keep_versions'],
      [{ expired_markers: 'yes' as never }, 'body.expired_markers'],
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

  itOnce('hides keys from those who cannot list them', async () => {
    const bucket = await open()
    for (const key of ['open/a', 'secret/b']) await bucket.put(key)
    const policy = await create({ bucket_patterns: [bucket.name], glob: '**' })
    const dry = await run(policy.id, { dry_run: true })
    const other = { bucket_pattern: bucket.name, actions: ['policy' as const, 'delete' as const] }
    const blind = server.as(await server.userWith(other))
    const half = server.as(
      await server.userWith(other, { bucket_pattern: bucket.name, prefix: 'open/', actions: ['list'] }),
    )
    await server.admin.deleteObject({ params: { bucket: bucket.name, key: 'secret/b' } })
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
})
