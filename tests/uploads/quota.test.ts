import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Client, ProblemError } from '../../client/derived.ts'
import type { Running } from '../../server/process/start.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { bytes, count, GIB, MIB, md5, noise, outcomes, times, uploadsWorld } from './uploads.ts'

describeEngines('multipart uploads: what they reserve', (engine, itOnce) => {
  const world = uploadsWorld(engine)
  const { client, open, usage, refusal, begin, tick } = world
  let server: TestServer
  let twin: Running | undefined
  before(() => {
    server = world.server
    twin = world.twin
  })

  it('reserves under the quota to the byte, against every way to grow', async () => {
    const name = await open(1000)
    await server.admin.putObject({ params: { bucket: name, key: 'old' }, body: bytes(100) })
    await server.admin.putObject({ params: { bucket: name, key: 'gone' }, body: bytes(50) })
    await server.admin.deleteObject({ params: { bucket: name, key: 'gone' } })
    await server.records([], () => rejectsWith(begin(name, { key: 'k', file_size: 901 }), 'quota_exceeded'))
    const files = server.files().length
    const upload = await begin(name, { key: 'k', file_size: 860 })
    const expected = { used_bytes: 100, reserved_bytes: 860, object_count: 1, trash_bytes: 50 }
    assert.deepEqual(await usage(name), expected)
    const [item] = (await server.admin.listTrash({ params: { bucket: name } })).items
    const unknown = await begin(name, { key: 'u' })
    await server.records([], async () => {
      await rejectsWith(begin(name, { key: 'l', file_size: 41 }), 'quota_exceeded')
      await rejectsWith(
        server.admin.putObject({ params: { bucket: name, key: 'new' }, body: bytes(41) }),
        'quota_exceeded',
      )
      const form = new FormData()
      form.append('file', new Blob([bytes(41)]), 'f')
      await rejectsWith(server.admin.uploadForm({ params: { bucket: name }, body: form }), 'quota_exceeded')
      await rejectsWith(
        server.admin.copyObject({
          params: { bucket: name },
          body: { source_bucket: name, source_key: 'old', dest_key: 'x' },
        }),
        'quota_exceeded',
      )
      await rejectsWith(
        server.admin.restoreTrash({ params: { bucket: name }, body: { ids: [item?.id ?? ''] } }),
        'quota_exceeded',
      )
      assert.deepEqual(refusal(await unknown.try(1, bytes(41))), [413, 'quota_exceeded'])
    })
    assert.deepEqual([await usage(name), server.files().length], [expected, files])
    const exact = await begin(name, { key: 'l', file_size: 40 })
    assert.equal((await usage(name)).reserved_bytes, 900)
    await exact.abort()
    const part = await upload.send(1, bytes(860))
    assert.equal((await usage(name)).reserved_bytes, 860)
    // What is reserved can be completed, also when the quota is made smaller meanwhile.
    await server.admin.updateBucket({ params: { bucket: name }, body: { quota_gb: 500 / GIB } })
    await upload.complete([part])
    assert.deepEqual(await usage(name), { used_bytes: 960, reserved_bytes: 0, object_count: 2, trash_bytes: 50 })
    await rejectsWith(begin(name, { key: 'l', file_size: 1 }), 'quota_exceeded')
    const empty = await begin(name, { key: 'l', file_size: 0 })
    await empty.complete([await empty.send(1, Buffer.alloc(0))])
    await unknown.abort()
  })

  it('reserves what was only announced for an hour, and then what has come', async () => {
    const name = await open(1000)
    const nothing = await begin(name, { key: 'nothing', file_size: 500 })
    await rejectsWith(
      server.admin.putObject({ params: { bucket: name, key: 'new' }, body: bytes(501) }),
      'quota_exceeded',
    )
    await server.later(3599_000)
    await server.running.tick()
    assert.equal((await usage(name)).reserved_bytes, 500)
    const moving = await begin(name, { key: 'moving', file_size: 300 })
    await server.later(2_000)
    await server.running.tick()
    assert.deepEqual(
      [(await usage(name)).reserved_bytes, (await server.admin.listUploads({ params: { bucket: name } })).items.length],
      [300, 2],
    )
    await server.admin.putObject({ params: { bucket: name, key: 'new' }, body: bytes(600) })
    assert.deepEqual(refusal(await nothing.try(1, bytes(500))), [413, 'quota_exceeded'])
    await server.admin.deleteObject({ params: { bucket: name, key: 'new' } })
    const part = await nothing.send(1, bytes(500))
    assert.equal((await usage(name)).reserved_bytes, 800)
    assert.equal((await nothing.complete([part])).size, 500)
    assert.equal((await usage(name)).reserved_bytes, 300)
    await server.later(3600_000)
    await server.running.tick()
    assert.equal((await usage(name)).reserved_bytes, 0)
    const sent = await moving.send(1, bytes(300))
    await server.later(7200_000)
    await server.running.tick()
    assert.equal((await usage(name)).reserved_bytes, 300, 'what has come stays reserved')
    await moving.complete([sent])
    assert.deepEqual(await usage(name), { used_bytes: 800, reserved_bytes: 0, object_count: 2, trash_bytes: 600 })
  })

  it('limits a user’s open uploads, even when twenty start at once', async () => {
    const few = await startServer(engine, { OPEN_UPLOADS_PER_PERSON: '3' })
    try {
      await few.admin.createBucket({ body: { name: 'few' } })
      const start = (client: Client) =>
        client.initUpload({ params: { bucket: 'few' }, body: { key: 'k', file_size: 1 } }).then(
          ({ upload_id }) => upload_id,
          ({ code }: ProblemError) => code,
        )
      const all = await Promise.all(Array.from({ length: 20 }, () => start(few.admin)))
      assert.equal(all.filter((one) => one === 'limit_reached').length, 17)
      const other = few.as(await few.userWith({ bucket_pattern: '*', actions: ['write'] }))
      assert.notEqual(await start(other), 'limit_reached', 'of each person')
      const [upload_id = ''] = all.filter((one) => one !== 'limit_reached')
      await few.admin.abortUpload({ params: { bucket: 'few' }, body: { upload_id } })
      assert.notEqual(await start(few.admin), 'limit_reached')
    } finally {
      await few.stop()
    }
  })

  it('turns a reservation into usage exactly where it replaces something', async () => {
    const name = await open(1000)
    await server.admin.putObject({ params: { bucket: name, key: 'k' }, body: bytes(300) })
    const upload = await begin(name, { key: 'k', file_size: 700 })
    assert.deepEqual(await usage(name), { used_bytes: 300, reserved_bytes: 700, object_count: 1, trash_bytes: 0 })
    await upload.complete([await upload.send(1, bytes(700))])
    assert.deepEqual(await usage(name), { used_bytes: 700, reserved_bytes: 0, object_count: 1, trash_bytes: 300 })
  })

  it('reserves part by part where the size is not known', async () => {
    const name = await open(1000)
    const upload = await begin(name, { key: 'k' })
    assert.equal((await usage(name)).reserved_bytes, 0)
    await upload.send(1, bytes(600))
    assert.equal((await usage(name)).reserved_bytes, 600)
    assert.deepEqual(refusal(await upload.try(2, bytes(401))), [413, 'quota_exceeded'])
    assert.deepEqual(refusal(await upload.try(1, bytes(1001))), [413, 'quota_exceeded'])
    const whole = await upload.send(1, bytes(1000))
    assert.equal((await usage(name)).reserved_bytes, 1000)
    assert.deepEqual(await upload.send(1, noise.subarray(0, 1000)), { ...whole, etag: md5(noise.subarray(0, 1000)) })
    const part = await upload.send(1, bytes(10))
    assert.equal((await usage(name)).reserved_bytes, 10)
    // Sent side by side, they never take more together than there is.
    const answers = await Promise.all(times(8, (i) => upload.try(i + 2, bytes(300))))
    const statuses = answers.map(({ status }) => status)
    assert.deepEqual(statuses.filter((status) => status === 200).length, 3, statuses.join())
    assert.equal((await usage(name)).reserved_bytes, 910)
    const { parts, received_bytes } = await upload.status()
    assert.deepEqual([parts.length, received_bytes], [4, 910])
    await rejectsWith(upload.complete([part]), 'conflict')
    await upload.abort()
    assert.equal((await usage(name)).reserved_bytes, 0)
    const exact = await begin(name, { key: 'k' })
    await exact.complete([await exact.send(1, bytes(1000))])
    assert.deepEqual(await usage(name), { used_bytes: 1000, reserved_bytes: 0, object_count: 1, trash_bytes: 0 })
  })

  itOnce('keeps a part whose larger successor was refused', async () => {
    const name = await open(1000)
    const upload = await begin(name, { key: 'k' })
    const kept = await upload.send(1, bytes(500))
    // Eight at once of which each would fit alone: most find the room taken only when their bytes are there.
    const other = await begin(name, { key: 'other' })
    await Promise.all(times(8, (i) => (i % 2 ? upload.try(1, bytes(800)) : other.try(i + 1, bytes(280)))))
    const [now] = (await upload.status()).parts
    const object = await upload.complete([{ part_number: 1, etag: now?.etag ?? '' }])
    assert.equal(object.size, now?.size)
    if (now?.size === 500) assert.equal(now.etag, kept.etag)
    const { reserved_bytes, used_bytes } = await usage(name)
    assert.ok((reserved_bytes ?? 0) + (used_bytes ?? 0) <= 1000)
    assert.equal(reserved_bytes, (await other.status()).received_bytes)
    await other.abort()
  })

  it('counts under the quota over all buckets too', async () => {
    const before = await server.database.db.selectFrom('bucket_usage').select(['bytes', 'reserved']).execute()
    const used = before.reduce((sum, row) => sum + row.bytes + row.reserved, 0)
    const [name, other] = [await open(), await open()]
    const early = await begin(name, { key: 'early', file_size: 100 })
    await server.admin.updateSettings({ body: { quotas: { total_quota_gb: (used + 1000) / GIB } } })
    const total = async () =>
      (await server.database.db.selectFrom('quotas').select('used_bytes').where('scope', 'like', '0000%').execute())[0]
        ?.used_bytes
    assert.equal(await total(), used + 100)
    const upload = await begin(name, { key: 'k', file_size: 600 })
    await server.records([], async () => {
      await rejectsWith(begin(other, { key: 'k', file_size: 301 }), 'quota_exceeded')
      await rejectsWith(
        server.admin.putObject({ params: { bucket: other, key: 'x' }, body: bytes(301) }),
        'quota_exceeded',
      )
    })
    const second = await begin(other, { key: 'k', file_size: 300 })
    assert.equal(await total(), used + 1000)
    await second.abort()
    assert.equal(await total(), used + 700)
    await upload.complete([await upload.send(1, bytes(600))])
    assert.equal(await total(), used + 700)
    const unknown = await begin(other, { key: 'u' })
    await unknown.send(1, bytes(300))
    assert.deepEqual(refusal(await unknown.try(2, bytes(1))), [413, 'quota_exceeded'])
    assert.equal(await total(), used + 1000)
    // Deleting a bucket releases what its open uploads had reserved.
    await server.admin.deleteBucket({ params: { bucket: other } })
    await tick()
    assert.equal(await total(), used + 700)
    await early.abort()
    assert.equal(await total(), used + 600)
    await server.admin.updateSettings({ body: { quotas: { total_quota_gb: null } } })
  })

  it('lets exactly 10 of 50 parallel uploads begin where there is room for 10', async () => {
    for (const services of twin ? [1, 2] : [1]) {
      const name = await open(10 * MIB)
      const body = (i: number) => ({ key: `k${i}`, file_size: MIB })
      const results = await outcomes(
        times(50, (i) => client(i % services).initUpload({ params: { bucket: name }, body: body(i) })),
      )
      assert.deepEqual([count(results, 'ok'), count(results, 'quota_exceeded')], [10, 40], results.join())
      assert.equal((await usage(name)).reserved_bytes, 10 * MIB)
      const { items } = await server.admin.listUploads({ params: { bucket: name } })
      assert.equal(items.length, 10)
      await Promise.all(
        items.map(({ upload_id }, i) => client(i).abortUpload({ params: { bucket: name }, body: { upload_id } })),
      )
      assert.equal((await usage(name)).reserved_bytes, 0)
    }
  })
})
