// What a fork has changed is taken into the bucket that it was forked from.
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import fc from 'fast-check'
import type { Client } from '../../client/derived.ts'
import type { Job } from '../../contract/jobs.ts'
import { compareUsage } from '../../server/storage/buckets/compare.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { codes, counts, finished } from './jobs.ts'
import { type Bucket, momentsWorld, type State } from './world.ts'

const MINUTE = 60_000
/** More in a soak: MODEL_RUNS=3000. */
const RUNS = Number(process.env.MODEL_RUNS ?? 12)
type Body = Partial<Parameters<Client['createJob']>[0]['body']>
type Side = 'fork' | 'origin' | 'both'

describeEngines('merge', (engine, itOnce) => {
  const world = momentsWorld(engine)
  const { open, stateOf } = world
  let server: TestServer
  before(() => {
    server = world.server
  })
  const finish = (job: Job, client: Client = server.admin) => finished(client, job)
  const forkOf = ({ name }: Bucket, more: object = {}) => open({ from: { bucket: name }, ...more })
  const merge = async (fork: Bucket, body: Body = {}, client: Client = server.admin) =>
    finish(await client.createJob({ body: { kind: 'merge', source_bucket: fork.name, ...body } }), client)
  const undo = async ({ id }: Job) => finish(await server.admin.createJob({ body: { kind: 'restore', of: id } }))
  const textsOf = async (bucket: Bucket) =>
    Object.fromEntries(Object.entries(await stateOf(bucket)).map(([key, { text }]) => [key, text]))
  const changesOf = async (fork: Bucket, query: object = {}) =>
    server.admin.listForkChanges({ params: fork.params, query })
  const usageIsRight = async () => {
    for (const { held, counted } of await compareUsage(server.database.db)) assert.deepEqual(counted, held)
  }

  it('takes what only the fork has changed, as planned, and its undo makes the origin what it was', async () => {
    const origin = await open()
    for (const key of ['changed', 'deleted', 'theirs', 'both', 'same', 'tagged'])
      await origin.put(key, `first of ${key}`)
    const fork = await forkOf(origin)
    server.clock.advance(MINUTE)
    await fork.put('changed', 'by the fork', 'stage=new')
    await fork.remove('deleted')
    await fork.put('folder/new', 'new in the fork')
    await fork.tag('tagged', { by: 'fork' })
    await fork.put('both', 'by the fork')
    await fork.put('same', 'the same')
    await origin.put('theirs', 'by the origin')
    await origin.put('both', 'by the origin')
    await origin.put('same', 'the same')
    const [now, inFork] = [await stateOf(origin), await stateOf(fork)]

    const { items, totals, origin: name, next_cursor } = await changesOf(fork)
    assert.deepEqual([totals, name, next_cursor], [{ fork: 4, origin: 1, conflicts: 1, same: 1 }, origin.name, null])
    assert.deepEqual(
      items.map((one) => [one.key, one.fork?.change ?? null, one.origin?.change ?? null, one.conflict]),
      [
        ['both', 'changed', 'changed', true],
        ['changed', 'changed', null, false],
        ['deleted', 'deleted', null, false],
        ['folder/new', 'added', null, false],
        ['same', 'changed', 'changed', false],
        ['tagged', 'changed', null, false],
        ['theirs', null, 'changed', false],
      ],
    )
    const me = await server.admin.me()
    assert.deepEqual([items[2]?.fork?.by.user, items[2]?.before?.size, items[2]?.fork?.after], [me.id, 16, null])
    assert.deepEqual(
      (await changesOf(fork, { only: 'conflicts' })).items.map(({ key }) => key),
      ['both'],
    )

    const plan = {
      added: { objects: 1, bytes: 15 },
      replaced: { objects: 2, bytes_before: 31, bytes_after: 26 },
      deleted: { objects: 1, bytes: 16 },
      beside: { objects: 0, bytes: 0 },
      kept: 0,
      conflicts: 1,
      refused: 0,
      growth_bytes: 15 - 5 - 16,
      room_bytes: null,
    }
    const dry = await server.records([], () => merge(fork, { dry_run: true }))
    assert.deepEqual([counts(dry), dry.merge_plan, dry.plan], [['succeeded', 5, 0, 1], plan, null])
    assert.deepEqual(await stateOf(origin), now)
    const on = (action: 'copy' | 'delete' | 'restore', key: string) => ({ action, bucket: origin.name, key })
    const files = await server.stored()
    const job = await server.records(
      [on('delete', 'deleted'), on('copy', 'changed'), on('copy', 'tagged'), on('copy', 'folder/new')],
      () => merge(fork),
    )
    assert.deepEqual([counts(job), codes(job)], [['succeeded', 5, 4, 1], [['both', 'conflict']]])
    assert.deepEqual([job.merge_plan, job.dest_bucket, job.restorable], [plan, origin.name, true])
    assert.deepEqual(await server.stored(), files, 'no byte was copied')
    const taken = Object.entries(inFork).filter(([key]) => ['changed', 'folder/new', 'tagged'].includes(key))
    const { deleted: _, ...others } = now
    const merged: State = { ...others, ...Object.fromEntries(taken) }
    assert.deepEqual(await stateOf(origin), merged)
    assert.deepEqual(await stateOf(fork), inFork)
    await usageIsRight()

    // What was merged is neither changed by the fork nor by its origin any more.
    assert.deepEqual((await changesOf(fork)).totals, { fork: 0, origin: 1, conflicts: 1, same: 1 })
    assert.deepEqual(counts(await server.records([], () => merge(fork))), ['succeeded', 1, 0, 1])
    const undone = await server.records(
      [on('delete', 'folder/new'), on('restore', 'tagged'), on('restore', 'changed'), on('restore', 'deleted')],
      () => undo(job),
    )
    assert.deepEqual([counts(undone), undone.of], [['succeeded', 4, 4, 0], job.id])
    assert.deepEqual(await stateOf(origin), now)
    await usageIsRight()
    // So it can be merged again.
    assert.deepEqual(counts(await merge(fork)), ['succeeded', 5, 4, 1])
    assert.deepEqual(await stateOf(origin), merged)
  })

  it('decides conflicts as it is told, for one key or for all', async () => {
    const origin = await open()
    const keys = ['a/1.txt', 'a/2.txt', 'a/3', 'a/4.txt', 'gone.txt', 'left.txt']
    for (const key of keys) await origin.put(key, 'first text')
    const fork = await forkOf(origin)
    for (const key of keys) {
      await origin.put(key, 'by the origin')
      if (key === 'gone.txt') await fork.remove(key)
      else await fork.put(key, 'by the fork')
    }
    await origin.remove('left.txt')
    await origin.put(`a/4 (${fork.name}).txt`, 'in the way')
    const decisions = [
      { key: 'a/1.txt', take: 'fork' },
      { key: 'a/2.txt', take: 'origin' },
      { key: 'a/3', take: 'both', dest_key: 'elsewhere/3' },
    ] as const
    const job = await merge(fork, { decisions: [...decisions], on_conflict: 'both' })
    assert.deepEqual(counts(job), ['succeeded', 6, 6, 0])
    assert.deepEqual([job.merge_plan?.beside.objects, job.merge_plan?.kept, job.on_conflict], [2, 2, 'both'])
    assert.deepEqual(await textsOf(origin), {
      'a/1.txt': 'by the fork',
      'a/2.txt': 'by the origin',
      'a/3': 'by the origin',
      'elsewhere/3': 'by the fork',
      'a/4.txt': 'by the origin',
      [`a/4 (${fork.name}).txt`]: 'in the way',
      [`a/4 (${fork.name} 2).txt`]: 'by the fork',
      'gone.txt': 'by the origin',
      'left.txt': 'by the fork',
    })
    // What came beside is not brought again, and what was kept is not asked about again, until the fork changes it.
    const undecided = async () => (await changesOf(fork, { only: 'conflicts' })).items.map(({ key }) => key)
    assert.deepEqual(await undecided(), [])
    assert.deepEqual(counts(await merge(fork)), ['succeeded', 0, 0, 0])
    await fork.put('a/3', 'later by the fork')
    await fork.put('a/2.txt', 'later by the fork')
    assert.deepEqual(codes(await merge(fork)), [
      ['a/2.txt', 'conflict'],
      ['a/3', 'conflict'],
    ])
    // Its undo makes conflicts of all that it decided.
    await undo(job)
    assert.deepEqual(await undecided(), keys)
    assert.equal((await textsOf(origin))['elsewhere/3'], undefined)
    await usageIsRight()
  })

  it('takes what the fork changes after a merge, and leaves what the origin changes after it', async () => {
    const origin = await open()
    for (const key of ['a', 'b', 'c']) await origin.put(key, 'first')
    const fork = await forkOf(origin)
    for (const key of ['a', 'b', 'c']) await fork.put(key, 'second')
    assert.deepEqual(counts(await merge(fork)), ['succeeded', 3, 3, 0])
    await fork.put('a', 'third')
    await origin.put('b', 'by the origin')
    await fork.put('c', 'third')
    await origin.put('c', 'by the origin')
    const job = await merge(fork)
    assert.deepEqual([counts(job), codes(job)], [['succeeded', 2, 1, 1], [['c', 'conflict']]])
    assert.deepEqual(await textsOf(origin), { a: 'third', b: 'by the origin', c: 'by the origin' })
  })

  it('knows what the origin has deleted, also when its history is over', async () => {
    const origin = await open({ trash_days: 0 })
    for (const key of ['kept', 'lost', 'theirs']) await origin.put(key, 'first')
    const fork = await forkOf(origin)
    await origin.remove('lost')
    await origin.remove('theirs')
    await fork.put('lost', 'by the fork')
    await server.admin.updateBucket({ params: origin.params, body: { trash_days: 1 } })
    const { items, totals } = await changesOf(fork)
    assert.deepEqual(totals, { fork: 0, origin: 1, conflicts: 1, same: 0 })
    assert.deepEqual(
      items.map(({ key, origin: side }) => [key, side?.change, side?.moment]),
      [
        ['lost', 'deleted', null],
        ['theirs', 'deleted', null],
      ],
    )
    assert.deepEqual(codes(await merge(fork)), [['lost', 'conflict']])
  })

  it('knows what the fork has deleted of what was merged before, also when its history is over', async () => {
    const origin = await open()
    await origin.put('stays', 'first')
    const fork = await forkOf(origin, { trash_days: 0 })
    await fork.put('new', 'by the fork')
    assert.deepEqual(counts(await merge(fork)), ['succeeded', 1, 1, 0])
    await fork.remove('new')
    server.clock.advance(MINUTE)
    await server.running.tick('trash-expiry')
    const { totals } = await changesOf(fork)
    assert.deepEqual(totals, { fork: 1, origin: 0, conflicts: 0, same: 0 })
    assert.deepEqual(counts(await merge(fork)), ['succeeded', 1, 1, 0])
    assert.deepEqual(await textsOf(origin), { stays: 'first' })
  })

  it('knows what an origin has deleted that never kept any history', async () => {
    const origin = await open({ trash_days: 0 })
    for (const key of ['lost', 'theirs']) await origin.put(key, 'first')
    const fork = await forkOf(origin)
    for (const key of ['lost', 'theirs']) await origin.remove(key)
    await fork.put('lost', 'by the fork')
    const { items, totals } = await changesOf(fork)
    assert.deepEqual(totals, { fork: 0, origin: 1, conflicts: 1, same: 0 })
    assert.deepEqual(
      items.map(({ key, origin: side }) => [key, side?.change]),
      [
        ['lost', 'deleted'],
        ['theirs', 'deleted'],
      ],
    )
  })

  it('leaves what was merged before as it was when a second merge is undone', async () => {
    const origin = await open()
    for (const key of ['a', 'b']) await origin.put(key, 'first')
    const fork = await forkOf(origin)
    for (const key of ['a', 'b']) await fork.put(key, 'second')
    await merge(fork)
    for (const key of ['a', 'b']) await fork.put(key, 'third')
    await origin.put('b', 'by the origin')
    const second = await merge(fork, { on_conflict: 'fork' })
    assert.deepEqual(counts(second), ['succeeded', 2, 2, 0])
    assert.deepEqual(counts(await undo(second)), ['succeeded', 2, 2, 0])
    assert.deepEqual(await textsOf(origin), { a: 'second', b: 'by the origin' })
    assert.deepEqual((await changesOf(fork)).totals, { fork: 1, origin: 0, conflicts: 1, same: 0 })
    assert.deepEqual(codes(await merge(fork)), [['b', 'conflict']])
    assert.deepEqual(await textsOf(origin), { a: 'third', b: 'by the origin' })
  })

  it('compares a fork of a folder with that folder alone', async () => {
    const origin = await open()
    for (const key of ['in/a', 'out/b', 'out/c']) await origin.put(key, 'first')
    const fork = await forkOf(origin, { from: { bucket: origin.name, prefix: 'in/' } })
    await origin.put('out/b', 'second')
    await origin.put('out/new', 'new')
    await origin.put('in/a', 'second')
    const listed = async () => (await changesOf(fork)).items.map(({ key, conflict }) => [key, conflict])
    assert.deepEqual(await listed(), [['in/a', false]])
    // What it adds elsewhere never takes the place of what the origin has there.
    await fork.put('out/c', 'by the fork')
    await fork.put('out/d', 'by the fork')
    assert.deepEqual(await listed(), [
      ['in/a', false],
      ['out/c', true],
      ['out/d', false],
    ])
    assert.deepEqual(codes(await merge(fork)), [['out/c', 'conflict']])
    assert.equal((await textsOf(origin))['out/d'], 'by the fork')
  })

  it('fails where another bucket has the name of the origin or the fork by now', async () => {
    const origin = await open()
    await origin.put('a', 'first')
    const fork = await forkOf(origin)
    await fork.put('a', 'second')
    const queued = await server.admin.createJob({ body: { kind: 'merge', source_bucket: fork.name, dry_run: true } })
    const { db } = server.database
    const { request } = await db
      .selectFrom('jobs')
      .select('request')
      .where('id', '=', queued.id)
      .executeTakeFirstOrThrow()
    await finish(queued)
    // As if it had waited, and the origin had been deleted and made again since.
    await origin.remove('a')
    await server.admin.deleteBucket({ params: origin.params })
    await server.admin.createBucket({ body: { name: origin.name } })
    for (const [asked, detail] of [
      [request, /There is no bucket/],
      // As an earlier release wrote it.
      [JSON.stringify({ ...JSON.parse(request), source_id: undefined, dest_id: undefined }), /was not forked from/],
    ] as const) {
      const waiting = {
        status: 'queued',
        request: asked,
        listed_at: null,
        listed_to: null,
        total: 0,
        position: 0,
      } as const
      await server.database.transaction((tx) =>
        tx
          .updateTable('jobs')
          .set({ ...waiting, plan: null, finished_at: null, runner: null, leased_until: null })
          .where('id', '=', queued.id)
          .execute(),
      )
      await server.running.tick('jobs')
      const job = await finish(queued)
      assert.equal(job.status, 'failed')
      assert.match(job.detail ?? '', detail)
    }
    assert.deepEqual(await origin.list(), [])
  })

  it('does exactly what a dry run has planned, or says what has changed since', async () => {
    const origin = await open()
    for (const key of ['a', 'b']) await origin.put(key, 'first')
    const fork = await forkOf(origin)
    await fork.put('a', 'second')
    const dry = await merge(fork, { dry_run: true })
    await fork.put('b', 'second')
    const other = await server.records([], () => merge(fork, { planned: dry.id }))
    assert.deepEqual([other.status, other.done], ['failed', 0])
    assert.match(other.detail ?? '', /replaced was objects: 1.* and is objects: 2/)
    const again = await merge(fork, { dry_run: true })
    await fork.put('b', 'other!')
    assert.match((await merge(fork, { planned: again.id })).detail ?? '', /of other objects/)
    const last = await merge(fork, { dry_run: true })
    assert.deepEqual(counts(await merge(fork, { planned: last.id })), ['succeeded', 2, 2, 0])
    await server.records([], async () => {
      await rejectsWith(merge(fork, { planned: other.id }), 'conflict', 'body.planned')
      await rejectsWith(merge(fork, { planned: last.id, dry_run: true }), 'invalid_request', 'body.planned')
      await rejectsWith(merge(fork, { kind: 'delete', planned: last.id }), 'invalid_request', 'body.planned')
    })
  })

  it('says nothing of what is the same to those who may not read it', async () => {
    const origin = await open()
    for (const key of ['a', 'b']) await origin.put(key, 'first')
    const fork = await forkOf(origin)
    for (const bucket of [origin, fork]) await bucket.put('a', 'the same')
    await fork.put('b', 'another')
    const visitor = server.as(
      await server.userWith(
        { bucket_pattern: fork.name, actions: ['list', 'read'] },
        { bucket_pattern: origin.name, actions: ['list', 'write'] },
      ),
    )
    const job = await merge(fork, { dry_run: true }, visitor)
    assert.deepEqual(codes(job), [
      ['a', 'forbidden'],
      ['b', 'forbidden'],
    ])
  })

  it('makes new versions where they are kept, leaves locks and ACLs, and deletes nothing that is locked', async () => {
    const origin = await open({ versioning: 'enabled', object_lock: { mode: 'governance', days: 30 } })
    await origin.put('changed', 'first')
    await origin.put('deleted', 'first')
    const fork = await forkOf(origin)
    await fork.put('changed', 'second')
    await fork.remove('deleted')
    const versions = async () => (await server.admin.listVersions({ params: origin.params })).items
    const former = await versions()
    const job = await merge(fork)
    assert.deepEqual(counts(job), ['succeeded', 2, 2, 0])
    assert.deepEqual(await textsOf(origin), { changed: 'second' })
    const after = await versions()
    assert.equal(after.length, former.length + 2)
    for (const { version_id } of former) assert.ok(after.some((one) => one.version_id === version_id))
    const made = after.find((one) => one.key === 'changed' && one.latest)
    assert.ok(made && 'lock' in made && made.lock, 'a new version is locked as the bucket says')
    await undo(job)
    assert.deepEqual(await textsOf(origin), { changed: 'first', deleted: 'first' })
    await usageIsRight()
  })

  it('says before that the quota has no room for it, and then changes nothing', async () => {
    const origin = await open()
    await origin.put('a', 'x'.repeat(1000))
    const fork = await forkOf(origin)
    await fork.remove('a')
    await fork.put('b', 'x'.repeat(5000))
    await server.admin.updateBucket({ params: origin.params, body: { quota_gb: 4000 / 1024 ** 3 } })
    const dry = await merge(fork, { dry_run: true })
    assert.deepEqual([dry.merge_plan?.growth_bytes, dry.merge_plan?.room_bytes], [4000, 3000])
    const job = await server.records([], () => merge(fork))
    assert.deepEqual([job.status, job.done], ['failed', 0])
    assert.match(job.detail ?? '', /left; this needs/)
    assert.deepEqual(Object.keys(await stateOf(origin)), ['a'])
    // What goes makes room for what comes.
    await server.admin.updateBucket({ params: origin.params, body: { quota_gb: 5100 / 1024 ** 3 } })
    assert.deepEqual(counts(await merge(fork)), ['succeeded', 2, 2, 0])
    assert.deepEqual(Object.keys(await stateOf(origin)), ['b'])
    await usageIsRight()
  })

  it('leaves what changes after it was listed', async () => {
    const origin = await open()
    for (const key of ['a', 'b', 'c']) await origin.put(key, 'first')
    const fork = await forkOf(origin)
    for (const key of ['a', 'b', 'c']) await fork.put(key, 'by the fork')
    const job = await server.admin.createJob({ body: { kind: 'merge', source_bucket: fork.name } })
    // As if it had been listed, and waited since.
    await finish(job)
    await undo(job)
    const { db } = server.database
    const moments = async ({ name }: Bucket) =>
      db
        .selectFrom('objects')
        .innerJoin('buckets', 'buckets.id', 'bucket_id')
        .select(['key', 'objects.moment'])
        .where('name', '=', name)
        .orderBy('key')
        .execute()
    const [ofFork, ofOrigin] = [await moments(fork), await moments(origin)]
    // Before it is queued again: the worker that has just undone it may take it at once.
    await origin.put('a', 'meanwhile')
    await fork.put('b', 'meanwhile')
    await server.database.transaction(async (tx) => {
      await tx
        .insertInto('job_items')
        .values(
          ofFork.map(({ key, moment }, i) => ({
            job_id: job.id,
            position: i + 1,
            key,
            blob_id: null,
            last_modified: null,
            version_id: null,
            moment,
            seen: ofOrigin[i]?.moment ?? null,
          })),
        )
        .execute()
      const waiting = { status: 'queued', position: 0, done: 0, total: 3, finished_at: null } as const
      await tx.updateTable('jobs').set(waiting).where('id', '=', job.id).execute()
    })
    await server.running.tick('jobs')
    const after = await finish(job)
    assert.deepEqual(
      [after.done, after.changed, codes(after).sort()],
      [
        1,
        2,
        [
          ['a', 'changed'],
          ['b', 'changed'],
        ],
      ],
    )
    assert.deepEqual(await textsOf(origin), { a: 'meanwhile', b: 'first', c: 'by the fork' })
  })

  it('changes only what its creator may, and shows nothing of an origin to others', async () => {
    const origin = await open()
    for (const key of ['open/a', 'open/b', 'read/c', 'closed/d']) await origin.put(key, 'first')
    const fork = await forkOf(origin)
    for (const key of ['open/a', 'read/c', 'closed/d']) await fork.put(key, 'by the fork')
    await fork.remove('open/b')
    const inFork = { bucket_pattern: fork.name, actions: ['list' as const, 'read' as const] }
    const grants = [
      { bucket_pattern: origin.name, prefix: 'open/', actions: ['list', 'read', 'write'] },
      { bucket_pattern: origin.name, prefix: 'read/', actions: ['list', 'read'] },
    ] as const
    const person = server.as(
      await server.userWith(inFork, ...grants.map((one) => ({ ...one, actions: [...one.actions] }))),
    )
    assert.deepEqual(
      (await person.listForkChanges({ params: fork.params })).items.map(({ key }) => key),
      ['open/a', 'open/b', 'read/c'],
    )
    const job = await server.records([{ action: 'copy', bucket: origin.name, key: 'open/a' }], () =>
      merge(fork, {}, person),
    )
    assert.deepEqual(counts(job), ['succeeded', 4, 1, 3])
    assert.deepEqual(codes(job), [
      ['closed/d', 'forbidden'],
      ['open/b', 'forbidden'],
      ['read/c', 'forbidden'],
    ])
    assert.equal(job.merge_plan?.refused, 3)
    const stranger = server.as(await server.userWith(inFork))
    for (const ask of [
      () => stranger.listForkChanges({ params: fork.params }),
      () => stranger.createJob({ body: { kind: 'merge', source_bucket: fork.name } }),
    ])
      await server.records([{ action: 'access_denied', result: 'denied' }], async () => {
        const problem = await ask().then(
          () => assert.fail('it was allowed'),
          (error: Error) => error,
        )
        assert.match(problem.message, /^403/)
        assert.doesNotMatch(problem.message, new RegExp(`"${origin.name}"`))
      })
  })

  itOnce('refuses what makes no sense', async () => {
    const origin = await open()
    const fork = await forkOf(origin)
    const other = await open()
    const bad: [Body, string][] = [
      [{ to: '2026-01-01T00:00:00Z' }, 'body.to'],
      [{ keys: ['a'] }, 'body.keys'],
      [{ dest_bucket: other.name }, 'body.dest_bucket'],
      [{ decisions: [{ key: 'a', take: 'fork', dest_key: 'b' }] }, 'body.decisions.0.dest_key'],
      [{ decisions: [{ key: 'a', take: 'both', dest_key: 'a' }] }, 'body.decisions.0.dest_key'],
      [
        {
          decisions: [
            { key: 'a', take: 'fork' },
            { key: 'a', take: 'both' },
          ],
        },
        'body.decisions.1.key',
      ],
      [{ kind: 'delete', on_conflict: 'fork' }, 'body.on_conflict'],
    ]
    await server.records([], async () => {
      for (const [body, path] of bad) await rejectsWith(merge(fork, body), 'invalid_request', path)
      await rejectsWith(merge(origin), 'conflict')
      await rejectsWith(changesOf(origin), 'conflict')
    })
    assert.deepEqual(counts(await merge(fork)), ['succeeded', 0, 0, 0])
    await server.admin.deleteBucket({ params: origin.params })
    await server.records([], () => rejectsWith(merge(fork), 'conflict'))
  })

  it('lists changes page by page', async () => {
    const origin = await open()
    for (const key of ['a', 'b', 'c', 'd']) await origin.put(key, 'first')
    const fork = await forkOf(origin)
    for (const key of ['a', 'c']) await fork.put(key, 'by the fork')
    for (const key of ['b', 'd']) await origin.put(key, 'by the origin')
    const seen: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await changesOf(fork, { limit: 1, ...(cursor === undefined ? {} : { cursor }) })
      assert.equal(page.totals !== undefined, cursor === undefined)
      seen.push(...page.items.map(({ key }) => key))
      cursor = page.next_cursor
    }
    assert.deepEqual(seen, ['a', 'b', 'c', 'd'])
  })

  it('takes exactly what a plain three-way merge takes, whatever both have changed', async () => {
    const key = fc.constantFrom('a', 'b', 'c/1', 'c/2')
    const text = fc.constantFrom('x', 'some longer text')
    const side = fc.constantFrom('fork' as const, 'origin' as const)
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('put' as const), side, key, text }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), side, key }) },
      fc.record({ kind: fc.constant('tag' as const), side, key, text: fc.constantFrom('1', '2') }),
      fc.record({
        kind: fc.constant('merge' as const),
        others: fc.constantFrom(undefined, 'fork' as const, 'origin' as const, 'both' as const),
        undone: fc.boolean(),
      }),
    )
    const kept = fc.constantFrom(undefined, 'enabled' as const)
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 14 }), kept, async (steps, versioning) => {
        const origin = await open(versioning ? { versioning } : {})
        for (const one of ['a', 'b', 'c/1']) await origin.put(one, 'at first')
        const fork = await forkOf(origin)
        const model = new Model(await stateOf(origin))
        for (const one of [...steps, { kind: 'merge' as const, others: undefined, undone: false }]) {
          if (one.kind === 'merge') {
            const { after, conflicts, done, kept, commit } = model.merged(one.others, fork.name)
            const job = await merge(fork, one.others === undefined ? {} : { on_conflict: one.others })
            assert.deepEqual([job.status, job.done], ['succeeded', done + kept])
            assert.deepEqual(
              codes(job),
              conflicts.map((name) => [name, 'conflict']),
            )
            assert.deepEqual(await stateOf(origin), after)
            if (one.undone && job.done > 0) {
              assert.deepEqual(counts(await undo(job)), ['succeeded', done, done, 0])
              assert.deepEqual(await stateOf(origin), model.origin, 'undone')
            } else commit()
          } else {
            const bucket = one.side === 'fork' ? fork : origin
            const state = model[one.side]
            if (one.kind === 'put') await bucket.put(one.key, one.text)
            else if (!state[one.key]) continue
            else if (one.kind === 'remove') await bucket.remove(one.key)
            else await bucket.tag(one.key, { t: one.text })
            model.change(one.side, one.key, await stateOf(bucket))
          }
          assert.deepEqual(await stateOf(fork), model.fork)
          await model.assertListed(await changesOf(fork))
        }
        await usageIsRight()
      }),
      { numRuns: RUNS },
    )
  })
})

