import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  CopyObjectCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { MARK } from '../../server/drivers/driver.ts'
import { s3World } from '../s3/s3.ts'
import { cephGateway, type Gateway, noGateway } from '../support/ceph.ts'
import { request } from '../support/http.ts'
import { quarters } from '../support/pictures.ts'
import { rejectsWith } from '../support/problems.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { type Foreign, foreignBucket } from './foreign.ts'
import { type EngineProxy, READS, said, startProxy } from './proxy.ts'
import { report } from './records.ts'
import { placeOn, type Site, siteOf } from './site.ts'

const gateway = await cephGateway()
const DAY_MS = 86_400_000
const BIG = Buffer.alloc(300_000, 'a line of a large object\n')
const HARD = 'dir/space + ö%41?.txt'

describe('what a read-only bucket asks of its engine', { skip: gateway ? false : noGateway }, () => {
  let server: TestServer
  let site: Site
  let proxy: EngineProxy
  let foreign: Foreign
  let storage: string
  let bucket: string
  let s3: S3Client
  before(async () => {
    proxy = await startProxy(gateway as Gateway)
    foreign = await foreignBucket(gateway as Gateway)
    server = await startServer('sqlite', { S3_PORT: '0' })
    site = siteOf(server)
    const world = s3World(server)
    s3 = world.clientOf(await world.keyOf())
    await foreign.put('photos/a.png', await quarters().png().toBuffer(), { ContentType: 'image/png' })
    await foreign.put('big.bin', BIG)
    await foreign.put('dir/one.txt', 'one', { Metadata: { owner: 'them' }, Tagging: 'stage=draft' })
    await foreign.put('dir/two.txt', 'two')
    await foreign.put(HARD, 'hard')
    await foreign.put('dir/', '')
  })
  after(async () => {
    await server.stop()
    await foreign.empty()
    await proxy.stop()
  })
  /** Runs a part of the journey: nothing but reads may reach the engine; returns which. */
  async function asks(work: () => Promise<unknown>): Promise<string[]> {
    const from = proxy.log.length
    await work()
    const kinds = proxy.log.slice(from).map(said)
    assert.deepEqual(
      kinds.filter((kind) => !READS.includes(kind)),
      [],
    )
    return [...new Set(kinds)].sort()
  }
  const get = (key: string, headers: Record<string, string> = {}) => site.read(bucket, key, headers)

  it('a storage is registered and tested: one write is tried, which cannot succeed', async () => {
    const registering = await asks(async () => {
      storage = await site.storage({ ...placeOn(gateway as Gateway, proxy.endpoint), bucket: foreign.bucket })
    })
    assert.ok(registering.length > 0)
    const before = proxy.log.length
    const { ok, preview } = await server.admin.testStorage({ params: { storage }, body: { mode: 'read_only' } })
    assert.equal(ok, true)
    assert.equal(preview.length, 6)
    const tested = proxy.log.slice(before)
    const [probe, ...others] = tested.filter((one) => !READS.includes(said(one)))
    assert.deepEqual(others, [])
    assert.equal(probe?.method, 'PUT')
    assert.match(probe.path, new RegExp(`^/${foreign.bucket}/strongroom-write-probe-[0-9a-f-]{36}$`))
    assert.equal((await foreign.listed()).length, 6)
  })

  it('it is attached and scanned: no object of theirs is asked for', async () => {
    const before = proxy.log.length
    await asks(async () => {
      bucket = await site.attach(storage)
      const scan = await site.finishScan(bucket)
      assert.deepEqual([scan.trigger, scan.status, scan.seen, scan.added], ['attach', 'succeeded', 6, 6])
    })
    const asked = proxy.log.slice(before).filter((one) => said(one) !== 'LIST')
    // Whether Strongroom keeps bytes of its own there.
    assert.deepEqual(
      asked.map(({ method, path }) => `${method} ${path}`),
      [`GET /${foreign.bucket}/${MARK}`],
    )
  })

  it('browsing, searching, counting and the list of S3 ask nothing', async () => {
    const asked = await asks(async () => {
      const { objects, common_prefixes } = await server.admin.browse({ params: { bucket }, query: {} })
      assert.deepEqual([objects.map(({ key }) => key), common_prefixes], [['big.bin'], ['dir/', 'photos/']])
      const { items } = await server.admin.listObjects({ params: { bucket }, query: { search: 'ONE' } })
      assert.deepEqual(
        items.map(({ key }) => key),
        ['dir/one.txt'],
      )
      assert.equal((await server.admin.getBucket({ params: { bucket } })).object_count, 6)
      const all = await s3.send(new ListObjectsV2Command({ Bucket: bucket }))
      assert.equal(all.KeyCount, 6)
      assert.equal((await s3.send(new ListObjectsCommand({ Bucket: bucket, Prefix: 'dir/' }))).Contents?.length, 4)
      await server.running.tick('usage-recorder')
    })
    assert.deepEqual(asked, [])
  })

  it('reads whole, in part, conditionally, as image, zip, link, presigned and through S3', async () => {
    const { admin } = server
    const asked = await asks(async () => {
      const whole = await get('big.bin')
      assert.ok(whole.kind === 'whole' && whole.bytes.equals(BIG))
      const part = await get('big.bin', { range: 'bytes=100000-200000' })
      assert.ok(part.kind === 'part' && part.bytes.equals(BIG.subarray(100_000, 200_001)))
      const parts = await admin.getObject({ params: { bucket, key: 'big.bin' }, headers: { range: 'bytes=0-1,9-10' } })
      assert.match(parts.headers.get('content-type') ?? '', /^multipart\/byteranges/)
      await parts.arrayBuffer()
      assert.equal((await get('big.bin', { 'if-none-match': `"${whole.etag}"` })).kind, 'unmodified')
      assert.equal((await get('big.bin', { 'if-match': '"x"' })).kind, 'problem')
      const hard = await get(HARD)
      assert.ok(hard.kind === 'whole' && hard.bytes.equals(Buffer.from('hard')))
      const head = await admin.headObject({ params: { bucket, key: 'dir/one.txt' } })
      assert.equal(head.headers.get('x-meta-owner'), 'them')

      const image = await admin.getImage({ params: { bucket, key: 'photos/a.png' }, query: { w: 20, format: 'webp' } })
      assert.equal(image.headers.get('content-type'), 'image/webp')
      await image.arrayBuffer()
      const zip = await admin.archiveObjects({ params: { bucket }, query: { prefix: 'dir/' } })
      assert.ok((await zip.arrayBuffer()).byteLength > 300)

      const link = await admin.shareObject({ params: { bucket, key: 'dir/two.txt' }, query: {} })
      const folder = await admin.createShare({ body: { kind: 'folder', bucket, prefix: 'dir/' } })
      for (const [path, text] of [
        [`/public/s/${link.token}`, 'two'],
        [`/public/s/${folder.token}/one.txt`, 'one'],
      ] as const)
        assert.equal((await request({ url: server.url, path })).body.toString(), text)
      assert.equal((await request({ url: server.url, path: `/public/s/${folder.token}?archive=1` })).status, 200)
      const { url } = await admin.presignObject({ params: { bucket }, body: { key: 'dir/two.txt' } })
      assert.equal((await request({ url: server.url, path: new URL(url).pathname })).body.toString(), 'two')

      const object = { Bucket: bucket, Key: 'dir/one.txt' }
      const { Body, Metadata } = await s3.send(new GetObjectCommand(object))
      assert.deepEqual([await Body?.transformToString(), Metadata], ['one', { owner: 'them' }])
      assert.equal((await s3.send(new HeadObjectCommand(object))).ContentLength, 3)
      const ranged = await s3.send(new GetObjectCommand({ ...object, Range: 'bytes=1-1' }))
      assert.equal(await ranged.Body?.transformToString(), 'n')
    })
    assert.deepEqual(
      asked.filter((kind) => kind !== 'GET tagging'),
      ['GET', 'HEAD'],
    )
  })

  it('tags are ours, and what cannot be written is refused before the engine hears of it', async () => {
    const { admin } = server
    await asks(async () => {
      const params = { bucket, key: 'dir/one.txt' }
      await admin.updateObject({ params, body: { tags: { seen: 'yes' } } })
      const { TagSet } = await s3.send(new GetObjectTaggingCommand({ Bucket: bucket, Key: params.key }))
      assert.deepEqual(TagSet, [{ Key: 'seen', Value: 'yes' }])
      await s3.send(
        new PutObjectTaggingCommand({
          Bucket: bucket,
          Key: params.key,
          Tagging: { TagSet: [{ Key: 'seen', Value: 'twice' }] },
        }),
      )
    })
    const refused = await asks(async () => {
      const inBucket = { bucket }
      const at = { params: { bucket, key: 'dir/two.txt' } }
      for (const call of [
        () => admin.putObject({ ...at, body: 'x' }),
        () => admin.deleteObject(at),
        () => admin.bulkDelete({ params: inBucket, body: { keys: ['dir/two.txt'] } }),
        () =>
          admin.copyObject({ params: inBucket, body: { source_bucket: bucket, source_key: HARD, dest_key: 'new' } }),
        () =>
          admin.moveObject({ params: inBucket, body: { source_bucket: bucket, source_key: HARD, dest_key: 'new' } }),
        () => admin.initUpload({ params: inBucket, body: { key: 'new' } }),
        () => admin.createJob({ body: { kind: 'delete', source_bucket: bucket, prefix: '' } }),
        () => admin.createShare({ body: { kind: 'upload', bucket, prefix: 'dir/' } }),
        () => admin.updateBucket({ params: inBucket, body: { quota_gb: 1 } }),
        () => admin.updateBucket({ params: inBucket, body: { versioning: 'enabled' } }),
        () => admin.updateBucket({ params: inBucket, body: { trash_days: 1 } }),
        () => admin.deleteBucket({ params: inBucket }),
      ])
        assert.match((await rejectsWith(call(), 'read_only')).problem.detail, /^[A-Z].*\.$/, String(call))
      const { url } = await admin.presignObject({ params: inBucket, body: { key: 'new', method: 'PUT' } })
      const sent = await request({ url: server.url, path: new URL(url).pathname, method: 'PUT', body: 'x' })
      assert.equal(sent.status, 409)
      for (const command of [
        new PutObjectCommand({ Bucket: bucket, Key: 'new', Body: 'x' }),
        new CopyObjectCommand({ Bucket: bucket, Key: 'new', CopySource: `${bucket}/dir/two.txt` }),
      ])
        await assert.rejects(s3.send(command as PutObjectCommand))
    })
    assert.deepEqual(refused, [])
  })

  it('copies to another bucket read here and write there', async () => {
    const { admin } = server
    await admin.createBucket({ body: { name: 'copies' } })
    const params = { bucket: 'copies' }
    const asked = await asks(async () => {
      await admin.copyObject({ params, body: { source_bucket: bucket, source_key: 'big.bin', dest_key: 'big' } })
      await admin.bulkCopy({ params, body: { source_bucket: bucket, keys: [HARD], dest_prefix: 'many/' } })
      const { id } = await admin.createJob({
        body: { kind: 'copy', source_bucket: bucket, prefix: 'dir/', dest_bucket: 'copies', dest_prefix: 'job/' },
      })
      await until(async () => {
        await server.running.tick('jobs')
        return (await admin.getJob({ params: { id } })).status === 'succeeded'
      })
    })
    assert.ok(asked.includes('GET'))
    const big = await site.read('copies', 'big')
    assert.ok(big.kind === 'whole' && big.bytes.equals(BIG))
    assert.deepEqual([...(await site.shown('copies')).keys()].slice(1), [
      'job/',
      'job/one.txt',
      HARD.replace('dir/', 'job/'),
      'job/two.txt',
      'many/space + ö%41?.txt',
    ])
  })

  it('events, hints, a held scan and its confirmation only look', async () => {
    const { admin } = server
    await foreign.put('dir/two.txt', 'two, changed')
    const hinted = await asks(async () => {
      const { token } = await admin.createEventsToken({ params: { storage } })
      server.secrets.add(token)
      assert.equal(await report(server, { storage, token }, foreign.bucket, 'dir/two.txt'), 204)
      await server.running.tick('scan-hints')
    })
    assert.deepEqual(hinted, ['HEAD'])
    assert.match((await site.shown(bucket)).get('dir/two.txt') ?? '', /^12 /)

    const kept = await foreign.listed()
    const bytes = new Map<string, Buffer>()
    for (const { key } of kept) bytes.set(key, await foreign.bytesOf(key))
    await foreign.delete(...kept.map(({ key }) => key))
    await asks(async () => {
      const scan = await site.scan(bucket)
      assert.deepEqual([scan.status, scan.held_reason, scan.absent], ['held', 'empty', 6])
      const { items } = await admin.listAbsences({ params: { scan: scan.id } })
      assert.equal(items.length, 6)
      assert.deepEqual(await site.missing(bucket), [])
      await admin.confirmScan({ params: { scan: scan.id } })
      const confirmed = await site.finishScan(bucket)
      assert.deepEqual([confirmed.status, confirmed.missing], ['succeeded', 6])
    })
    for (const [key, body] of bytes) await foreign.put(key, body)
    await asks(() => site.scan(bucket))
    assert.deepEqual(await site.missing(bucket), [])
  })

  it('workers of all kinds, days later, and the release touch nothing', async () => {
    const { admin } = server
    const kept = await foreign.listed()
    const asked = await asks(async () => {
      for (let day = 0; day < 4; day++) {
        await server.later(DAY_MS)
        await server.running.tick()
      }
      await admin.deleteObject({ params: { bucket: 'copies', key: 'big' } })
      const { objects } = await admin.releaseBucket({ params: { bucket } })
      assert.equal(objects, 6)
      await rejectsWith(admin.getBucket({ params: { bucket } }), 'not_found')
      for (let day = 0; day < 4; day++) {
        await server.later(DAY_MS)
        await server.running.tick()
      }
      await admin.deleteStorage({ params: { storage } })
      await server.running.tick()
    })
    assert.deepEqual(
      asked.filter((kind) => kind !== 'LIST' && kind !== 'HEAD'),
      [],
    )
    assert.deepEqual(await foreign.listed(), kept)
    assert.ok((await foreign.bytesOf('big.bin')).equals(BIG))
    const writes = proxy.log.filter((one) => !READS.includes(said(one)))
    assert.deepEqual(
      writes.map(({ method }) => method),
      ['PUT'],
    )
  })
})
