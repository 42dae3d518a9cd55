// How much snapshots alone may keep of a bucket, and that its quota can include that.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { PutObjectCommand, type S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { ProblemError } from '../../client/derived.ts'
import { compareUsage } from '../../server/storage/buckets/compare.ts'
import { outcome, startS3 } from '../s3/s3.ts'
import { rejectsWith } from '../support/problems.ts'
import { repeats } from '../support/repeats.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { withTwin } from '../support/twin.ts'
import { finished } from './jobs.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** So many bytes, as quotas are given. */
const gb = (bytes: number) => bytes / 1024 ** 3

describeEngines('what snapshots may keep', (engine, itOnce) => {
  let server: TestServer
  let s3Client: (config: S3ClientConfig) => S3Client
  let buckets = 0
  before(async () => {
    const started = await startS3(engine)
    server = started.server
    s3Client = (config) => started.world.clientOf(started.pair, config)
  })
  after(() => server.stop())

  const open = async (body: object = {}) => {
    const name = `limited-${++buckets}`
    await server.admin.createBucket({ body: { name, ...body } })
    const params = { bucket: name }
    return {
      name,
      params,
      put: (key: string, bytes: number) =>
        server.admin.putObject({ params: { ...params, key }, body: key.repeat(bytes).slice(0, bytes) }),
      remove: (key: string) => server.admin.deleteObject({ params: { ...params, key } }),
      snapshot: (named: string) => server.admin.createSnapshot({ params, body: { name: named } }),
      end: (named: string) => server.admin.deleteSnapshot({ params: { ...params, name: named } }),
      set: (change: object) => server.admin.updateBucket({ params, body: change }),
      about: () => server.admin.getBucket({ params }),
    }
  }
  type Bucket = Awaited<ReturnType<typeof open>>
  /** Everything that deletes by age, until nothing is left for it to do. */
  const expire = async (ms: number) => {
    await server.later(ms)
    for (const worker of ['trash-expiry', 'snapshot-expiry']) await server.running.tick(worker)
    await server.later(25 * HOUR)
    await server.running.tick('blob-collector')
  }
  const usageIsRight = async () => {
    for (const { held, counted } of await compareUsage(server.database.db)) assert.deepEqual(counted, held)
  }
  /** What of a bucket snapshots alone keep, by a plain count of rows; `trash`: or will, once the trash lets go of it. */
  async function recount({ name }: Bucket, { trash }: { trash: boolean }): Promise<number> {
    const { db } = server.database
    const { id } = await db.selectFrom('buckets').select('id').where('name', '=', name).executeTakeFirstOrThrow()
    const snapshots = await db.selectFrom('snapshots').select('moment').where('bucket_id', '=', id).execute()
    const former = await db.selectFrom('former_objects').selectAll().where('bucket_id', '=', id).execute()
    const blobs = new Set((await db.selectFrom('blobs').select('id').execute()).map((blob) => blob.id))
    const pointed = new Set<string | null>()
    for (const table of ['objects', 'versions', ...(trash ? [] : (['trash'] as const))] as const)
      for (const row of await db.selectFrom(table).select('blob_id').execute()) pointed.add(row.blob_id)
    const kept = new Map<string, number>()
    for (const { blob_id, size, moment, ended } of former)
      if (snapshots.some((one) => Number(one.moment) >= Number(moment) && Number(one.moment) < Number(ended)))
        if (blobs.has(blob_id) && !pointed.has(blob_id)) kept.set(blob_id, Number(size))
    return [...kept.values()].reduce((sum, size) => sum + size, 0)
  }

  it('takes no more of them once they keep more than the limit, and refuses nothing else', async () => {
    const bucket = await open({ trash_days: 0, history_quota_gb: gb(20) })
    await bucket.put('a', 14)
    await bucket.put('b', 13)
    await bucket.snapshot('one')
    await bucket.remove('a')
    await expire(0)
    assert.deepEqual([(await bucket.about()).history_bytes, (await bucket.about()).history_quota_gb], [14, gb(20)])
    await bucket.snapshot('two')
    await server.records([{ action: 'delete', bucket: bucket.name, key: 'b' }], () => bucket.remove('b'))
    await expire(0)
    assert.equal((await bucket.about()).history_bytes, 27)
    const refused = await server.records([], () => rejectsWith(bucket.snapshot('three'), 'quota_exceeded'))
    assert.equal(
      refused.problem.detail,
      `Snapshots alone keep 27 bytes of bucket "${bucket.name}"; its limit is 20 bytes. Delete some of them, or raise the limit.`,
    )
    await bucket.put('a', 5000)
    await bucket.put('a', 4000)
    await bucket.remove('a')
    assert.deepEqual(
      (await server.admin.listSnapshots({ params: bucket.params })).items.map(({ name }) => name),
      ['two', 'one'],
      'none has ended for it',
    )
    // `b` is in both, and `a` in the first alone.
    await bucket.end('one')
    await expire(0)
    assert.equal((await bucket.about()).history_bytes, 13)
    await bucket.snapshot('three')
    await usageIsRight()
  })

  it('says who changed the limit, and from what to what', async () => {
    const bucket = await open({ history_quota_gb: 2, quota_includes_history: true })
    const details = async () => {
      const { items } = await server.admin.listAudit({ query: { bucket: bucket.name, page_size: 1 } })
      return items[0]?.details
    }
    const { trash_days } = await bucket.about()
    const created = { quota_gb: null, trash_days, history_quota_gb: 2, quota_includes_history: true }
    assert.deepEqual(await details(), created)
    await server.records([{ action: 'update_bucket', bucket: bucket.name }], () =>
      bucket.set({ history_quota_gb: null, quota_includes_history: false }),
    )
    assert.deepEqual(await details(), {
      before: created,
      after: { ...created, history_quota_gb: null, quota_includes_history: false },
    })
    await bucket.set({ trash_days: 3 })
    assert.deepEqual(await details(), {
      before: { quota_gb: null, trash_days },
      after: { quota_gb: null, trash_days: 3 },
    })
  })

  it('counts what the trash will leave to snapshots, once, and nothing else of it', async () => {
    const bucket = await open({ trash_days: 7, history_quota_gb: gb(20) })
    await bucket.put('a', 15)
    await server.admin.copyObject({
      params: bucket.params,
      body: { source_bucket: bucket.name, source_key: 'a', dest_key: 'b' },
    })
    await bucket.put('kept', 100)
    await bucket.snapshot('one')
    await bucket.put('a', 3000)
    await bucket.put('a', 3000)
    await bucket.remove('b')
    assert.equal((await bucket.about()).history_bytes, 0)
    await bucket.snapshot('two')
    await bucket.set({ history_quota_gb: gb(14) })
    const refused = await rejectsWith(bucket.snapshot('three'), 'quota_exceeded')
    assert.match(
      refused.problem.detail ?? '',
      /alone keep 0 bytes .*, and will keep 15 bytes more that is in its trash; its limit is 14 bytes/,
    )
    // As if it had never been gone.
    const { items } = await server.admin.listTrash({ params: bucket.params })
    const item = items.find(({ key }) => key === 'b') ?? assert.fail()
    await server.admin.restoreTrash({ params: bucket.params, body: { ids: [item.id] } })
    await bucket.snapshot('three')
    await bucket.remove('b')
    await expire(30 * DAY)
    assert.equal((await bucket.about()).history_bytes, 15)
    await rejectsWith(bucket.snapshot('four'), 'quota_exceeded')
    await usageIsRight()
  })

  it('has a policy say so of a bucket, and take those of others', async () => {
    const [full, free] = [await open({ trash_days: 0, history_quota_gb: gb(5) }), await open()]
    await full.put('a', 14)
    await full.snapshot('one')
    await full.remove('a')
    await expire(0)
    const { id } = await server.admin.createPolicy({
      body: { name: 'daily', bucket_patterns: [full.name, free.name], keep_snapshots: 1 },
    })
    const ran = await server.records([{ action: 'snapshot_create', bucket: free.name }, { action: 'policy_run' }], () =>
      server.admin.runPolicy({ params: { id }, query: {} }),
    )
    assert.deepEqual(
      [ran.status, ran.kept, ran.errors.map(({ bucket, code }) => [bucket, code])],
      ['succeeded', 1, [[full.name, 'quota_exceeded']]],
    )
    await server.admin.deletePolicy({ params: { id } })
  })

  it('takes room of a quota that includes it, for whatever adds bytes, and through any door', async () => {
    const bucket = await open({ trash_days: 0, quota_gb: gb(100), quota_includes_history: true })
    await bucket.put('a', 60)
    await bucket.snapshot('one')
    await bucket.remove('a')
    await expire(0)
    const { used_bytes, history_bytes } = await bucket.about()
    assert.deepEqual([used_bytes, history_bytes], [0, 60])
    const s3 = s3Client({ systemClockOffset: server.clock.now().getTime() - Date.now() })
    const s3Put = (key: string, bytes: number) =>
      outcome(s3.send(new PutObjectCommand({ Bucket: bucket.name, Key: key, Body: 'x'.repeat(bytes) })))
    const other = await open()
    await other.put('large', 41)
    await other.put('small', 30)
    const copy = { source_bucket: other.name, source_key: 'large' }
    await server.records([], async () => {
      await rejectsWith(bucket.put('b', 41), 'quota_exceeded')
      assert.equal(await s3Put('b', 41), 'QuotaExceeded')
      await rejectsWith(server.admin.copyObject({ params: bucket.params, body: copy }), 'quota_exceeded')
      await rejectsWith(server.admin.moveObject({ params: bucket.params, body: copy }), 'quota_exceeded')
      await rejectsWith(
        server.admin.initUpload({ params: bucket.params, body: { key: 'b', file_size: 41 } }),
        'quota_exceeded',
      )
    })
    const job = await finished(
      server.admin,
      await server.admin.createJob({
        body: { kind: 'copy', source_bucket: other.name, prefix: '', dest_bucket: bucket.name },
      }),
    )
    assert.deepEqual([job.done, job.errors.map(({ key, code }) => [key, code])], [1, [['large', 'quota_exceeded']]])
    assert.equal(await s3Put('b', 10), 'ok')
    await rejectsWith(bucket.put('c', 1), 'quota_exceeded')
    await bucket.put('b', 10)
    await bucket.set({ quota_includes_history: false })
    await bucket.put('c', 1)
    await bucket.set({ quota_includes_history: true })
    // Above the quota nothing is added, and none is taken; what is there can go.
    await rejectsWith(bucket.put('d', 1), 'quota_exceeded')
    const refused = await server.records([], () => rejectsWith(bucket.snapshot('two'), 'quota_exceeded'))
    assert.match(refused.problem.detail ?? '', /is 1 byte over its quota: no more are taken/)
    await bucket.remove('c')
    await bucket.snapshot('two')
    await usageIsRight()
  })

  it('lets exactly what fits beside it into the quota, over several processes', async () => {
    const { twin, clients } = await withTwin(server, engine)
    try {
      const bucket = await open({ trash_days: 0, quota_gb: gb(100), quota_includes_history: true })
      await bucket.put('a', 65)
      await bucket.snapshot('one')
      await bucket.remove('a')
      await expire(0)
      const calls = Array.from({ length: 20 }, (_, i) =>
        (clients[i % clients.length] ?? server.admin)
          .putObject({ params: { ...bucket.params, key: `k${i}` }, body: '0123456789' })
          .then(
            () => 'ok',
            (error: unknown) => (error instanceof ProblemError ? error.problem.code : String(error)),
          ),
      )
      const ended = await Promise.all(calls)
      assert.deepEqual(ended.sort(), [...Array(3).fill('ok'), ...Array(17).fill('quota_exceeded')])
      assert.equal((await bucket.about()).used_bytes, 30)
    } finally {
      await twin?.stop()
    }
  })

  it('can be gone back to, however full of it the bucket is, and the dry run says so', async () => {
    const bucket = await open({ trash_days: 1, quota_gb: gb(130), quota_includes_history: true })
    await bucket.put('a', 60)
    await server.admin.copyObject({
      params: bucket.params,
      body: { source_bucket: bucket.name, source_key: 'a', dest_key: 'twin' },
    })
    await bucket.snapshot('s')
    await bucket.remove('a')
    await bucket.remove('twin')
    await expire(2 * DAY)
    assert.equal((await bucket.about()).history_bytes, 60, 'two keys had the same contents')
    await bucket.put('new', 5)
    const request = { kind: 'rollback' as const, source_bucket: bucket.name, to: 's' }
    const back = async (more: object = {}) =>
      finished(server.admin, await server.admin.createJob({ body: { ...request, ...more } }))
    // The first of both costs nothing, the second 60 as any copy; what is new goes.
    const dry = await back({ dry_run: true })
    assert.deepEqual([dry.plan?.growth_bytes, dry.plan?.room_bytes], [55, 65])
    await bucket.set({ quota_gb: gb(110) })
    const failed = await server.records([], () => back())
    assert.deepEqual([failed.status, failed.done], ['failed', 0])
    assert.match(failed.detail ?? '', /has 45 bytes left; this needs 55 bytes/)
    await bucket.set({ quota_gb: gb(120) })
    const done = await back()
    assert.deepEqual([done.status, done.done, done.failed], ['succeeded', 3, 0])
    const { used_bytes, history_bytes } = await bucket.about()
    assert.deepEqual([used_bytes, history_bytes], [120, 0])
    await usageIsRight()
  })

  itOnce('is not for buckets whose objects others keep, and has no limit of nothing', async () => {
    await rejectsWith(open({ history_quota_gb: 0 }), 'invalid_request', 'body.history_quota_gb')
    const attached = { name: 'others', mode: 'read_only' as const, storage: 'none' }
    await rejectsWith(
      server.admin.createBucket({ body: { ...attached, history_quota_gb: 1 } }),
      'invalid_request',
      'body.history_quota_gb',
    )
    const bucket = await open({ history_quota_gb: 1, quota_includes_history: true })
    const reader = server.as(
      await server.userWith({ bucket_pattern: bucket.name, prefix: 'a/', actions: ['list', 'read'] }),
    )
    const { history_quota_gb, history_bytes } = await reader.getBucket({ params: bucket.params })
    assert.deepEqual([history_quota_gb, history_bytes], [null, null])
  })

  const KEYS = ['a', 'b', 'c']
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('put' as const), key: fc.constantFrom(...KEYS), size: fc.nat(40) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), key: fc.constantFrom(...KEYS) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('snapshot' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('back' as const), which: fc.nat(5) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('copy' as const),
        key: fc.constantFrom(...KEYS),
        to: fc.constantFrom(...KEYS),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('expire' as const), days: fc.nat(3) }) },
  )
  it('is after any changes what a plain count of it gives, and refuses exactly what that says', async () => {
    const beginning = fc.record({
      trash_days: fc.nat(2),
      versioning: fc.constantFrom(undefined, 'enabled' as const),
      limit: fc.nat(80),
      included: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(beginning, fc.array(step, { maxLength: 25 }), async (begun, steps) => {
        const { trash_days, versioning, limit, included } = begun
        const bucket = await open({
          trash_days,
          ...(versioning === undefined ? {} : { versioning }),
          history_quota_gb: gb(limit + 1),
          quota_includes_history: included,
          quota_gb: gb(150),
        })
        const names: string[] = []
        const attempt = async (call: Promise<unknown>) =>
          call.then(
            () => 'ok',
            (error: unknown) => {
              if (error instanceof ProblemError) return error.problem.code
              throw error
            },
          )
        /** What the quota counts, as it is shown. */
        const held = async () => {
          const { used_bytes, reserved_bytes, history_bytes } = await bucket.about()
          return (used_bytes ?? 0) + (reserved_bytes ?? 0) + (included ? (history_bytes ?? 0) : 0)
        }
        const sizeOf = async (key: string) => {
          if (versioning !== undefined) return 0
          const { items } = await server.admin.listObjects({ params: bucket.params })
          return items.find((one) => one.key === key)?.size ?? 0
        }
        for (const one of steps) {
          if (one.kind === 'put') {
            const growth = one.size - (await sizeOf(one.key))
            const fits = growth <= 0 || (await held()) + growth <= 150
            assert.equal(await attempt(bucket.put(one.key, one.size)), fits ? 'ok' : 'quota_exceeded')
          } else if (one.kind === 'remove') await attempt(bucket.remove(one.key))
          else if (one.kind === 'copy')
            await attempt(
              server.admin.copyObject({
                params: bucket.params,
                body: { source_bucket: bucket.name, source_key: one.key, dest_key: one.to },
              }),
            )
          else if (one.kind === 'snapshot') {
            const { history_bytes } = await bucket.about()
            const inTrash = (await recount(bucket, { trash: true })) - (await recount(bucket, { trash: false }))
            const isOver = (history_bytes ?? 0) + inTrash > limit + 1 || (included && (await held()) > 150)
            const name = `s${names.length}`
            assert.equal(await attempt(bucket.snapshot(name)), isOver ? 'quota_exceeded' : 'ok')
            if (!isOver) names.push(name)
          } else if (one.kind === 'end' || one.kind === 'back') {
            const name = names[one.which % Math.max(1, names.length)]
            if (name === undefined) continue
            if (one.kind === 'end') await attempt(bucket.end(name))
            else {
              const body = { kind: 'rollback' as const, source_bucket: bucket.name, to: name }
              await attempt(server.admin.createJob({ body }).then((job) => finished(server.admin, job)))
            }
          } else await expire(one.days * DAY)
        }
        await expire(10 * DAY)
        assert.equal((await bucket.about()).history_bytes, await recount(bucket, { trash: false }))
        await usageIsRight()
      }),
      { numRuns: repeats(engine === 'sqlite' ? 40 : 10) },
    )
  })
})
