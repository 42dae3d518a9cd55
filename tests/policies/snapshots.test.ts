// Policies that take snapshots on a schedule.
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { rejectsWith } from '../support/problems.ts'
import { allActions, describeEngines, type TestServer } from '../support/server.ts'
import { policiesWorld } from './policies.ts'

const HOUR = 3_600_000

describeEngines('policies that take snapshots', (engine, itOnce) => {
  const world = policiesWorld(engine)
  const { open, create, run, items, brief } = world
  let server: TestServer
  before(() => {
    server = world.server
  })
  const snapshots = async (bucket: string) => (await server.admin.listSnapshots({ params: { bucket } })).items
  const actionsOn = async (bucket: string) =>
    (await allActions(server.database))
      .filter((one) => one.bucket === bucket && one.action !== 'create_bucket' && one.action !== 'upload')
      .map(({ action, actor_type }) => [action, actor_type])

  it('takes one of each bucket when it is time, and keeps the newest of its own', async () => {
    const [one, other] = [await open(), await open()]
    await one.put('a', 'first')
    const params = { bucket: one.name }
    await server.admin.createSnapshot({ params, body: { name: 'by-hand' } })
    const patterns = [one.name, other.name]
    const policy = await server.records([{ action: 'policy_create' }], () =>
      create({ name: 'Every hour!', bucket_patterns: patterns, keep_snapshots: 2, cron: '0 * * * *' }),
    )
    assert.equal(policy.keep_snapshots, 2)
    const preview = await server.admin.previewPolicy({ body: { bucket_patterns: patterns, keep_snapshots: 2 } })
    assert.deepEqual([preview.examined, preview.matched, preview.bytes], [2, 2, 0])
    const names: string[] = []
    for (const text of ['first', 'second', 'third']) {
      await one.put('a', text)
      await server.later(HOUR)
      await server.running.tick()
      await server.running.tick()
      names.unshift((await snapshots(one.name))[0]?.name ?? '')
    }
    assert.match(names[0] ?? '', /^every-hour-\d{8}t\d{6}z$/)
    assert.deepEqual(
      (await snapshots(one.name)).map(({ name }) => name),
      [names[0], names[1], 'by-hand'],
    )
    assert.equal((await snapshots(other.name)).length, 2)
    const query = { at: names[1] ?? '' }
    const text = await (await server.admin.getObject({ params: { ...params, key: 'a' }, query })).text()
    assert.equal(text, 'second')
    assert.deepEqual(await actionsOn(one.name), [
      ['snapshot_create', 'user'],
      ['snapshot_create', 'system'],
      ['snapshot_create', 'system'],
      ['snapshot_create', 'system'],
      ['snapshot_delete', 'system'],
    ])
    const [last] = (await server.admin.listPolicyRuns({ params: { id: policy.id } })).items
    assert.ok(last)
    assert.deepEqual([...brief(last), last.examined, last.trigger], ['succeeded', 2, 2, 0, 0, 2, 'schedule'])
    assert.deepEqual(
      (await items(last)).map(({ bucket, key, outcome }) => [bucket, key, outcome]),
      patterns.map((bucket) => [bucket, names[0], 'taken']),
    )
    // Nothing of it is deleted with the policy.
    await server.admin.deletePolicy({ params: { id: policy.id } })
    assert.equal((await snapshots(one.name)).length, 3)
  })

  it('takes each once however many processes work on a run, and goes on where it was', async () => {
    const bucket = await open()
    const { id } = await create({ bucket_patterns: [bucket.name], keep_snapshots: 1 })
    const first = await run(id)
    assert.deepEqual(brief(first), ['succeeded', 1, 0, 0, 0])
    // As if a process had ended just before it said that the run was over.
    const again = { status: 'running', finished_at: null, runner: null, leased_until: null } as const
    await server.database.transaction((tx) =>
      tx.updateTable('policy_runs').set(again).where('id', '=', first.id).execute(),
    )
    await Promise.all([server.running.tick('policies'), server.running.tick('policies')])
    assert.equal((await snapshots(bucket.name)).length, 1)
  })

  it('names what could not be taken, and takes the others', async () => {
    const [full, free] = [await open(), await open()]
    const { db } = server.database
    const { id: bucket_id } = await db
      .selectFrom('buckets')
      .select('id')
      .where('name', '=', full.name)
      .executeTakeFirstOrThrow()
    const created_at = server.clock.now().toISOString()
    await server.database.transaction((tx) =>
      tx
        .insertInto('snapshots')
        .values(
          Array.from({ length: 1000 }, (_, i) => ({
            id: `full-${i}`,
            bucket_id,
            name: `s-${i}`,
            moment: i + 1,
            note: null,
            created_at,
            created_by: null,
            expires_at: null,
          })),
        )
        .execute(),
    )
    const { id } = await create({ bucket_patterns: [full.name, free.name], keep_snapshots: 1 })
    const dry = await server.records([{ action: 'policy_run' }], () => run(id, { dry_run: true }))
    assert.deepEqual([brief(dry), await snapshots(free.name)], [['succeeded', 2, 0, 0, 0], []])
    const ran = await server.records([{ action: 'snapshot_create', bucket: free.name }, { action: 'policy_run' }], () =>
      run(id),
    )
    assert.deepEqual(brief(ran), ['succeeded', 2, 0, 1, 0])
    assert.deepEqual(
      ran.errors.map(({ bucket, code }) => [bucket, code]),
      [[full.name, 'limit_reached']],
    )
  })

  it('acts with the rights of its author', async () => {
    const bucket = await open()
    const grant = { bucket_pattern: bucket.name, actions: ['policy' as const, 'delete' as const] }
    const author = server.as(await server.userWith(grant))
    const { id } = await create({ bucket_patterns: [bucket.name], keep_snapshots: 1 }, author)
    const rule = { bucket_patterns: [bucket.name], keep_snapshots: 1 }
    await server.records([{ action: 'access_denied', result: 'denied' }], () =>
      rejectsWith(author.previewPolicy({ body: rule }), 'forbidden'),
    )
    const ran = await run(id, {}, author)
    assert.equal(ran.status, 'failed')
    assert.match(ran.reason ?? '', /lacks the right "manage"/)
    assert.deepEqual(await snapshots(bucket.name), [])
  })

  itOnce('refuses what goes with deletions only', async () => {
    const { name } = await open()
    for (const [body, path] of [
      [{ older_than_days: 1 }, 'body.older_than_days'],
      [{ expired_markers: true }, 'body.expired_markers'],
      [{ max_deletes: 5 }, 'body.max_deletes'],
      [{ prefix: 'a/' }, 'body.prefix'],
      [{ keep_snapshots: 0 }, 'body.keep_snapshots'],
      [{ keep_snapshots: 501 }, 'body.keep_snapshots'],
    ] as const)
      await rejectsWith(create({ bucket_patterns: [name], keep_snapshots: 3, ...body }), 'invalid_request', path)
  })
})
