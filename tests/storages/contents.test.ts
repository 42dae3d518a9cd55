import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { it as always } from 'node:test'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines } from '../support/server.ts'
import { sameKeys, storagesWorld, succeeded } from './storages.ts'

const MiB = 1024 * 1024

describeEngines('contents on several storages', (engine, itOnce) => {
  const world = storagesWorld(engine)
  const { blobsOn, bucket, collect, get, places, put, run, storage } = world

  always('a bucket keeps its bytes on its storage, and only there', async () => {
    const { server } = world
    const { admin } = server
    const disk = await storage()
    const name = await server.records(
      [{ action: 'storage_create' }, { action: 'create_bucket', bucket: 'on-disk' }],
      async () => {
        await admin.createStorage({ body: { name: 'own', kind: 'file', folder: world.folderOf('own') } })
        return (await admin.createBucket({ body: { name: 'on-disk', storage: 'own', trash_days: 0 } })).name
      },
    )
    assert.equal((await admin.getBucket({ params: { bucket: name } })).storage, 'own')
    const before = await server.stored()
    await put(name, 'a', 'first')
    await put(name, 'a', 'second')
    await put(name, 'b', 'b'.repeat(100_000))
    assert.equal(await get(name, 'a'), 'second')
    const part = await admin.getObject({ params: { bucket: name, key: 'b' }, headers: { range: 'bytes=99990-' } })
    assert.equal(await part.text(), 'b'.repeat(10))
    assert.equal(blobsOn('own').length, 3)
    assert.deepEqual(await server.stored(), before)
    await collect()
    assert.equal(blobsOn('own').length, 2)
    const { items } = await admin.listStorages()
    const counted = items.find((one) => one.name === 'own')
    assert.deepEqual([counted?.bucket_count, counted?.used_bytes], [1, 100_006])
    await rejectsWith(admin.deleteStorage({ params: { storage: 'own' } }), 'not_empty')
    await admin.deleteObject({ params: { bucket: name, key: 'a' } })
    await admin.deleteObject({ params: { bucket: name, key: 'b' } })
    await admin.deleteBucket({ params: { bucket: name } })
    await server.running.tick()
    await collect()
    assert.deepEqual(blobsOn('own'), [])
    await admin.deleteStorage({ params: { storage: 'own' } })
    assert.deepEqual(blobsOn(disk), [])
  })

  always('an upload in parts is there too', async () => {
    const { admin } = world.server
    const name = await bucket(await storage())
    const bytes = 'p'.repeat(5 * MiB + 7)
    const { upload_id, urls } = await admin.initUpload({
      params: { bucket: name },
      body: { key: 'big', file_size: bytes.length, part_size: 5 * MiB },
    })
    const parts: { etag: string }[] = []
    for (const [i, body] of [bytes.slice(0, 5 * MiB), bytes.slice(5 * MiB)].entries()) {
      parts.push({ etag: await world.sendPart(urls[i] as string, body) })
    }
    await admin.completeUpload({
      params: { bucket: name },
      body: { upload_id, parts: parts.map(({ etag }, i) => ({ part_number: i + 1, etag })) },
    })
    assert.equal((await get(name, 'big')).length, bytes.length)
    assert.deepEqual(Object.values(await places(name)), [1])
    assert.equal(Object.keys(await places(name)).includes('default'), false)
  })

  itOnce('only administrators choose a storage; everyone with access uses it', async () => {
    const { server } = world
    const disk = await storage()
    const owner = server.as(
      await server.userWith({ bucket_pattern: 'team-*', actions: ['create', 'list', 'read', 'write'] }),
    )
    await rejectsWith(owner.createBucket({ body: { name: 'team-a', storage: disk } }), 'forbidden')
    assert.equal((await owner.createBucket({ body: { name: 'team-a', storage: 'default' } })).storage, 'default')
    await server.admin.createBucket({ body: { name: 'team-b', storage: disk } })
    await owner.putObject({ params: { bucket: 'team-b', key: 'k' }, body: 'theirs' })
    assert.equal(blobsOn(disk).length, 1)
    await rejectsWith(server.admin.createBucket({ body: { name: 'team-c', storage: 'none' } }), 'not_found')
  })

  always(
    'while a storage is off, what lies there answers 503 and nothing else does; its bytes are removed later',
    async () => {
      const { server } = world
      const { admin } = server
      const [one, other] = [await storage(), await storage()]
      const [off, on] = [await bucket(one, { trash_days: 0 }), await bucket(other, { trash_days: 0 })]
      for (const name of [off, on]) for (const key of ['kept', 'gone']) await put(name, key, key)
      for (const name of [off, on]) await admin.deleteObject({ params: { bucket: name, key: 'gone' } })
      await admin.updateStorage({ params: { storage: one }, body: { enabled: false } })
      await server.later(60_000)
      for (const call of [get(off, 'kept'), put(off, 'new', 'new')]) {
        const { problem } = await rejectsWith(call, 'busy')
        assert.equal(problem.detail, `The storage "${one}" is turned off.`)
      }
      assert.equal((await admin.getBucket({ params: { bucket: off } })).object_count, 1)
      assert.equal(await get(on, 'kept'), 'kept')
      await assert.rejects(collect(), /is turned off/)
      assert.deepEqual([blobsOn(one).length, blobsOn(other).length], [2, 1])
      await admin.updateStorage({ params: { storage: one }, body: { enabled: true } })
      await collect()
      assert.deepEqual([blobsOn(one).length, blobsOn(other).length], [1, 1])
      assert.equal(await get(off, 'kept'), 'kept')
    },
  )

  always('a disk that is not there, or another one, is never taken for an empty storage', async () => {
    const { server } = world
    const disk = await storage()
    const name = await bucket(disk)
    await put(name, 'k', 'here')
    const folder = world.folderOf(disk)
    const restart = async () => {
      // A change of its row has each process open it again.
      for (const enabled of [false, true])
        await server.database.transaction((tx) =>
          tx
            .updateTable('storages')
            .set({ disabled_at: enabled ? null : server.clock.now().toISOString() })
            .where('name', '=', disk)
            .execute(),
        )
      await server.later(60_000)
    }
    fs.renameSync(folder, `${folder}-unmounted`)
    await server.database.transaction((tx) =>
      tx.updateTable('storages').set({ region: 'x' }).where('name', '=', disk).execute(),
    )
    await restart()
    await rejectsWith(get(name, 'k'), 'busy')
    await rejectsWith(put(name, 'k', 'lost'), 'busy')
    assert.equal(fs.existsSync(folder), false)
    // Another disk is mounted there.
    fs.cpSync(`${folder}-unmounted`, folder, { recursive: true })
    fs.writeFileSync(path.join(folder, 'instance-id'), 'another\n')
    await rejectsWith(get(name, 'k'), 'busy')
    fs.rmSync(folder, { recursive: true })
    fs.renameSync(`${folder}-unmounted`, folder)
    assert.equal(await get(name, 'k'), 'here')
  })

  always('copies and moves to a bucket on another storage take the bytes along', async () => {
    const { server } = world
    const { admin } = server
    const [one, other] = [await storage(), await storage()]
    const [from, to] = [await bucket(one, { trash_days: 0 }), await bucket(other)]
    await put(from, 'copied', 'copied')
    await put(from, 'moved', 'moved')
    const copy = await server.records([{ action: 'copy', bucket: to, key: 'copied' }], () =>
      admin.copyObject({ params: { bucket: to }, body: { source_bucket: from, source_key: 'copied' } }),
    )
    const original = await admin.headObject({ params: { bucket: from, key: 'copied' } })
    assert.equal(`"${copy.etag}"`, original.headers.get('etag'))
    await server.records([{ action: 'move', bucket: to, key: 'moved' }], () =>
      admin.moveObject({ params: { bucket: to }, body: { source_bucket: from, source_key: 'moved' } }),
    )
    assert.deepEqual([await get(to, 'copied'), await get(to, 'moved')], ['copied', 'moved'])
    assert.deepEqual(await places(to), { [await world.idOf(other)]: 2 })
    await rejectsWith(get(from, 'moved'), 'not_found')
    // Of two objects in one bucket the bytes are shared, as ever.
    await admin.copyObject({
      params: { bucket: to },
      body: { source_bucket: to, source_key: 'copied', dest_key: 'again' },
    })
    assert.equal(blobsOn(other).length, 2)
    await collect()
    assert.deepEqual([blobsOn(one).length, blobsOn(other).length], [1, 2])
  })

  always('a job moves a folder to another storage, and is undone', async () => {
    const { server } = world
    const [from, to] = [await bucket(await storage()), await bucket()]
    const keys = Array.from({ length: 45 }, (_, i) => `d/${String(i).padStart(2, '0')}`)
    for (const key of keys) await put(from, key, key)
    await put(to, 'd/07', 'in the way')
    const job = await run({ kind: 'move', source_bucket: from, prefix: 'd/', dest_bucket: to, dest_prefix: 'd/' })
    assert.deepEqual(world.counts(job), succeeded(45))
    assert.deepEqual(await places(to), { default: 46 })
    for (const key of keys) assert.equal(await get(to, key), key)
    const undone = await run({ kind: 'restore', of: job.id })
    assert.deepEqual([undone.status, undone.failed], ['succeeded', 0])
    for (const key of keys) assert.equal(await get(from, key), key)
    assert.equal(await get(to, 'd/07'), 'in the way')
    assert.equal((await server.admin.getBucket({ params: { bucket: to } })).object_count, 1)
  })

  always('bytes that are missing or damaged are not copied, and what has them stays', async () => {
    const { server } = world
    const disk = await storage()
    const [from, to] = [await bucket(disk), await bucket()]
    for (const key of ['damaged', 'lost', 'whole']) await put(from, key, key)
    const fileOf = async (key: string) => {
      const { blob_id } = await server.database.db
        .selectFrom('objects')
        .innerJoin('buckets', 'buckets.id', 'objects.bucket_id')
        .select('blob_id')
        .where('name', '=', from)
        .where('key', '=', key)
        .executeTakeFirstOrThrow()
      return path.join(world.folderOf(disk), blob_id.slice(-2), blob_id)
    }
    fs.writeFileSync(await fileOf('damaged'), 'DAMAGED')
    fs.rmSync(await fileOf('lost'))
    const before = await server.stored()
    for (const key of ['damaged', 'lost'])
      await rejectsWith(
        server.admin.moveObject({ params: { bucket: to }, body: { source_bucket: from, source_key: key } }),
        'conflict',
      )
    assert.deepEqual(await server.stored(), before)
    const { items } = await server.admin.listObjects({ params: { bucket: from } })
    sameKeys(
      items.map(({ key }) => key),
      ['damaged', 'lost', 'whole'],
    )
    const job = await run({ kind: 'move', source_bucket: from, dest_bucket: to })
    assert.deepEqual(world.counts(job), succeeded(1, 2))
    sameKeys(
      job.errors.map(({ key }) => key),
      ['damaged', 'lost'],
    )
    assert.equal(await get(to, 'whole'), 'whole')
  })
})
