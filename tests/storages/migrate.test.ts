import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { it as always } from 'node:test'
import { readConfig } from '../../server/config/config.ts'
import { start } from '../../server/process/start.ts'
import { cephGateway, newBucket } from '../support/ceph.ts'
import { sendHalf } from '../support/half-sent.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, dump } from '../support/server.ts'
import { until } from '../support/until.ts'
import { sameKeys, storagesWorld, succeeded } from './storages.ts'

const MiB = 1024 * 1024
const gateway = await cephGateway()
const numbered = (n: number) => Array.from({ length: n }, (_, i) => `k/${String(i).padStart(4, '0')}`)
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

describeEngines('moving a bucket to another storage', (engine, itOnce) => {
  const world = storagesWorld(engine)
  const { blobsOn, bucket, collect, get, places, put, run, storage } = world
  const migrate = (source_bucket: string, dest_storage: string) => run({ kind: 'migrate', source_bucket, dest_storage })

  always('takes objects, versions, parts and the trash along; the old bytes stay until the grace is over', async () => {
    const { server } = world
    const { admin } = server
    const [from, to] = [await storage(), await storage()]
    const name = await bucket(from, { versioning: 'enabled' })
    const plain = await bucket(from)
    for (const key of numbered(30)) await put(name, key, key)
    for (const key of numbered(5)) await put(name, key, `${key} again`)
    await admin.deleteObject({ params: { bucket: name, key: 'k/0029' } })
    const big = 'p'.repeat(5 * MiB + 1)
    const { upload_id, urls } = await admin.initUpload({
      params: { bucket: name },
      body: { key: 'big', file_size: big.length, part_size: 5 * MiB, checksum: { algorithm: 'crc32' } },
    })
    const parts: { part_number: number; etag: string }[] = []
    for (const [i, body] of [big.slice(0, 5 * MiB), big.slice(5 * MiB)].entries()) {
      parts.push({ part_number: i + 1, etag: await world.sendPart(urls[i] as string, body) })
    }
    await admin.completeUpload({ params: { bucket: name }, body: { upload_id, parts } })
    await admin.copyObject({ params: { bucket: plain }, body: { source_bucket: name, source_key: 'k/0010' } })
    await put(plain, 'trashed', 'trashed')
    await admin.deleteObject({ params: { bucket: plain, key: 'trashed' } })
    const heads = async () => {
      const response = await admin.headObject({ params: { bucket: name, key: 'big' } })
      return ['etag', 'last-modified', 'content-length', 'x-checksum-crc32'].map((one) => response.headers.get(one))
    }
    const [before, head] = [blobsOn(from), await heads()]
    const usage = await admin.getBucket({ params: { bucket: name } })

    const job = await server.records([{ action: 'update_bucket', bucket: name }], () => migrate(name, to))
    assert.deepEqual(world.counts(job), succeeded(36))
    const id = await world.idOf(to)
    assert.deepEqual(await places(name), { [id]: 36 })
    assert.deepEqual(await admin.getBucket({ params: { bucket: name } }), { ...usage, storage: to })
    assert.deepEqual(await heads(), head)
    assert.equal(await get(name, 'k/0003'), 'k/0003 again')
    assert.equal(await get(name, 'big'), big)
    // What shares bytes with it in another bucket keeps them.
    assert.equal(await get(plain, 'k/0010'), 'k/0010')
    assert.deepEqual(blobsOn(from), before)
    const second = await migrate(plain, to)
    assert.deepEqual(world.counts(second), succeeded(2))
    await collect()
    assert.deepEqual(blobsOn(from), [])
    assert.equal(blobsOn(to).length, 38)
    assert.equal(await get(plain, 'k/0010'), 'k/0010')
    const { items } = await admin.listTrash({ params: { bucket: plain } })
    await admin.restoreTrash({ params: { bucket: plain }, body: { ids: [items[0]?.id ?? ''] } })
    assert.equal(await get(plain, 'trashed'), 'trashed')
    await admin.deleteStorage({ params: { storage: from } })
    // Everything still has the bytes that its checksums say.
    assert.deepEqual(await verified(server.env), { bad: 0 })
  })

  /** What `verify --deep` finds wrong. */
  async function verified(env: Record<string, string>) {
    const { verify } = await import('../../server/features/verify/service.ts')
    const { withSystem } = await import('../../server/process/with-system.ts')
    const { cliActor } = await import('../../server/access/actors.ts')
    const { createContext } = await import('../../server/context.ts')
    const { createLog } = await import('../../server/observe/log.ts')
    const config = readConfig({ ...env, LOG_LEVEL: 'silent' })
    const found = await withSystem(config, createLog('silent', undefined), { storage: true }, (system) =>
      verify(createContext(system, cliActor), { deep: true, fix: false, report: assert.fail } as never),
    )
    const { blobs: _blobs, bytes: _bytes, withoutChecksum: _without, fixed: _fixed, ...faults } = found
    return { bad: Object.values(faults).reduce((sum, one) => sum + one, 0) }
  }

  always('under load: nothing is lost, nothing is read wrong, and all ends where it should', async () => {
    const { server } = world
    const { admin } = server
    const to = await storage()
    const name = await bucket(undefined, { trash_days: 0 })
    const keys = numbered(120)
    for (const key of keys) await put(name, key, `${key} first`)
    const written = new Map(keys.map((key) => [key, `${key} first`]))
    let stop = false
    const load = async (worker: number) => {
      for (let n = 0; !stop; n++) {
        const key = keys[(worker * 40 + n * 7) % keys.length] as string
        // Each key is one worker's, so that it knows what it must read.
        if (Number(key.slice(2)) % 3 !== worker) continue
        const text = `${key} ${worker} ${n}`
        if (n % 11 === 10) {
          await admin.deleteObject({ params: { bucket: name, key } })
          written.delete(key)
          await rejectsWith(get(name, key), 'not_found')
        } else {
          await put(name, key, text)
          written.set(key, text)
          assert.equal(await get(name, key), text)
        }
      }
    }
    const loads = [0, 1, 2].map(load)
    const job = await migrate(name, to)
    assert.equal(job.status, 'succeeded')
    assert.deepEqual(job.errors, [])
    stop = true
    await Promise.all(loads)
    const { items } = await admin.listObjects({ params: { bucket: name }, query: { limit: 1000 } })
    sameKeys(
      items.map(({ key }) => key),
      [...written.keys()],
    )
    for (const [key, text] of written) assert.equal(await get(name, key), text)
    assert.deepEqual(await places(name), { [await world.idOf(to)]: written.size })
  })

  always('an upload whose bytes arrive while its bucket moves ends on the new storage', async () => {
    const { server } = world
    const { admin } = server
    const [from, to] = [await storage(), await storage()]
    const name = await bucket(from)
    const { upload_id, urls } = await admin.initUpload({
      params: { bucket: name },
      body: { key: 'parts', file_size: 5 * MiB + 1, part_size: 5 * MiB },
    })
    const send = async (i: number, bytes: number) => {
      return { part_number: i + 1, etag: await world.sendPart(urls[i] as string, randomBytes(bytes)) }
    }
    const first = await send(0, 5 * MiB)
    const bytes = randomBytes(600_000)
    const half = await sendHalf(server.url, {
      line: `PUT /api/v1/buckets/${name}/objects/streamed`,
      headers: { Authorization: `Bearer ${server.adminToken}` },
      body: bytes,
    })
    await until(() => blobsOrTemporary(from))
    assert.equal((await migrate(name, to)).status, 'succeeded')
    assert.equal((await half.finish()).status, 201)
    const second = await send(1, 1)
    await server.records([{ action: 'upload', bucket: name, key: 'parts' }], () =>
      admin.completeUpload({ params: { bucket: name }, body: { upload_id, parts: [first, second] } }),
    )
    const read = await admin.getObject({ params: { bucket: name, key: 'streamed' } })
    assert.equal(md5(new Uint8Array(await read.arrayBuffer())), md5(bytes))
    assert.deepEqual(await places(name), { [await world.idOf(to)]: 2 })
    await collect()
    assert.deepEqual(blobsOn(from), [])
  })

  /** Whether bytes have begun to arrive in a storage of files. */
  const blobsOrTemporary = (name: string): boolean =>
    fs.readdirSync(world.folderOf(name), { recursive: true, encoding: 'utf8' }).some((file) => file.endsWith('.tmp'))

  always('is resumed by another process, and after it was cancelled by another job, back or forth', async () => {
    const { server } = world
    const { admin } = server
    const [one, other] = [await storage(), await storage()]
    const name = await bucket(one)
    const keys = numbered(100)
    for (const key of keys) await put(name, key, key)
    const ids = { one: await world.idOf(one), other: await world.idOf(other) }
    const service = await start(readConfig({ ...server.env, LOG_LEVEL: 'silent' }), {
      now: server.clock.now,
      timers: false,
    })
    const begun = await admin.createJob({ body: { kind: 'migrate', source_bucket: name, dest_storage: other } })
    await until(async () => {
      await service.tick('jobs')
      const { done } = await admin.getJob({ params: { id: begun.id } })
      return done > 0
    })
    await service.stop()
    let job = begun
    await until(async () => {
      await server.running.tick('jobs')
      job = await admin.getJob({ params: { id: begun.id } })
      return !['queued', 'running'].includes(job.status)
    })
    assert.deepEqual(world.counts(job), succeeded(100))
    assert.deepEqual(await places(name), { [ids.other]: 100 })

    const back = await admin.createJob({ body: { kind: 'migrate', source_bucket: name, dest_storage: one } })
    const cancelled = await admin.cancelJob({ params: { id: back.id } })
    await until(async () => {
      await server.running.tick('jobs')
      return (await admin.getJob({ params: { id: back.id } })).status !== 'running'
    })
    assert.ok(['cancelled', 'running'].includes(cancelled.status))
    for (const key of keys) assert.equal(await get(name, key), key)
    assert.equal((await migrate(name, other)).status, 'succeeded')
    assert.deepEqual(await places(name), { [ids.other]: 100 })
    assert.equal((await admin.getBucket({ params: { bucket: name } })).storage, other)
    for (const key of keys) assert.equal(await get(name, key), key)
  })

  always(
    'what cannot be read stays where it is, as an error; what jobs have listed or moved is still known',
    async () => {
      const { server } = world
      const [from, to] = [await storage(), await storage()]
      const [name, dest] = [await bucket(from), await bucket(from)]
      for (const key of ['a', 'b', 'damaged', 'lost']) await put(name, key, key)
      const moved = await run({
        kind: 'move',
        source_bucket: name,
        keys: ['a', 'b'],
        dest_bucket: dest,
        dest_prefix: '',
      })
      const rows = await server.database.db.selectFrom('objects').select(['key', 'blob_id']).execute()
      const fileOf = (key: string) => {
        const id = rows.findLast((row) => row.key === key)?.blob_id ?? ''
        return path.join(world.folderOf(from), id.slice(-2), id)
      }
      fs.writeFileSync(fileOf('damaged'), 'DAMAGED')
      fs.rmSync(fileOf('lost'))
      const job = await migrate(name, to)
      assert.deepEqual(world.counts(job), succeeded(0, 2))
      sameKeys(
        job.errors.map(({ key }) => key),
        ['damaged', 'lost'],
      )
      assert.deepEqual(await places(name), { [await world.idOf(from)]: 2 })
      assert.equal((await migrate(dest, to)).status, 'succeeded')
      const undone = await run({ kind: 'restore', of: moved.id })
      assert.deepEqual(world.counts(undone), succeeded(2))
      assert.deepEqual([await get(name, 'a'), await get(name, 'b')], ['a', 'b'])
    },
  )

  itOnce('fails with a sentence where a storage stays away, and can be continued', async () => {
    const { admin } = world.server
    const [from, to] = [await storage(), await storage()]
    const name = await bucket(from)
    await put(name, 'k', 'bytes')
    await admin.updateStorage({ params: { storage: from }, body: { enabled: false } })
    const failed = await migrate(name, to)
    assert.deepEqual([failed.status, failed.detail], ['failed', `The storage "${from}" is turned off.`])
    await admin.updateStorage({ params: { storage: from }, body: { enabled: true } })
    assert.equal((await migrate(name, to)).status, 'succeeded')
    assert.equal(await get(name, 'k'), 'bytes')
  })

  itOnce('only administrators may; anything else that is asked with it is refused', async () => {
    const { server } = world
    const { admin } = server
    const disk = await storage()
    const name = await bucket()
    const manager = server.as(
      await server.userWith({ bucket_pattern: '*', actions: ['list', 'read', 'write', 'manage'] }),
    )
    const body = { kind: 'migrate', source_bucket: name, dest_storage: disk } as const
    await rejectsWith(manager.createJob({ body }), 'forbidden')
    await rejectsWith(admin.createJob({ body: { ...body, dest_storage: 'none' } }), 'not_found')
    await rejectsWith(admin.createJob({ body: { ...body, source_bucket: 'no-bucket' } }), 'not_found')
    await rejectsWith(admin.createJob({ body: { ...body, prefix: 'a/' } }), 'invalid_request', 'body.prefix')
    await rejectsWith(
      admin.createJob({ body: { kind: 'migrate', source_bucket: name } }),
      'invalid_request',
      'body.dest_storage',
    )
    await rejectsWith(
      admin.createJob({ body: { kind: 'delete', source_bucket: name, prefix: 'x', dest_storage: disk } }),
      'invalid_request',
      'body.dest_storage',
    )
    await admin.updateStorage({ params: { storage: disk }, body: { enabled: false } })
    await rejectsWith(admin.createJob({ body }), 'conflict')
    assert.deepEqual((await admin.getBucket({ params: { bucket: name } })).storage, 'default')
  })

  itOnce('between files and an S3 engine, small and large', { skip: !gateway }, async () => {
    if (!gateway) return
    const { server } = world
    const { admin } = server
    const { hostname, pathname, searchParams } = new URL(newBucket(gateway))
    await admin.createStorage({
      body: {
        name: 'ceph',
        bucket: hostname,
        prefix: pathname.slice(1),
        endpoint: searchParams.get('endpoint'),
        access_key_id: gateway.credentials.accessKeyId,
        secret_access_key: gateway.credentials.secretAccessKey,
      },
    })
    server.secrets.add(gateway.credentials.secretAccessKey)
    const name = await bucket()
    const sums = new Map<string, string>()
    for (const [key, size] of [
      ['empty', 0],
      ['small', 10],
      ['large', 20 * MiB + 3],
    ] as const) {
      const bytes = randomBytes(size)
      sums.set(key, md5(bytes))
      await put(name, key, bytes)
    }
    for (const to of ['ceph', 'default']) {
      assert.deepEqual(world.counts(await migrate(name, to)), succeeded(3))
      for (const [key, sum] of sums) {
        const read = await admin.getObject({ params: { bucket: name, key } })
        assert.equal(md5(new Uint8Array(await read.arrayBuffer())), sum, `${key} on ${to}`)
      }
    }
    await collect()
    await admin.deleteStorage({ params: { storage: 'ceph' } })
    assert.equal((await dump(server.database, engine)).includes('ceph'), true)
  })
})
