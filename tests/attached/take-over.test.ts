import assert from 'node:assert/strict'
import { after, it as always, before } from 'node:test'
import * as s3 from '@aws-sdk/client-s3'
import { listTaken } from '../../server/storage/attached/findings/store.ts'
import { cephGateway, noGateway } from '../support/ceph.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { type Foreign, foreignBucket } from './foreign.ts'
import { type EngineProxy, said, startProxy } from './proxy.ts'
import { report } from './records.ts'
import { placeOn, type Site, siteOf } from './site.ts'

const gateway = await cephGateway()
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** More than the grace period of blobs. */
const GRACE_MS = 2 * HOUR_MS

interface Options {
  versioned?: boolean
  versionedLater?: boolean
}

describeEngines('buckets that are taken over', (engine) => {
  let server: TestServer
  let site: Site
  let proxy: EngineProxy
  const foreigners: Foreign[] = []
  const it = gateway ? always : always.skip
  if (!gateway) always(`buckets that are taken over: ${noGateway}`, { skip: true }, () => {})
  before(async () => {
    if (!gateway) return
    proxy = await startProxy(gateway)
    server = await startServer(engine)
    site = siteOf(server)
  })
  after(async () => {
    await server?.stop()
    for (const one of foreigners) await one.empty()
    await proxy?.stop()
  })

  /**
   * A bucket of others with these objects, attached, scanned and quiet for a day. `versionedLater`: it has kept versions
   * only since they were there.
   */
  async function quiet(objects: Record<string, string>, options: Options = {}) {
    if (!gateway) throw new Error('no gateway')
    const theirs = await foreignBucket(gateway, options)
    foreigners.push(theirs)
    for (const [key, body] of Object.entries(objects))
      await theirs.put(key, body, { ContentType: 'text/css', Metadata: { who: 'them' }, Tagging: 'stage=draft' })
    if (options.versionedLater)
      await theirs.client.send(
        new s3.PutBucketVersioningCommand({
          Bucket: theirs.bucket,
          VersioningConfiguration: { Status: 'Enabled' },
        }),
      )
    const storage = await site.storage({ ...placeOn(gateway, proxy.endpoint), bucket: theirs.bucket })
    const bucket = await site.attach(storage)
    await site.finishScan(bucket)
    await server.later(DAY_MS + 1000)
    return { theirs, storage, bucket }
  }
  const takeOver = async (bucket: string, body: { quiet_hours?: number; storage?: string } = {}) => {
    await server.admin.takeOverBucket({ params: { bucket }, body })
    return site.finishScan(bucket)
  }
  async function takenOver(objects: Record<string, string>, options: Options = {}) {
    const made = await quiet(objects, options)
    const scan = await takeOver(made.bucket)
    assert.deepEqual([scan.status, scan.detail], ['succeeded', null])
    proxy.log.length = 0
    return made
  }
  const asked = () => proxy.log.splice(0).map(said)
  const text = async (bucket: string, key: string) => (await server.admin.getObject({ params: { bucket, key } })).text()
  const findings = async (bucket: string) =>
    (await server.admin.listFindings({ params: { bucket } })).items.map(({ key, kind, object, size }) => ({
      key,
      kind,
      object,
      size,
    }))
  const runJob = async (id: string) => {
    for (let ticks = 0; ticks < 50; ticks++) {
      await server.running.tick('jobs')
      const job = await server.admin.getJob({ params: { id } })
      if (!['queued', 'running'].includes(job.status)) return job
    }
    return assert.fail('the job does not end')
  }
  const collect = async () => {
    await server.later(GRACE_MS)
    await server.running.tick('blob-collector')
  }
  /** Deletes an object and what the trash has of it. */
  async function deleteWhole(bucket: string, key: string) {
    await server.admin.deleteObject({ params: { bucket, key } })
    const { items } = await server.admin.listTrash({ params: { bucket } })
    const ids = items.filter((one) => one.key === key).map(({ id }) => id)
    await server.admin.purgeTrash({ params: { bucket }, body: { ids } })
  }

  it('says what stands in the way, and takes over only what has been quiet', async () => {
    const { bucket, theirs } = await quiet({ a: '1', b: '22' })
    const ask = (body = {}) => server.admin.takeOverBucket({ params: { bucket }, body: { dry_run: true, ...body } })
    const { ready, problems, objects, bytes, unread, scan } = await server.records([], () => ask())
    assert.deepEqual([ready, problems, objects, bytes, unread, scan], [true, [], 2, 3, 2, null])
    const early = await ask({ quiet_hours: 48 })
    assert.deepEqual([early.ready, early.problems.map(({ code }) => code)], [false, ['not_quiet']])
    await rejectsWith(server.admin.takeOverBucket({ params: { bucket }, body: { quiet_hours: 48 } }), 'conflict')
    await theirs.put('b', 'changed')
    await site.scan(bucket)
    const late = await ask()
    assert.deepEqual(
      late.problems.map(({ code }) => code),
      ['not_quiet'],
    )
    assert.deepEqual((await ask({ quiet_hours: 0 })).problems, [])
    // Others write again before the scan.
    await theirs.put('c', 'new')
    const change = { action: 'external_change', bucket, key: 'c' } as const
    await server.records([change, { action: 'scan', bucket }], async () => {
      const held = await takeOver(bucket, { quiet_hours: 0 })
      assert.deepEqual([held.trigger, held.status, held.held_reason], ['take_over', 'held', 'changed'])
      await rejectsWith(server.admin.confirmScan({ params: { scan: held.id } }), 'conflict')
    })
    assert.equal((await server.admin.getBucket({ params: { bucket } })).mode, 'read_only')
    await rejectsWith(server.admin.putObject({ params: { bucket, key: 'x' }, body: 'x' }), 'read_only')
    await server.records(
      [
        { action: 'take_over', bucket },
        { action: 'scan', bucket },
      ],
      async () => {
        const done = await takeOver(bucket, { quiet_hours: 0 })
        assert.deepEqual([done.status, done.seen, done.changed], ['succeeded', 3, 0])
      },
    )
    const { mode, source, storage, trash_days } = await server.admin.getBucket({ params: { bucket } })
    assert.deepEqual([mode, storage, source?.bucket, source?.findings], ['taken_over', 'default', theirs.bucket, 0])
    assert.ok(source?.taken_over_at && trash_days > 0)
    await rejectsWith(server.admin.takeOverBucket({ params: { bucket } }), 'conflict')
  })

  it('works like an owned one: the engine is asked for bytes alone, and told nothing', async () => {
    const { bucket, theirs } = await takenOver({ 'dir/a': 'aaa', 'dir/b': 'bbb', c: 'ccc' })
    const head = await server.admin.headObject({ params: { bucket, key: 'dir/a' } })
    assert.deepEqual(
      ['content-type', 'x-meta-who'].map((name) => head.headers.get(name)),
      ['text/css', 'them'],
    )
    assert.deepEqual(asked(), [])
    assert.equal(await text(bucket, 'dir/a'), 'aaa')
    assert.deepEqual(asked(), ['GET'])
    const moving = await server.admin.createJob({
      body: { kind: 'move', source_bucket: bucket, prefix: 'dir/', dest_prefix: 'renamed/' },
    })
    assert.equal((await runJob(moving.id)).status, 'succeeded')
    await server.admin.copyObject({
      params: { bucket },
      body: { source_bucket: bucket, source_key: 'c', dest_key: 'copy' },
    })
    await server.admin.putObject({ params: { bucket, key: 'c' }, body: 'written here' })
    await server.admin.putObject({ params: { bucket, key: 'new' }, body: 'new' })
    assert.deepEqual(asked(), [])
    assert.deepEqual([...(await site.shown(bucket)).keys()], ['c', 'copy', 'new', 'renamed/a', 'renamed/b'])
    assert.deepEqual(await Promise.all(['c', 'copy', 'renamed/b'].map((key) => text(bucket, key))), [
      'written here',
      'ccc',
      'bbb',
    ])
    // Nothing of this is visible where the others keep theirs.
    assert.deepEqual(
      (await theirs.listed()).map(({ key }) => key),
      ['c', 'dir/a', 'dir/b'],
    )
    const scan = await site.scan(bucket)
    assert.deepEqual([scan.status, scan.seen, scan.added, scan.changed, scan.missing], ['succeeded', 3, 0, 0, 0])
    assert.deepEqual(await findings(bucket), [])
  })

  it('removes from the engine what nothing needs any more, and nothing that others wrote', async () => {
    const { bucket, theirs } = await takenOver({ gone: '1', shared: '2', theirs: '3', stays: '4' })
    await server.admin.copyObject({
      params: { bucket },
      body: { source_bucket: bucket, source_key: 'shared', dest_key: 'again' },
    })
    for (const key of ['gone', 'shared', 'theirs']) await deleteWhole(bucket, key)
    await server.running.tick('blob-collector')
    const keys = async () => (await theirs.listed()).map(({ key }) => key)
    assert.deepEqual(await keys(), ['gone', 'shared', 'stays', 'theirs'])
    await theirs.put('theirs', 'written by others')
    await collect()
    assert.deepEqual(await keys(), ['shared', 'stays', 'theirs'])
    assert.equal(await text(bucket, 'again'), '2')
    assert.equal(String(await theirs.bytesOf('theirs')), 'written by others')
    await deleteWhole(bucket, 'again')
    // While the storage is away, the order waits.
    await proxy.misbehave({ kind: 'status', status: 503 })
    await server.later(GRACE_MS)
    await assert.rejects(server.running.tick('blob-collector'))
    await proxy.misbehave(null)
    assert.deepEqual(await keys(), ['shared', 'stays', 'theirs'])
    await server.running.tick('blob-collector')
    assert.deepEqual(await keys(), ['stays', 'theirs'])
    await site.scan(bucket)
    assert.deepEqual(await findings(bucket), [{ key: 'theirs', kind: 'foreign', object: null, size: 17 }])
    // An emptied bucket can be deleted; its source is forgotten when nothing is left there.
    await server.admin.deleteObject({ params: { bucket, key: 'stays' } })
    await server.admin.deleteBucket({ params: { bucket } })
    await server.later(40 * DAY_MS)
    await server.running.tick()
    await collect()
    assert.deepEqual(await keys(), ['theirs'])
    await server.running.tick()
    const { db } = server.database
    const left = await db
      .selectFrom('attachments')
      .innerJoin('storages', 'storages.id', 'storage_id')
      .select('bucket_id')
      .where('storages.bucket', '=', theirs.bucket)
      .execute()
    assert.deepEqual(left, [])
  })

  it('shows what others do afterwards as findings, and merges none of it', async () => {
    const { bucket, theirs, storage } = await takenOver({ changed: 'mine', deleted: 'mine too', same: 'same' })
    const { token } = await server.admin.createEventsToken({ params: { storage } })
    server.secrets.add(token)
    await theirs.put('changed', 'by others')
    await theirs.put('new', 'of others')
    await theirs.delete('deleted')
    await theirs.put('same', 'same')
    const finding = (key: string) => ({ action: 'external_finding', bucket, key }) as const
    await server.records(
      [finding('changed'), finding('deleted'), finding('new'), { action: 'scan', bucket }],
      async () => {
        const scan = await site.scan(bucket)
        assert.deepEqual([scan.status, scan.added, scan.changed, scan.missing], ['succeeded', 1, 1, 1])
      },
    )
    assert.deepEqual(await findings(bucket), [
      { key: 'changed', kind: 'changed', object: 'changed', size: 9 },
      { key: 'deleted', kind: 'missing', object: 'deleted', size: null },
      { key: 'new', kind: 'foreign', object: null, size: 9 },
    ])
    assert.equal((await server.admin.getBucket({ params: { bucket } })).source?.findings, 3)
    assert.deepEqual([...(await site.shown(bucket)).keys()], ['changed', 'deleted', 'same'])
    // Bytes that are not those of the object are an error, and never sent.
    for (const key of ['changed', 'deleted']) {
      const read = await site.read(bucket, key)
      assert.deepEqual([read.kind, read.kind === 'problem' && read.code], ['problem', 'conflict'])
    }
    assert.equal(await text(bucket, 'same'), 'same')
    // Known ones are not recorded again; what is put right ends.
    await theirs.put('changed', 'mine')
    await theirs.delete('new')
    await server.records([{ action: 'scan', bucket }], () => site.scan(bucket))
    assert.deepEqual(
      (await findings(bucket)).map(({ key }) => key),
      ['deleted'],
    )
    assert.equal(await text(bucket, 'changed'), 'mine')
    // Events say the same within seconds.
    await theirs.put('same', 'not any more')
    assert.equal(await report(server, { storage, token }, theirs.bucket, 'same'), 204)
    await server.records([finding('same')], () => server.running.tick('scan-hints'))
    await theirs.put('same', 'same')
    assert.equal(await report(server, { storage, token }, theirs.bucket, 'same'), 204)
    await server.records([], () => server.running.tick('scan-hints'))
    assert.deepEqual(
      (await findings(bucket)).map(({ key }) => key),
      ['deleted'],
    )
    // The lost object can still be deleted.
    await deleteWhole(bucket, 'deleted')
    await collect()
    await site.scan(bucket)
    assert.deepEqual(await findings(bucket), [])
  })

  it('keeps reading its versions where the engine has versions, and removes those alone', async () => {
    const { bucket, theirs } = await takenOver({ a: 'mine', b: 'mine' }, { versioned: true })
    await theirs.put('a', 'by others')
    await theirs.deleteOne('b')
    assert.deepEqual([await text(bucket, 'a'), await text(bucket, 'b')], ['mine', 'mine'])
    await site.scan(bucket)
    assert.deepEqual(
      (await findings(bucket)).map(({ key, kind }) => [key, kind]),
      [
        ['a', 'changed'],
        ['b', 'missing'],
      ],
    )
    const before = (await theirs.versions()).length
    await deleteWhole(bucket, 'a')
    await collect()
    assert.equal((await theirs.versions()).length, before - 1)
    assert.equal(String(await theirs.bytesOf('a')), 'by others')
    const earlier = await takenOver({ a: 'without a version' }, { versionedLater: true })
    await deleteWhole(earlier.bucket, 'a')
    await collect()
    assert.deepEqual(await earlier.theirs.versions(), [])
  })

  it('counts against the quota over all buckets from then on', async () => {
    const { bucket } = await quiet({ a: 'x'.repeat(1000) })
    const quota = async (gb: number | null) => server.admin.updateSettings({ body: { quotas: { total_quota_gb: gb } } })
    await quota(0.001)
    const used = async () => {
      const { db } = server.database
      const row = await db
        .selectFrom('quotas')
        .select('used_bytes')
        .where('used_bytes', 'is not', null)
        .executeTakeFirst()
      return Number(row?.used_bytes)
    }
    const usedBefore = await used()
    await takeOver(bucket)
    assert.equal((await used()) - usedBefore, 1000)
    await quota(null)
  })

  it('moves the old bytes to a storage of its own, and is an owned bucket then', async () => {
    const { bucket, theirs } = await takenOver({ a: 'aa', b: 'bb' })
    const { id } = await server.admin.createJob({
      body: { kind: 'migrate', source_bucket: bucket, dest_storage: 'default' },
    })
    assert.deepEqual([(await runJob(id)).status, asked()], ['succeeded', ['GET', 'GET']])
    assert.deepEqual([await text(bucket, 'a'), await text(bucket, 'b'), asked()], ['aa', 'bb', []])
    await collect()
    assert.deepEqual(await theirs.listed(), [])
    await server.running.tick('attached-scans')
    const { items } = await server.admin.listAudit({ query: { bucket } })
    assert.deepEqual(
      items.slice(0, 2).map(({ action, details }) => [action, action === 'scan' ? details.status : details.after]),
      [
        ['update_bucket', { mode: 'owned' }],
        ['scan', 'succeeded'],
      ],
    )
    const { mode, source } = await server.admin.getBucket({ params: { bucket } })
    assert.deepEqual([mode, source], ['owned', null])
  })

  it('is released by a job that writes every object under its key, reads it again and compares', async () => {
    if (!gateway) return
    const { bucket, theirs } = await takenOver({ 'dir/a': 'aaa', b: 'bbb', 'ü 漢+%': 'c' })
    const there = await foreignBucket(gateway)
    foreigners.push(there)
    const storage = await site.storage({ ...placeOn(gateway, proxy.endpoint), bucket: there.bucket })
    await server.admin.moveObject({
      params: { bucket },
      body: { source_bucket: bucket, source_key: 'b', dest_key: 'renamed/b' },
    })
    const big = Buffer.alloc(3_000_000, 'many bytes\n')
    await server.admin.putObject({
      params: { bucket, key: 'big' },
      headers: { 'content-type': 'image/png', 'x-meta-name': 'ä', 'x-encryption': 'AES256' },
      body: big,
    })
    const encrypted = async () => {
      const { encrypted_bytes, encrypted_objects } = await server.admin.getBucket({ params: { bucket } })
      return [encrypted_bytes, encrypted_objects]
    }
    assert.deepEqual(await encrypted(), [big.length, 1])
    const release = (body: object = { storage }) => server.admin.releaseBucket({ params: { bucket }, body })
    await rejectsWith(release({}), 'invalid_request')
    await there.put('in the way', 'x')
    await rejectsWith(release(), 'conflict')
    const plan = await server.records([], () => release({ storage, prefix: 'back/', dry_run: true }))
    assert.deepEqual(plan, { objects: 4, bytes: 7 + big.length, job: null })
    // What a layout of keys has no place for is not lost silently.
    await server.admin.putObject({ params: { bucket, key: 'trashed' }, body: 'x' })
    await server.admin.deleteObject({ params: { bucket, key: 'trashed' } })
    await rejectsWith(release({ storage, prefix: 'back/' }), 'conflict')
    await server.admin.purgeTrash({ params: { bucket }, body: { all: true } })

    const { job } = await release({ storage, prefix: 'back/' })
    await rejectsWith(release({ storage, prefix: 'back/' }), 'conflict')
    const writes = proxy.hold(1, ({ method }) => method === 'PUT')
    const working = runJob(job?.id ?? '')
    await writes.reached
    const frozen = await server.admin.getBucket({ params: { bucket } })
    assert.deepEqual([frozen.mode, frozen.source?.release_job], ['taken_over', job?.id])
    await rejectsWith(server.admin.putObject({ params: { bucket, key: 'x' }, body: 'x' }), 'read_only')
    await rejectsWith(server.admin.deleteObject({ params: { bucket, key: 'big' } }), 'read_only')
    assert.equal(await text(bucket, 'dir/a'), 'aaa')
    writes.release()
    const done = await working
    assert.deepEqual([done.kind, done.status, done.total, done.done, done.failed], ['release', 'succeeded', 4, 4, 0])

    const listed = (await there.listed()).filter(({ key }) => key.startsWith('back/'))
    assert.deepEqual(
      listed.map(({ key }) => key),
      ['back/big', 'back/dir/a', 'back/renamed/b', 'back/ü 漢+%'],
    )
    assert.ok((await there.bytesOf('back/big')).equals(big))
    const head = await there.client.send(new s3.HeadObjectCommand({ Bucket: there.bucket, Key: 'back/dir/a' }))
    assert.deepEqual([head.ContentType, head.Metadata], ['text/css', { who: 'them' }])
    const tags = await there.client.send(new s3.GetObjectTaggingCommand({ Bucket: there.bucket, Key: 'back/dir/a' }))
    assert.deepEqual(tags.TagSet, [{ Key: 'stage', Value: 'draft' }])
    const after = await server.admin.getBucket({ params: { bucket } })
    assert.deepEqual(
      [after.mode, after.storage, after.source?.prefix, after.source?.taken_over_at, after.object_count],
      ['read_only', storage, 'back/', null, 4],
    )
    await rejectsWith(server.admin.putObject({ params: { bucket, key: 'x' }, body: 'x' }), 'read_only')
    assert.equal(await text(bucket, 'renamed/b'), 'bbb')
    // What was encrypted here is not encrypted there.
    assert.equal(await text(bucket, 'big'), big.toString())
    assert.deepEqual(await encrypted(), [0, 0])
    const scan = await site.scan(bucket)
    assert.deepEqual([scan.seen, scan.added, scan.changed, scan.absent], [4, 0, 0, 0])
    // What was taken over stays where it was, also when the grace is over.
    await collect()
    assert.deepEqual(
      (await theirs.listed()).map(({ key }) => key),
      ['b', 'dir/a', 'ü 漢+%'],
    )
    await server.records([{ action: 'release_bucket', bucket }], async () => {
      assert.deepEqual(await server.admin.releaseBucket({ params: { bucket } }), { objects: 4, bytes: 0, job: null })
    })
    await server.running.tick('released-buckets')
    assert.equal((await there.listed()).length, 5)
  })

  it('compares its own place alone, where a release has left something on the same storage', async () => {
    if (!gateway) return
    const theirs = await foreignBucket(gateway)
    foreigners.push(theirs)
    for (const key of ['m/1', 'm/2']) await theirs.put(key, key)
    const storage = await site.storage({ ...placeOn(gateway, proxy.endpoint), bucket: theirs.bucket })
    const bucket = await site.attach(storage, 'm/')
    await site.finishScan(bucket)
    await takeOver(bucket, { quiet_hours: 0 })
    const { job } = await server.admin.releaseBucket({ params: { bucket }, body: { storage, prefix: 'z/' } })
    await theirs.put('z/odd', 'odd')
    assert.equal((await runJob(job?.id ?? '')).status, 'failed')
    const { db } = server.database
    const { bucket_id, storage_id, prefix } = await db
      .selectFrom('attachments')
      .innerJoin('buckets', 'buckets.id', 'bucket_id')
      .selectAll('attachments')
      .where('name', '=', bucket)
      .executeTakeFirstOrThrow()
    const taken = (prefix: string) =>
      listTaken(db, { bucket_id, storage_id, prefix }, { after: prefix, to: null, order: 'bytes' }, 10)
    assert.deepEqual([await taken(prefix), (await taken('z/')).map(({ key }) => key)], [[], ['z/1', 'z/2']])
    const scan = await site.scan(bucket)
    assert.deepEqual([scan.status, scan.added, scan.changed, scan.missing], ['succeeded', 2, 0, 0])
    assert.deepEqual([await text(bucket, '1'), await text(bucket, '2')], ['m/1', 'm/2'])
  })

  it('stays taken over if its release is cancelled or fails, and can be released again', async () => {
    if (!gateway) return
    const { bucket } = await takenOver({ a: 'a', b: 'b', c: 'c' })
    const there = await foreignBucket(gateway)
    foreigners.push(there)
    const storage = await site.storage({ ...placeOn(gateway, proxy.endpoint), bucket: there.bucket })
    const release = async () =>
      (await server.admin.releaseBucket({ params: { bucket }, body: { storage } })).job?.id ?? ''
    const first = await release()
    const hold = proxy.hold(1, ({ method }) => method === 'PUT')
    const working = runJob(first)
    await hold.reached
    await server.admin.cancelJob({ params: { id: first } })
    hold.release()
    assert.equal((await working).status, 'cancelled')
    const { mode, source } = await server.admin.getBucket({ params: { bucket } })
    assert.deepEqual([mode, source?.release_job], ['taken_over', null])
    await server.admin.putObject({ params: { bucket, key: 'd' }, body: 'd' })
    // Somebody puts something between what was written.
    await there.put('b2', 'odd')
    const failed = await runJob(await release())
    assert.equal(failed.status, 'failed')
    assert.match(failed.detail ?? '', /b2/)
    assert.equal((await server.admin.getBucket({ params: { bucket } })).mode, 'taken_over')
    assert.deepEqual(await Promise.all(['a', 'b', 'c', 'd'].map((key) => text(bucket, key))), ['a', 'b', 'c', 'd'])
    await there.delete('b2')
    assert.equal((await runJob(await release())).status, 'succeeded')
    assert.deepEqual(
      (await there.listed()).map(({ key }) => key),
      ['a', 'b', 'c', 'd'],
    )
    await server.admin.releaseBucket({ params: { bucket } })
  })
})
