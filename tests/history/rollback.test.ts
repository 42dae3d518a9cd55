// Buckets that are made what they were.
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import fc from 'fast-check'
import type { Client } from '../../client/derived.ts'
import type { Job } from '../../contract/jobs.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { codes, counts, finished } from './jobs.ts'
import { type Bucket, momentsWorld, type State } from './world.ts'

const MINUTE = 60_000
const DAY = 86_400_000
/** More in a soak: MODEL_RUNS=3000. */
const RUNS = Number(process.env.MODEL_RUNS ?? 12)
type Body = Partial<Parameters<Client['createJob']>[0]['body']>

describeEngines('rollback', (engine, itOnce) => {
  const world = momentsWorld(engine)
  const { open, stateOf } = world
  let server: TestServer
  before(() => {
    server = world.server
  })
  const finish = (job: Job, client: Client = server.admin) => finished(client, job)
  const back = async (bucket: Bucket, body: Body, client: Client = server.admin) =>
    finish(await client.createJob({ body: { kind: 'rollback', source_bucket: bucket.name, ...body } }), client)
  const undo = async ({ id }: Job, client: Client = server.admin) =>
    finish(await client.createJob({ body: { kind: 'restore', of: id } }), client)
  /** Asserts that what is counted is what is there. */
  async function assertExact(bucket: Bucket) {
    const { id } = await server.database.db
      .selectFrom('buckets')
      .select('id')
      .where('name', '=', bucket.name)
      .executeTakeFirstOrThrow()
    const sizesOf = async (table: 'objects' | 'versions' | 'trash') =>
      (await server.database.db.selectFrom(table).select('size').where('bucket_id', '=', id).execute()).map(
        ({ size }) => size,
      )
    const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0)
    const [objects, versions, trash] = [await sizesOf('objects'), await sizesOf('versions'), await sizesOf('trash')]
    const counted = await server.admin.getBucket({ params: bucket.params })
    assert.deepEqual(
      [counted.used_bytes, counted.object_count, counted.trash_bytes, counted.reserved_bytes],
      [sum(objects) + sum(versions), objects.length, sum(trash), 0],
    )
  }
  const tokenOf = async (name: string) => {
    const { id, token } = await server.admin.createToken({ body: { name } })
    server.secrets.add(token)
    return { id, client: server.as(token) }
  }

  it('makes a bucket what it was, as planned, and its undo makes it what it was before that', async () => {
    const bucket = await open()
    await bucket.put('changed', 'first')
    await bucket.put('deleted', 'was deleted')
    await bucket.put('folder/moved', 'moved')
    await bucket.put('same', 'stays')
    const to = (await bucket.put('tagged', 'text', 'project=apollo')) ?? assert.fail()
    const then = await stateOf(bucket)
    server.clock.advance(MINUTE)
    await bucket.put('changed', 'the second text')
    await bucket.remove('deleted')
    await bucket.move('folder/moved', 'elsewhere')
    await bucket.tag('tagged', { project: 'gemini' })
    await bucket.put('new', 'new')
    await bucket.put('same', 'other')
    await bucket.put('same', 'stays')
    const now = await stateOf(bucket)
    const plan = {
      restored: { objects: 2, bytes: 16 },
      replaced: { objects: 2, bytes_before: 19, bytes_after: 9 },
      deleted: { objects: 2, bytes: 8 },
      erased: 0,
      by_others: 0,
      refused: 0,
      links: 0,
      growth_bytes: 16 - 10 - 8,
      room_bytes: null,
    }
    const dry = await server.records([], () => back(bucket, { to, dry_run: true }))
    assert.deepEqual([counts(dry), dry.plan, dry.dry_run, dry.restorable], [['succeeded', 6, 0, 0], plan, true, false])
    assert.deepEqual(await stateOf(bucket), now)
    await rejectsWith(undo(dry), 'nothing_to_restore')
    const on = (action: 'restore' | 'delete', key: string) => ({ action, bucket: bucket.name, key })
    const files = server.files()
    const job = await server.records(
      [
        on('delete', 'elsewhere'),
        on('delete', 'new'),
        on('restore', 'tagged'),
        on('restore', 'changed'),
        on('restore', 'deleted'),
        on('restore', 'folder/moved'),
      ],
      () => back(bucket, { to }),
    )
    assert.deepEqual([counts(job), job.plan, job.to, job.restorable], [['succeeded', 6, 6, 0], plan, to, true])
    assert.deepEqual(await stateOf(bucket), then)
    assert.deepEqual(server.files(), files, 'no byte was copied')
    await assertExact(bucket)
    const { items } = await server.admin.listAudit({ query: { action: ['restore'], bucket: bucket.name } })
    const changed = items.find(({ object_key }) => object_key === 'changed') ?? assert.fail()
    const { replaced_trash_id, ...details } = changed.details as { replaced_trash_id?: string }
    assert.deepEqual(details, { size: 5, to, replaced: true, job_id: job.id })
    assert.ok((await bucket.trash()).some(({ id }) => id === replaced_trash_id))
    // Once more it has nothing to do.
    assert.deepEqual(counts(await server.records([], () => back(bucket, { to }))), ['succeeded', 0, 0, 0])
    // What others change since stays.
    await bucket.put('deleted', 'written since')
    const undone = await server.records(
      [
        on('delete', 'folder/moved'),
        on('restore', 'tagged'),
        on('restore', 'changed'),
        on('restore', 'elsewhere'),
        on('restore', 'new'),
      ],
      () => undo(job),
    )
    assert.deepEqual([counts(undone), undone.kind, undone.of], [['succeeded', 5, 5, 0], 'restore', job.id])
    assert.deepEqual(await stateOf(bucket), { ...now, deleted: { text: 'written since', tags: {} } })
    await assertExact(bucket)
  })

  it('goes back within a folder, and keeps what is new if asked', async () => {
    const bucket = await open()
    await bucket.put('a/1', 'first')
    const to = (await bucket.put('b/1', 'first')) ?? assert.fail()
    await bucket.put('a/1', 'second')
    await bucket.put('a/new', 'new')
    await bucket.put('b/1', 'second')
    const job = await server.records([{ action: 'restore', bucket: bucket.name, key: 'a/1' }], () =>
      back(bucket, { to, prefix: 'a/', keep_new: true }),
    )
    assert.deepEqual([counts(job), job.keep_new, job.prefix], [['succeeded', 1, 1, 0], true, 'a/'])
    const texts = Object.entries(await stateOf(bucket)).map(([key, { text }]) => [key, text])
    assert.deepEqual(texts, [
      ['a/1', 'first'],
      ['a/new', 'new'],
      ['b/1', 'second'],
    ])
  })

  it('takes back only what one token has changed, and names what others changed as well', async () => {
    const bucket = await open()
    for (const key of ['alone', 'both', 'others', 'lost']) await bucket.put(key, 'first')
    const to = (await bucket.put('untouched', 'first')) ?? assert.fail()
    const { id, client } = await tokenOf('stolen')
    const put = (key: string) => client.putObject({ params: { ...bucket.params, key }, body: 'by the thief' })
    await put('alone')
    await put('both')
    await put('planted')
    await client.deleteObject({ params: { ...bucket.params, key: 'lost' } })
    await bucket.put('both', 'later')
    await bucket.put('others', 'later')
    const dry = await server.records([], () => back(bucket, { to, by: { token: id }, dry_run: true }))
    assert.deepEqual([dry.plan?.by_others, codes(dry), dry.by], [1, [['both', 'conflict']], { token: id }])
    const on = (action: 'restore' | 'delete', key: string) => ({ action, bucket: bucket.name, key })
    const job = await server.records([on('delete', 'planted'), on('restore', 'alone'), on('restore', 'lost')], () =>
      back(bucket, { to, by: { token: id } }),
    )
    assert.deepEqual([counts(job), codes(job)], [['succeeded', 4, 3, 1], [['both', 'conflict']]])
    const texts = Object.entries(await stateOf(bucket)).map(([key, { text }]) => [key, text])
    assert.deepEqual(texts, [
      ['alone', 'first'],
      ['both', 'later'],
      ['lost', 'first'],
      ['others', 'later'],
      ['untouched', 'first'],
    ])
    const me = await server.admin.me()
    assert.equal((await back(bucket, { to, by: { user: me.id }, dry_run: true })).total, 2, 'all of them are hers')
    assert.equal((await back(bucket, { to, by: { share: id }, dry_run: true })).total, 0)
  })

  it('changes only what its creator may, and shows nothing else', async () => {
    const bucket = await open()
    for (const key of ['open/a', 'open/read-only/b', 'closed/c']) await bucket.put(key, 'first')
    const to = (await bucket.put('open/d', 'first')) ?? assert.fail()
    for (const key of ['open/a', 'open/read-only/b', 'closed/c', 'open/d', 'open/new']) await bucket.put(key, 'later')
    const grants = [
      { bucket_pattern: bucket.name, prefix: 'open/', actions: ['list', 'read'] },
      { bucket_pattern: bucket.name, prefix: 'open/a', actions: ['write'] },
      { bucket_pattern: bucket.name, prefix: 'open/d', actions: ['write'] },
      { bucket_pattern: bucket.name, prefix: 'open/n', actions: ['write'] },
    ] as const
    const person = server.as(await server.userWith(...grants.map((one) => ({ ...one, actions: [...one.actions] }))))
    const on = (key: string) => ({ action: 'restore', bucket: bucket.name, key }) as const
    const job = await server.records([on('open/a'), on('open/d')], () => back(bucket, { to }, person))
    assert.deepEqual(counts(job), ['succeeded', 4, 2, 2])
    assert.deepEqual(codes(job), [
      ['open/new', 'forbidden'],
      ['open/read-only/b', 'forbidden'],
    ])
    assert.equal(job.plan?.refused, 2)
    assert.equal(await bucket.text('closed/c'), 'later')
    const stranger = server.as(await server.userWith({ bucket_pattern: bucket.name, actions: ['list', 'read'] }))
    await server.records([{ action: 'access_denied', result: 'denied' }], () =>
      rejectsWith(back(bucket, { to }, stranger), 'forbidden'),
    )
  })

  it('says before that the quota has no room for it, and then changes nothing', async () => {
    const bucket = await open()
    const large = 'x'.repeat(3000)
    await bucket.put('a', large)
    const to = (await bucket.put('b', large)) ?? assert.fail()
    await bucket.remove('a')
    await bucket.put('b', 'small')
    await server.admin.updateBucket({ params: bucket.params, body: { quota_gb: 4000 / 1024 ** 3 } })
    const now = await stateOf(bucket)
    const dry = await back(bucket, { to, dry_run: true })
    assert.deepEqual([dry.plan?.growth_bytes, dry.plan?.room_bytes], [5995, 3995])
    const job = await server.records([], () => back(bucket, { to }))
    assert.deepEqual([job.status, job.done], ['failed', 0])
    assert.match(job.detail ?? '', /has 3\.9 KB left; this needs 5\.9 KB/)
    assert.deepEqual(await stateOf(bucket), now)
    // What goes makes room for what comes.
    await server.admin.updateBucket({ params: bucket.params, body: { quota_gb: null } })
    await bucket.put('new', 'x'.repeat(9000))
    await server.admin.updateBucket({ params: bucket.params, body: { quota_gb: 9005 / 1024 ** 3 } })
    assert.deepEqual(counts(await back(bucket, { to })), ['succeeded', 3, 3, 0])
    assert.deepEqual(Object.keys(await stateOf(bucket)), ['a', 'b'])
    await assertExact(bucket)
  })

  it('names what was purged since, and leaves it as it is', async () => {
    const bucket = await open()
    await bucket.put('gone', 'a text that is purged')
    const to = (await bucket.put('kept', 'first text of it')) ?? assert.fail()
    await bucket.put('gone', 'newer')
    await server.admin.purgeTrash({ params: bucket.params, body: { all: true } })
    await bucket.put('kept', 'newer')
    const dry = await back(bucket, { to, dry_run: true })
    assert.deepEqual([dry.plan?.erased, dry.plan?.replaced.objects, codes(dry)], [1, 1, [['gone', 'erased']]])
    const job = await server.records([{ action: 'restore', bucket: bucket.name, key: 'kept' }], () =>
      back(bucket, { to }),
    )
    assert.deepEqual([counts(job), codes(job)], [['succeeded', 2, 1, 1], [['gone', 'erased']]])
    assert.deepEqual([await bucket.text('gone'), await bucket.text('kept')], ['newer', 'first text of it'])
  })

  it('makes new versions where they are kept, and removes none, locked or not', async () => {
    const bucket = await open({ versioning: 'enabled', object_lock: { mode: 'governance', days: 30 } })
    await bucket.put('changed', 'first')
    const to = (await bucket.put('deleted', 'deleted')) ?? assert.fail()
    await bucket.put('changed', 'second')
    await bucket.remove('deleted')
    await bucket.put('new', 'new')
    const versions = async () => (await server.admin.listVersions({ params: bucket.params })).items
    const former = await versions()
    const job = await back(bucket, { to })
    assert.deepEqual(counts(job), ['succeeded', 3, 3, 0])
    assert.deepEqual(
      Object.entries(await stateOf(bucket)).map(([key, { text }]) => [key, text]),
      [
        ['changed', 'first'],
        ['deleted', 'deleted'],
      ],
    )
    const after = await versions()
    assert.equal(after.length, former.length + 3)
    for (const { version_id } of former) assert.ok(after.some((one) => one.version_id === version_id))
    for (const one of after.filter(({ version_id }) => !former.some((old) => old.version_id === version_id)))
      assert.equal(one.key === 'new', !('lock' in one && one.lock), 'a new version is locked as the bucket says')
    assert.deepEqual(await bucket.trash(), [])
    await undo(job)
    assert.deepEqual(Object.keys(await stateOf(bucket)), ['changed', 'new'])
    assert.equal((await versions()).length, former.length + 6)
    await assertExact(bucket)
  })

  it('knows nothing of a time when a bucket kept neither a trash nor versions', async () => {
    const bucket = await open({ trash_days: 0 })
    const first = (await bucket.put('a', 'first')) ?? assert.fail()
    server.clock.advance(MINUTE)
    await bucket.put('a', 'second')
    await rejectsWith(back(bucket, { to: first }), 'conflict', 'body.source_bucket')
    await rejectsWith(bucket.list(first), 'invalid_request', 'query.at')
    await server.admin.updateBucket({ params: bucket.params, body: { trash_days: 7 } })
    await rejectsWith(back(bucket, { to: first }), 'invalid_request', 'body.to')
    server.clock.advance(MINUTE)
    const to = (await bucket.put('b', 'b')) ?? assert.fail()
    server.clock.advance(MINUTE)
    await bucket.remove('a')
    assert.deepEqual(counts(await back(bucket, { to })), ['succeeded', 1, 1, 0])
    assert.deepEqual(Object.keys(await stateOf(bucket)), ['a', 'b'])
  })

  it('goes back to a snapshot that is older than all else that is known', async () => {
    const bucket = await open({ trash_days: 1 })
    await bucket.put('a', 'first')
    await bucket.put('b', 'b')
    server.clock.advance(MINUTE)
    await server.admin.createSnapshot({ params: bucket.params, body: { name: 'gold' } })
    server.clock.advance(MINUTE)
    for (const text of ['second', 'third']) {
      await bucket.put('a', text)
      server.clock.advance(MINUTE)
    }
    await bucket.remove('b')
    await server.later(3 * DAY)
    for (let i = 0; i < 3; i++) await server.running.tick('trash-expiry')
    const { moment } = await server.admin.getSnapshot({ params: { ...bucket.params, name: 'gold' } })
    await rejectsWith(bucket.list(new Date(Date.parse(moment) + 90_000).toISOString()), 'invalid_request', 'query.at')
    const job = await back(bucket, { to: 'gold' })
    assert.deepEqual(counts(job), ['succeeded', 2, 2, 0])
    const texts = Object.entries(await stateOf(bucket)).map(([key, { text }]) => [key, text])
    assert.deepEqual(texts, [
      ['a', 'first'],
      ['b', 'b'],
    ])
    assert.equal((await server.admin.getJob({ params: { id: job.id } })).restorable, true)
    await undo(job)
    assert.deepEqual(await stateOf(bucket), { a: { text: 'third', tags: {} } })
  })

  it('deletes nothing because of what is forgotten while it waits', async () => {
    const bucket = await open({ trash_days: 2 })
    const to = (await bucket.put('a', 'first')) ?? assert.fail()
    server.clock.advance(MINUTE)
    await bucket.put('a', 'second')
    const dry = await back(bucket, { to, dry_run: true })
    assert.equal(dry.total, 1)
    await server.later(3 * DAY)
    await server.running.tick('trash-expiry')
    // As if it had waited until now.
    const { request } = await server.database.db
      .selectFrom('jobs')
      .select('request')
      .where('id', '=', dry.id)
      .executeTakeFirstOrThrow()
    const waiting = { status: 'queued', listed_to: null, listed_at: null, total: 0, position: 0, plan: null } as const
    await server.database.transaction((tx) =>
      tx
        .updateTable('jobs')
        .set({ ...waiting, finished_at: null, request: request.replace('"dry_run":true', '"dry_run":false') })
        .where('id', '=', dry.id)
        .execute(),
    )
    await server.running.tick('jobs')
    const job = await finish(dry)
    assert.deepEqual([counts(job), codes(job)], [['succeeded', 1, 0, 1], [['a', 'erased']]])
    assert.equal(await bucket.text('a'), 'second')
  })

  itOnce('refuses what makes no sense', async () => {
    const bucket = await open()
    const to = (await bucket.put('a', 'first')) ?? assert.fail()
    const id = '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10'
    const bad: [Body, string][] = [
      [{}, 'body.to'],
      [{ to: '2999-01-01T00:00:00Z' }, 'body.to'],
      [{ to: '1999-01-01T00:00:00Z' }, 'body.to'],
      [{ to, by: {} }, 'body.by'],
      [{ to, by: { user: id, token: id } }, 'body.by'],
      [{ to, keys: ['a'] }, 'body.keys'],
      [{ to, dest_prefix: 'b/' }, 'body.dest_prefix'],
      [{ kind: 'delete', to }, 'body.to'],
    ]
    await server.records([], async () => {
      for (const [body, path] of bad) await rejectsWith(back(bucket, body), 'invalid_request', path)
    })
  })

  it('makes now what any remembered moment was, and its undo what was before, whatever happened', async () => {
    const key = fc.constantFrom('a', 'b', 'c/1', 'c/2', 'd')
    const step = fc.oneof(
      fc.record({ kind: fc.constant('put' as const), key, text: fc.constantFrom('x', 'some longer text', 'y') }),
      fc.record({ kind: fc.constant('remove' as const), key }),
      fc.record({ kind: fc.constant('move' as const), key, to: key }),
      fc.record({ kind: fc.constant('tag' as const), key, text: fc.constantFrom('1', '2') }),
      fc.record({ kind: fc.constant('restore' as const), nth: fc.nat(3) }),
      fc.record({ kind: fc.constant('back' as const), nth: fc.nat(20), undone: fc.boolean() }),
    )
    const kept = fc.constantFrom(undefined, 'enabled' as const)
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), kept, async (steps, versioning) => {
        const bucket = await open(versioning ? { versioning } : {})
        let now: State = {}
        const remembered: [string, State][] = []
        for (const one of steps) {
          let moment: string | null = null
          if (one.kind === 'put') moment = await bucket.put(one.key, one.text)
          else if (one.kind === 'restore') {
            const item = (await bucket.trash())[one.nth]
            if (item) moment = await bucket.restore([item.id])
          } else if (one.kind === 'back') {
            const [to, then] = remembered[one.nth % Math.max(1, remembered.length)] ?? []
            if (to === undefined || then === undefined) continue
            const job = await back(bucket, { to })
            assert.equal(job.failed, 0)
            assert.deepEqual(await stateOf(bucket), then, `back to ${to}`)
            if (one.undone && job.done > 0) {
              const undone = await undo(job)
              assert.deepEqual(counts(undone), ['succeeded', job.done, job.done, 0])
              assert.deepEqual(await stateOf(bucket), now, 'undone')
            } else now = then
            await assertExact(bucket)
            continue
          } else if (now[one.key] && !(one.kind === 'move' && one.to === one.key)) {
            if (one.kind === 'remove') moment = await bucket.remove(one.key)
            else if (one.kind === 'tag') moment = await bucket.tag(one.key, { t: one.text })
            else moment = await bucket.move(one.key, one.to)
          }
          if (moment === null) continue
          now = await stateOf(bucket)
          remembered.push([moment, now])
          assert.deepEqual(await stateOf(bucket, moment), now)
        }
        for (const [moment, state] of remembered) assert.deepEqual(await stateOf(bucket, moment), state, moment)
        for (const [from, earlier] of remembered) {
          const found = await server.admin.listChanges({ params: bucket.params, query: { from } })
          const differ = [...new Set([...Object.keys(earlier), ...Object.keys(now)])].filter(
            (one) => JSON.stringify(earlier[one]) !== JSON.stringify(now[one]),
          )
          const said = new Set(found.items.map((one) => one.key))
          for (const one of differ) assert.ok(said.has(one), `${one} since ${from}`)
          // Where versions are kept, the same contents are another version.
          if (!versioning) assert.deepEqual([...said].sort(), differ.sort())
        }
      }),
      { numRuns: RUNS },
    )
  })
})