const alike = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

/** What a fork and its origin are, and what each has changed, as plainly as it can be said. */
class Model {
  readonly base: State
  fork: State
  origin: State
  /** Of keys that were merged: which sides have changed them since, whether they were deleted, and whether both differ since then. */
  readonly #merged = new Map<string, { fork: boolean; origin: boolean; gone: boolean; differ: boolean }>()
  constructor(base: State) {
    this.base = base
    this.fork = { ...base }
    this.origin = { ...base }
  }

  change(side: 'fork' | 'origin', key: string, state: State): void {
    this[side] = state
    const merged = this.#merged.get(key)
    if (merged) merged[side] = true
  }

  #judge(key: string): { fork: boolean; origin: boolean; same: boolean } {
    const same = alike(this.fork[key], this.origin[key])
    const merged = this.#merged.get(key)
    // What was deleted then, and is not there, is what it was.
    const isAsMerged = (side: 'fork' | 'origin') => merged?.gone && !this[side][key]
    if (merged)
      return {
        fork: merged.fork && !isAsMerged('fork'),
        origin: merged.differ || (merged.origin && !isAsMerged('origin')),
        same,
      }
    return {
      fork: !alike(this.fork[key], this.base[key]),
      origin: !alike(this.origin[key], this.base[key]),
      same,
    }
  }

  get #keys(): string[] {
    const known = [this.base, this.fork, this.origin].flatMap((state) => Object.keys(state))
    return [...new Set([...known, ...this.#merged.keys()])].sort()
  }

  /** What the origin becomes, and what nobody decided. */
  merged(others: Side | undefined, fork: string) {
    const after = { ...this.origin }
    const conflicts: string[] = []
    const taken = new Map<string, boolean>()
    const kept: string[] = []
    for (const key of this.#keys) {
      const { fork: byFork, origin: byOrigin, same } = this.#judge(key)
      if (!byFork || same) continue
      const take = byOrigin ? others : 'fork'
      const mine = this.fork[key]
      if (take === undefined) conflicts.push(key)
      else if (take === 'both' && mine && this.origin[key]) {
        let name = ''
        for (let n = 1; name === '' || after[name] || this.origin[name]; n++)
          name = `${key} (${fork}${n === 1 ? '' : ` ${n}`})`
        after[name] = mine
        taken.set(key, true)
      } else if (take === 'fork' || (take === 'both' && mine)) {
        if (mine) after[key] = mine
        else delete after[key]
        taken.set(key, false)
      } else kept.push(key)
    }
    const commit = () => {
      this.origin = after
      for (const [key, differ] of [...taken, ...kept.map((key) => [key, true] as const)])
        this.#merged.set(key, { fork: false, origin: false, gone: !this.fork[key], differ })
    }
    return { after, conflicts, done: taken.size, kept: kept.length, commit }
  }

  async assertListed({ items }: Awaited<ReturnType<Client['listForkChanges']>>): Promise<void> {
    const expected = this.#keys.flatMap((key) => {
      const { fork, origin, same } = this.#judge(key)
      return fork || origin ? [[key, fork, origin, fork && origin && !same]] : []
    })
    assert.deepEqual(
      items.map((one) => [one.key, one.fork !== null, one.origin !== null, one.conflict]),
      expected,
    )
  }
}
