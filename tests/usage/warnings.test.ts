import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { newId } from '../../server/base/id.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { allActions, describeEngines, onS3, startServer, type TestServer } from '../support/server.ts'
import { withTwin } from '../support/twin.ts'

/** A quota of 1,000 KiB: a percent is 10 KiB. */
const QUOTA_GB = 1000 / 1024 ** 2
const PERCENT = 10 * 1024

describeEngines('warnings of quotas', (engine, itOnce) => {
  let server: TestServer
  let receiver: Receiver
  let buckets = 0

  before(async () => {
    server = await startServer(engine, { WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32' })
    receiver = await startReceiver()
  })
  after(async () => {
    await server.stop()
    await receiver.stop()
  })

  const open = async (quota_gb: number | null = QUOTA_GB) => {
    const name = `filling-${++buckets}`
    await server.admin.createBucket({ body: { name, quota_gb, trash_days: 0 } })
    return name
  }
  /** Has the bucket hold that much. */
  const fill = (bucket: string, percent: number) =>
    server.admin.putObject({ params: { bucket, key: 'a.bin' }, body: Buffer.alloc(percent * PERCENT) })
  const setQuota = (bucket: string, quota_gb: number | null) =>
    server.admin.updateBucket({ params: { bucket }, body: { quota_gb } })
  const look = () => server.running.tick('quota-warnings')
  /** Asserts that the worker announces these levels of a bucket now, and nothing of others. */
  const announces = async (bucket: string, levels: readonly number[]) => {
    await server.records(
      levels.map(() => ({ action: 'quota_warning' as const, bucket })),
      look,
    )
    assert.deepEqual((await announced(bucket)).slice(-levels.length || Number.MAX_SAFE_INTEGER), levels)
    await server.records([], look)
  }
  /** The levels that were announced of a bucket. */
  const announced = async (bucket: string): Promise<number[]> =>
    (await allActions(server.database))
      .filter((record) => record.action === 'quota_warning' && record.bucket === bucket)
      .map(({ details }) => JSON.parse(details).percent)

  it('announces 80 and 95 percent, once each, to the log and to webhooks', async () => {
    const bucket = await open()
    const endpoint = await server.admin.createWebhook({
      body: { name: 'Quotas', url: receiver.url, events: ['quota_warning'], bucket },
    })
    server.secrets.add(endpoint.secret)
    for (const percent of [10, 79.9]) {
      await fill(bucket, percent)
      await announces(bucket, [])
    }
    await fill(bucket, 80)
    await announces(bucket, [80])
    await fill(bucket, 94)
    await announces(bucket, [])
    await fill(bucket, 95)
    await announces(bucket, [95])
    await fill(bucket, 100)
    await announces(bucket, [])

    const details = { percent: 95, used_bytes: 95 * PERCENT, reserved_bytes: 0, quota_gb: QUOTA_GB }
    const [record] = (await server.admin.listAudit({ query: { action: ['quota_warning'], bucket } })).items
    assert.deepEqual(
      [record?.actor.type, record?.auth_method, record?.object_key, record?.details],
      ['system', 'system', null, details],
    )
    await server.running.tick()
    const bodies = receiver.received.map(({ body }) => JSON.parse(body))
    assert.deepEqual(bodies.map((body) => [body.event, body.bucket, body.details.percent]).sort(), [
      ['quota_warning', bucket, 80],
      ['quota_warning', bucket, 95],
    ])
    assert.deepEqual(bodies[0].actor, { user_id: null, email: null })
  })

  it('announces only the highest of levels that were passed together', async () => {
    const bucket = await open()
    await fill(bucket, 99)
    await announces(bucket, [95])
  })

  it('announces a level again only after the bucket was well below it', async () => {
    const bucket = await open()
    await fill(bucket, 80)
    await announces(bucket, [80])
    for (const percent of [76, 80, 75, 94]) {
      await fill(bucket, percent)
      await announces(bucket, [])
    }
    await fill(bucket, 74)
    await announces(bucket, [])
    await fill(bucket, 96)
    await announces(bucket, [95])
    for (const percent of [91, 96]) {
      await fill(bucket, percent)
      await announces(bucket, [])
    }
    await fill(bucket, 89)
    await announces(bucket, [])
    await fill(bucket, 95)
    await announces(bucket, [95])
  })

  it('counts a new quota as it is', async () => {
    const bucket = await open()
    await fill(bucket, 96)
    await announces(bucket, [95])
    // 87 percent of it: the bucket has not grown.
    await setQuota(bucket, QUOTA_GB * 1.1)
    await announces(bucket, [])
    await setQuota(bucket, QUOTA_GB)
    await announces(bucket, [95])
    // 79 percent, so near to the level that growth alone would not be announced again.
    await setQuota(bucket, QUOTA_GB * 1.21)
    await announces(bucket, [])
    await fill(bucket, 98)
    await announces(bucket, [80])
    await setQuota(bucket, null)
    await announces(bucket, [])
    await setQuota(bucket, QUOTA_GB * 1.21)
    await announces(bucket, [80])
  })

  it('counts what open uploads have reserved', async () => {
    const bucket = await open()
    await fill(bucket, 50)
    const body = { key: 'b.bin', file_size: 31 * PERCENT }
    const { upload_id } = await server.admin.initUpload({ params: { bucket }, body })
    await announces(bucket, [80])
    const [record] = (await server.admin.listAudit({ query: { action: ['quota_warning'], bucket } })).items
    assert.deepEqual(record?.details, {
      percent: 80,
      used_bytes: 50 * PERCENT,
      reserved_bytes: 31 * PERCENT,
      quota_gb: QUOTA_GB,
    })
    await server.admin.abortUpload({ params: { bucket }, body: { upload_id } })
    await announces(bucket, [])
  })

  itOnce('announces nothing of buckets without a quota, of deleted ones, and of what was refused', async () => {
    const free = await open(null)
    await fill(free, 100)
    await announces(free, [])
    const refused = await open()
    await assert.rejects(fill(refused, 101))
    await announces(refused, [])
    const gone = await open()
    await fill(gone, 90)
    await server.admin.deleteObject({ params: { bucket: gone, key: 'a.bin' } })
    await server.admin.deleteBucket({ params: { bucket: gone } })
    await announces(gone, [])
  })

  itOnce('announces nothing of what is in the trash, and starts afresh with a bucket of the same name', async () => {
    const name = `filling-${++buckets}`
    const create = () => server.admin.createBucket({ body: { name, quota_gb: QUOTA_GB, trash_days: 7 } })
    await create()
    await fill(name, 90)
    await announces(name, [80])
    await server.admin.deleteObject({ params: { bucket: name, key: 'a.bin' } })
    await announces(name, [])
    await server.admin.deleteBucket({ params: { bucket: name } })
    await create()
    await announces(name, [])
    await fill(name, 90)
    await announces(name, [80])
  })

  it('looks at more buckets than a query returns', async () => {
    const created_at = server.clock.now().toISOString()
    const ids = Array.from({ length: 1001 }, newId)
    const [first = ''] = ids
    const { storage_id } = await server.database.db.selectFrom('buckets').select('storage_id').executeTakeFirstOrThrow()
    await server.database.transaction(async (tx) => {
      for (const id of ids) {
        await tx
          .insertInto('buckets')
          .values({ id, name: `many-${id}`, trash_days: 0, created_at, storage_id, created_by: null })
          .execute()
        await tx.insertInto('quotas').values({ scope: id, quota_gb: 1, used_bytes: null }).execute()
      }
      for (const id of [first, ids.at(-1) ?? ''])
        await tx
          .insertInto('bucket_usage')
          .values({ bucket_id: id, shard: 0, bytes: 1024 ** 3, objects: 1, trash_bytes: 0, reserved: 0 })
          .execute()
    })
    await server.records(
      [first, ids.at(-1)].map((id) => ({ action: 'quota_warning' as const, bucket: `many-${id}` })),
      look,
    )
    await server.records([], look)
  })

  it('has two services announce a level once', { skip: engine === 'sqlite' || onS3 }, async () => {
    const { twin } = await withTwin(server, engine)
    try {
      const names = await Promise.all(Array.from({ length: 8 }, () => open()))
      for (const [percent, level] of [
        [85, 80],
        [97, 95],
      ] as const) {
        await Promise.all(names.map((name) => fill(name, percent)))
        await Promise.all([look(), twin?.tick('quota-warnings'), look(), twin?.tick('quota-warnings')])
        for (const name of names)
          assert.deepEqual(
            (await announced(name)).filter((one) => one === level),
            [level],
          )
      }
      for (const name of names) assert.deepEqual(await announced(name), [80, 95])
    } finally {
      await twin?.stop()
    }
  })
})
