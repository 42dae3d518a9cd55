import assert from 'node:assert/strict'
import { after, it as always, before } from 'node:test'
import { cephGateway, noGateway } from '../support/ceph.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { type Foreign, foreignBucket } from './foreign.ts'
import { type Site, siteOf } from './site.ts'

const gateway = await cephGateway()
const DAY_MS = 86_400_000

describeEngines('attached buckets', (engine) => {
  let server: TestServer
  let site: Site
  let theirs: Foreign
  const it = gateway ? always : always.skip
  if (!gateway) always(`attached buckets: ${noGateway}`, { skip: true }, () => {})
  before(async () => {
    if (!gateway) return
    server = await startServer(engine)
    site = siteOf(server)
  })
  after(async () => {
    await server?.stop()
  })
  /** A bucket of others with these objects, attached and scanned. */
  async function attached(objects: Record<string, string>, options: { versioned?: boolean } = {}): Promise<string> {
    if (!gateway) throw new Error('no gateway')
    theirs = await foreignBucket(gateway, options)
    for (const [key, body] of Object.entries(objects)) await theirs.put(key, body)
    const endpoint = new URL(gateway.url).searchParams.get('endpoint') ?? ''
    const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = gateway.credentials
    const storage = await site.storage({
      endpoint,
      bucket: theirs.bucket,
      prefix: '',
      access_key_id,
      secret_access_key,
    })
    const bucket = await site.attach(storage)
    const scan = await site.finishScan(bucket)
    assert.equal(scan.status, 'succeeded', scan.detail ?? '')
    return bucket
  }
  /** Releases the buckets, so that no later scan is due, and removes what others kept. */
  async function over(...buckets: string[]): Promise<void> {
    for (const bucket of buckets) await server.admin.releaseBucket({ params: { bucket } })
    await theirs.empty()
  }
  const sameAsTheirs = async (bucket: string) => {
    const listed = await theirs.listed()
    assert.deepEqual(
      [...(await site.shown(bucket))],
      listed.map(({ key, size, etag }) => [key, `${size} ${etag}`]),
    )
    const { object_count, used_bytes } = await server.admin.getBucket({ params: { bucket } })
    assert.deepEqual([object_count, used_bytes], [listed.length, listed.reduce((sum, { size }) => sum + size, 0)])
  }

  it('a scan finds what is there, and reads get it with its type and metadata', async () => {
    const bucket = await attached({ 'a.txt': 'first', 'dir/b.jpg': 'second', 'dir/ü 漢+%.bin': 'third' })
    await theirs.put('typed', 'typed', { ContentType: 'text/css', Metadata: { who: 'me' }, CacheControl: 'no-store' })
    await site.scan(bucket)
    await sameAsTheirs(bucket)
    const { mode, source, storage, permissions } = await server.admin.getBucket({ params: { bucket } })
    assert.deepEqual([mode, source?.bucket, source?.prefix, source?.weak], ['read_only', theirs.bucket, '', false])
    assert.deepEqual([source?.as_of, source?.changed_at], [server.clock.now().toISOString(), source?.as_of])
    assert.ok(storage.startsWith('engine-') && permissions.includes('write'))
    const read = await server.admin.getObject({ params: { bucket, key: 'dir/ü 漢+%.bin' } })
    assert.equal(await read.text(), 'third')
    const typed = await server.admin.headObject({ params: { bucket, key: 'typed' } })
    assert.deepEqual(
      ['content-type', 'x-meta-who', 'cache-control'].map((name) => typed.headers.get(name)),
      ['text/css', 'me', 'no-store'],
    )
    const part = await server.admin.getObject({ params: { bucket, key: 'a.txt' }, headers: { range: 'bytes=1-2' } })
    assert.deepEqual([part.status, await part.text()], [206, 'ir'])
    await over(bucket)
  })

  it('the first scan is one record; afterwards each change by others is one too', async () => {
    const bucket = await attached({ a: '1', b: '2', c: '3' })
    await theirs.put('a', 'changed')
    await theirs.put('d', 'new')
    await theirs.delete('c')
    const change = (key: string) => ({ action: 'external_change', bucket, key }) as const
    await server.records([change('d'), change('a'), change('c'), { action: 'scan', bucket }], async () => {
      const scan = await site.scan(bucket)
      assert.deepEqual([scan.status, scan.seen, scan.added, scan.changed, scan.missing], ['succeeded', 3, 1, 1, 1])
    })
    const { items } = await server.admin.listAudit({ query: { action: ['external_change'], bucket } })
    assert.deepEqual(items.map(({ actor, object_key, details }) => [actor.type, object_key, details.change]).sort(), [
      ['engine', 'a', 'changed'],
      ['engine', 'c', 'missing'],
      ['engine', 'd', 'added'],
    ])
    const { source } = await server.admin.getBucket({ params: { bucket } })
    assert.equal(source?.changed_at, server.clock.now().toISOString())
    await rejectsWith(server.admin.getObject({ params: { bucket, key: 'c' } }), 'not_found')
    assert.deepEqual(await site.missing(bucket), ['c'])
    // A second scan is not enough, and neither is a day.
    await site.scan(bucket)
    assert.ok((await site.shown(bucket)).has('c'))
    await server.later(DAY_MS + 1000)
    await server.records([change('c'), { action: 'scan', bucket }], async () => {
      assert.equal((await site.scan(bucket)).removed, 1)
    })
    await sameAsTheirs(bucket)
    await over(bucket)
  })

  it('what comes back is there again, and nothing is sent under an ETag of before', async () => {
    const bucket = await attached({ a: 'one', b: 'b' })
    await theirs.put('a', 'two, longer')
    const changed = { action: 'external_change', bucket, key: 'a' } as const
    await server.records([changed], async () => {
      const read = await site.read(bucket, 'a', { 'if-none-match': '"of before"' })
      assert.ok(read.kind === 'whole' && read.bytes.toString() === 'two, longer')
    })
    await theirs.delete('a')
    await server.records([changed], () =>
      rejectsWith(server.admin.getObject({ params: { bucket, key: 'a' } }), 'not_found'),
    )
    await theirs.put('a', 'two, longer')
    await server.records([changed], async () => {
      assert.equal((await site.read(bucket, 'a')).kind, 'whole')
    })
    assert.deepEqual(await site.missing(bucket), [])
    await sameAsTheirs(bucket)
    await over(bucket)
  })

  it('many missing objects, or an empty list, are held until an administrator confirms', async () => {
    const objects = Object.fromEntries(
      Array.from({ length: 150 }, (_, i) => [`k/${String(i).padStart(3, '0')}`, `${i}`]),
    )
    const bucket = await attached(objects)
    await theirs.delete(...Object.keys(objects).slice(0, 120))
    const held = await server.records([{ action: 'scan', bucket }], () => site.scan(bucket))
    assert.deepEqual([held.status, held.held_reason, held.absent], ['held', 'many_missing', 120])
    assert.match(held.detail ?? '', /^The storage does not list 120 objects of 150 any more\./)
    assert.deepEqual(await site.missing(bucket), [])
    const again = await site.scan(bucket)
    assert.equal(again.status, 'held')
    assert.equal((await server.admin.getScan({ params: { scan: held.id } })).status, 'superseded')
    await rejectsWith(server.admin.confirmScan({ params: { scan: held.id } }), 'conflict')
    // One of them comes back meanwhile.
    await theirs.put('k/000', '0')
    const first = await server.admin.listAbsences({ params: { scan: again.id }, query: { limit: 100 } })
    assert.equal(first.items.length, 100)
    const rest = await server.admin.listAbsences({
      params: { scan: again.id },
      query: { limit: 100, cursor: first.next_cursor ?? '' },
    })
    assert.equal(rest.items.length, 20)
    await server.admin.confirmScan({ params: { scan: again.id } })
    const done = await site.finishScan(bucket)
    assert.deepEqual([done.status, done.missing, done.id], ['succeeded', 119, again.id])
    assert.equal((await site.missing(bucket)).length, 119)
    await theirs.delete(...Object.keys(objects))
    const empty = await site.scan(bucket)
    assert.deepEqual([empty.status, empty.held_reason], ['held', 'empty'])
    assert.equal((await site.missing(bucket)).length, 119)
    await over(bucket)
  })

  it('writes are refused with the reason, and change nothing', async () => {
    const bucket = await attached({ a: 'a', b: 'b' })
    const own = `own-${bucket}`
    await server.admin.createBucket({ body: { name: own } })
    await server.admin.putObject({ params: { bucket: own, key: 'mine' }, body: 'mine' })
    const { admin } = server
    const params = { bucket }
    const before = await theirs.listed()
    await server.records([], async () => {
      for (const call of [
        () => admin.putObject({ params: { bucket, key: 'n' }, body: 'n' }),
        () => admin.deleteObject({ params: { bucket, key: 'a' } }),
        () => admin.moveObject({ params: { bucket }, body: { source_bucket: bucket, source_key: 'a', dest_key: 'z' } }),
        () => admin.moveObject({ params: { bucket: own }, body: { source_bucket: bucket, source_key: 'a' } }),
        () => admin.copyObject({ params: { bucket }, body: { source_bucket: own, source_key: 'mine' } }),
        () => admin.copyObject({ params: { bucket }, body: { source_bucket: bucket, source_key: 'a', dest_key: 'z' } }),
        () => admin.updateObject({ params: { bucket, key: 'a' }, body: { metadata: { x: 'y' } } }),
        () => admin.initUpload({ params, body: { key: 'n', file_size: 10_000_000 } }),
        () => admin.updateBucket({ params, body: { quota_gb: 1 } }),
        () => admin.updateBucket({ params, body: { versioning: 'enabled' } }),
        () => admin.createJob({ body: { kind: 'delete', source_bucket: bucket } }),
        () => admin.createJob({ body: { kind: 'move', source_bucket: bucket, dest_bucket: own } }),
        () => admin.createJob({ body: { kind: 'migrate', source_bucket: bucket, dest_storage: 'default' } }),
        () => admin.deleteBucket({ params }),
      ])
        await rejectsWith(call(), 'read_only')
    })
    assert.deepEqual(await theirs.listed(), before)
    await server.records([{ action: 'update_object', bucket, key: 'a' }], () =>
      admin.updateObject({ params: { bucket, key: 'a' }, body: { tags: { colour: 'red' } } }),
    )
    await theirs.put('a', 'changed')
    assert.equal((await admin.headObject({ params: { bucket, key: 'a' } })).status, 200)
    const { items } = await admin.listObjects({ params: { bucket } })
    assert.deepEqual(
      items.map(({ tags }) => tags),
      [{ colour: 'red' }, undefined],
    )
    await over(bucket)
  })

  it('copies to a bucket of our own take what is there now', async () => {
    const bucket = await attached({ 'd/a': 'old', 'd/b': 'b', 'd/gone': 'g' })
    const own = `own-${bucket}`
    await server.admin.createBucket({ body: { name: own } })
    await theirs.put('d/a', 'new and longer', { ContentType: 'text/css' })
    await theirs.delete('d/gone')
    const copy = (source_key: string) =>
      server.admin.copyObject({ params: { bucket: own }, body: { source_bucket: bucket, source_key } })
    const made = await copy('d/a')
    assert.deepEqual([made.size, made.content_type], [14, 'text/css'])
    await rejectsWith(copy('d/gone'), 'not_found')
    const job = await server.admin.createJob({
      body: { kind: 'copy', source_bucket: bucket, prefix: 'd/', dest_bucket: own, dest_prefix: 'all/' },
    })
    for (let i = 0; i < 5; i++) await server.running.tick('jobs')
    const { done, failed, errors } = await server.admin.getJob({ params: { id: job.id } })
    assert.deepEqual([done, failed, errors[0]?.code], [2, 1, 'not_found'])
    await over(bucket)
    const read = await server.admin.getObject({ params: { bucket: own, key: 'all/a' } })
    assert.equal(await read.text(), 'new and longer')
  })

  it('a released bucket is forgotten, everything there stays, and it can be attached again', async () => {
    const bucket = await attached({ a: 'a', b: 'b' }, { versioned: true })
    await theirs.put('a', 'second')
    const before = await theirs.versions()
    const { storage } = await server.admin.getBucket({ params: { bucket } })
    const released = await server.records([{ action: 'release_bucket', bucket }], () =>
      server.admin.releaseBucket({ params: { bucket } }),
    )
    assert.equal(released.objects, 2)
    await rejectsWith(server.admin.getBucket({ params: { bucket } }), 'not_found')
    await server.running.tick()
    assert.deepEqual(await theirs.versions(), before)
    const again = await site.attach(storage)
    assert.equal((await site.finishScan(again)).seen, 2)
    await sameAsTheirs(again)
    await rejectsWith(server.admin.deleteStorage({ params: { storage } }), 'not_empty')
    await server.admin.releaseBucket({ params: { bucket: again } })
    await server.running.tick()
    await server.running.tick()
    await server.admin.deleteStorage({ params: { storage } })
    const left = await server.database.db.selectFrom('external_blobs').select('blob_id').execute()
    assert.ok(!left.some(({ blob_id }) => blob_id === storage))
    await theirs.empty()
  })

  it('overlaps are refused both ways', async () => {
    const bucket = await attached({ 'p/q/a': 'a' })
    const { storage } = await server.admin.getBucket({ params: { bucket } })
    for (const prefix of ['', 'p/', 'p/q/r/']) {
      const body = { name: 'overlapping', mode: 'read_only' as const, storage, prefix }
      await rejectsWith(server.admin.createBucket({ body }), 'conflict')
    }
    await rejectsWith(server.admin.createBucket({ body: { name: 'own-there', storage } }), 'conflict')
    await server.admin.releaseBucket({ params: { bucket } })
    const one = await site.attach(storage, 'p/q/')
    await rejectsWith(
      server.admin.createBucket({ body: { name: 'overlapping', mode: 'read_only', storage, prefix: 'p/' } }),
      'conflict',
    )
    const other = await site.attach(storage, 'o/')
    assert.equal((await site.finishScan(one)).seen, 1)
    assert.deepEqual([...(await site.shown(one)).keys()], ['a'])
    assert.equal((await site.finishScan(other)).seen, 0)
    await over(one, other)
  })

  it('scans are due each hour; only administrators attach and confirm, only managers look', async () => {
    const bucket = await attached({ a: 'a' })
    await server.later(3_500_000)
    await server.running.tick('attached-scans')
    const { id } = await site.lastScan(bucket)
    await server.later(200_000)
    const due = await site.finishScan(bucket)
    assert.notEqual(due.id, id)
    assert.equal(due.trigger, 'schedule')
    const reader = server.as(await server.userWith({ bucket_pattern: bucket, actions: ['list', 'read'] }))
    await rejectsWith(reader.listScans({ params: { bucket } }), 'forbidden')
    await rejectsWith(reader.getScan({ params: { scan: id } }), 'not_found')
    await rejectsWith(reader.releaseBucket({ params: { bucket } }), 'forbidden')
    const manager = server.as(await server.userWith({ bucket_pattern: '*', actions: ['create', 'manage'] }))
    assert.equal((await manager.getScan({ params: { scan: id } })).id, id)
    await rejectsWith(manager.confirmScan({ params: { scan: id } }), 'forbidden')
    const { storage } = await server.admin.getBucket({ params: { bucket } })
    await rejectsWith(manager.createBucket({ body: { name: 'theirs', mode: 'read_only', storage } }), 'forbidden')
    await over(bucket)
  })
})
