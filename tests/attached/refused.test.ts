import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { GetObjectCommand, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { s3World } from '../s3/s3.ts'
import { request } from '../support/http.ts'
import { quarters } from '../support/pictures.ts'
import { rejectsWith } from '../support/problems.ts'
import type { TestServer } from '../support/server.ts'
import type { FakeEngine } from './fake-engine.ts'
import { fakeWorld } from './fake-world.ts'
import { md5, type Site, taken } from './site.ts'

const DAY_MS = 86_400_000

describe('what an engine has that cannot be shown, or not always', () => {
  const world = fakeWorld({ S3_PORT: '0' })
  let server: TestServer
  let site: Site
  let fake: FakeEngine
  let storage: string
  let s3: S3Client
  before(async () => {
    ;({ server, site, fake, storage } = world.parts())
    const s3s = s3World(server)
    s3 = s3s.clientOf(await s3s.keyOf())
  })
  const { nextPrefix } = world
  const under = (prefix: string, bytes: readonly number[]) => Buffer.concat([Buffer.from(prefix), Buffer.from(bytes)])
  /** Attaches what is under a prefix, and scans it. */
  async function attached(prefix: string): Promise<string> {
    const bucket = await site.attach(storage, prefix)
    const scan = await site.finishScan(bucket)
    assert.equal(scan.status, 'succeeded', scan.detail ?? '')
    return bucket
  }
  const isSentence = (text: string) => assert.match(text, /^[A-Z“].{10,300}\.$/s)

  it('keys that are too long or not UTF-8 are counted and named; all others are shown', async () => {
    for (const rawKeys of [false, true]) {
      fake.lies = { sendsRawKeys: rawKeys }
      const prefix = nextPrefix()
      const fine = ['a', 'b c+d%41', 'ö/漢', 'y&<>"\'', 'zz']
      for (const key of fine) fake.put(prefix + key, key)
      fake.put(under(prefix, [0x6d, 0xff, 0xfe]), 'not UTF-8')
      fake.put(`${prefix}${'n'.repeat(1025)}`, 'too long')
      fake.put(`${prefix}${'ö'.repeat(512)}`, 'just fits')
      if (!rawKeys) fake.put(under(prefix, [0x6f, 0, 0x6f]), 'NUL')
      const bucket = await attached(prefix)
      const scan = await site.lastScan(bucket)
      assert.equal(scan.refused, rawKeys ? 2 : 3)
      for (const [reason, start] of [
        // What an engine writes into XML as it is has lost those bytes already.
        [rawKeys ? /a character that XML cannot carry/ : /UTF-8/, 'm'],
        [/1,024 bytes/, 'nnn'],
        ...(rawKeys ? [] : ([[/NUL/, 'o']] as const)),
      ] as const) {
        const found =
          scan.refused_keys.find((one) => one.key.replace(prefix, '').startsWith(start)) ??
          assert.fail(`${start} is not named`)
        assert.match(found.reason, reason)
        isSentence(found.reason)
      }
      const shown = [...(await site.shown(bucket)).keys()]
      assert.deepEqual(shown.sort(), [...fine, 'ö'.repeat(512)].sort())
      for (const key of fine) {
        const read = await site.read(bucket, key)
        assert.ok(read.kind === 'whole' && read.bytes.toString() === key, key)
      }
      const again = await site.scan(bucket)
      assert.deepEqual([again.status, again.added, again.changed, again.absent], ['succeeded', 0, 0, 0])
      assert.equal(again.refused, scan.refused)
    }
  })

  it('of many refused keys the first hundred are named, over several pages', async () => {
    const prefix = nextPrefix()
    fake.page = 7
    for (let i = 0; i < 120; i++) fake.put(under(prefix, [0x61, 0xff, i]), 'x')
    for (let i = 0; i < 5; i++) fake.put(`${prefix}b${i}`, 'x')
    const bucket = await attached(prefix)
    const scan = await site.lastScan(bucket)
    assert.deepEqual([scan.refused, scan.refused_keys.length, scan.added], [120, 100, 5])
    assert.equal((await site.shown(bucket)).size, 5)
  })

  it('archived objects are listed, but read only after they were restored', async () => {
    const { admin } = server
    const prefix = nextPrefix()
    const cold = ['GLACIER', 'DEEP_ARCHIVE'] as const
    for (const storageClass of cold) fake.put(`${prefix}${storageClass}`, storageClass, { storageClass })
    fake.put(`${prefix}warm`, 'warm', { storageClass: 'STANDARD_IA' })
    fake.put(`${prefix}restored`, 'restored', {
      storageClass: 'GLACIER',
      restore: 'ongoing-request="false", expiry-date="Fri, 21 Dec 2029 00:00:00 GMT"',
    })
    const bucket = await attached(prefix)
    await admin.createBucket({ body: { name: `copies-of-${bucket}` } })
    for (const key of ['warm', 'restored']) assert.equal((await site.read(bucket, key)).kind, 'whole', key)
    for (const key of cold) {
      const copy = { source_bucket: bucket, source_key: key }
      const { url } = await admin.presignObject({ params: { bucket }, body: { key } })
      for (const call of [
        () => admin.getObject({ params: { bucket, key } }),
        () => admin.getObject({ params: { bucket, key }, headers: { range: 'bytes=0-1' } }),
        () => admin.copyObject({ params: { bucket: `copies-of-${bucket}` }, body: copy }),
      ]) {
        const { problem } = await rejectsWith(call(), 'archived')
        isSentence(problem.detail)
      }
      assert.equal((await request({ url: server.url, path: new URL(url).pathname })).status, 409)
      await assert.rejects(s3.send(new GetObjectCommand({ Bucket: bucket, Key: key })), { name: 'InvalidObjectState' })
      assert.equal((await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: key }))).ContentLength, key.length)
      // While it is being restored, and when it has been.
      const object = fake.put(`${prefix}${key}`, key, { storageClass: key, restore: 'ongoing-request="true"' })
      await rejectsWith(admin.getObject({ params: { bucket, key } }), 'archived')
      object.restore = 'ongoing-request="false", expiry-date="Fri, 21 Dec 2029 00:00:00 GMT"'
      assert.equal((await site.read(bucket, key)).kind, 'whole')
    }
    assert.deepEqual(await site.missing(bucket), [])
  })

  it('objects whose key only their owner has are refused with the reason, and stay', async () => {
    const prefix = nextPrefix()
    fake.put(`${prefix}sealed`, 'sealed', { sealed: true })
    fake.put(`${prefix}open`, 'open')
    const bucket = await attached(prefix)
    const read = await site.read(bucket, 'sealed')
    assert.ok(read.kind === 'problem')
    isSentence(read.detail)
    assert.match(read.detail, /encrypt/)
    assert.equal((await site.read(bucket, 'open')).kind, 'whole')
    await site.scan(bucket)
    assert.deepEqual([...(await site.shown(bucket)).keys()], ['open', 'sealed'])
    assert.deepEqual(await site.missing(bucket), [])
  })

  it('without ETags a bucket is shown as weak, and changes are noticed by size and time', async () => {
    const prefix = nextPrefix()
    fake.lies = { noEtags: true }
    fake.put(`${prefix}a`, 'first')
    fake.put(`${prefix}b`, 'x'.repeat(200_000))
    const bucket = await attached(prefix)
    const isWeak = async () => (await server.admin.getBucket({ params: { bucket } })).source?.weak
    assert.equal(await isWeak(), true)
    const before = await site.read(bucket, 'a')
    assert.ok(before.kind === 'whole' && before.bytes.toString() === 'first')
    assert.ok(before.etag)
    // The same length, and another time.
    fake.put(`${prefix}a`, 'other', { modified: new Date(Date.now() + 60_000) })
    const after = await site.read(bucket, 'a', { 'if-none-match': `"${before.etag}"` })
    assert.ok(after.kind === 'whole' && after.bytes.toString() === 'other')
    fake.lies = { noEtags: true, changesAfterHead: true }
    for (const key of ['a', 'b']) assert.notEqual((await site.read(bucket, key)).kind, 'whole')
    fake.lies = { answersHtml: true }
    assert.notEqual((await site.read(bucket, 'a')).kind, 'whole')
    fake.lies = {}
    await site.scan(bucket)
    assert.equal(await isWeak(), false)
    assert.equal((await site.read(bucket, 'a')).kind, 'whole')
    // And the other way round, of a bucket that had some.
    fake.lies = { noEtags: true }
    const other = await site.read(bucket, 'b')
    assert.ok(other.kind === 'problem' && /without its ETag/.test(other.detail))
    await site.scan(bucket)
    assert.deepEqual([await isWeak(), (await site.shown(bucket)).size], [true, 2])
    assert.equal((await site.read(bucket, 'b')).kind, 'whole')
  })

  it('what a list leaves out is never removed while the engine still has it', async () => {
    const prefix = nextPrefix()
    for (let i = 0; i < 10; i++) fake.put(`${prefix}${i}`, `object ${i}`)
    const bucket = await attached(prefix)
    fake.lies = { listsHalf: true }
    for (let day = 0; day < 3; day++) {
      assert.equal((await site.scan(bucket)).removed, 0)
      await server.later(DAY_MS + 1000)
    }
    assert.equal((await site.shown(bucket)).size, 10)
    for (let i = 0; i < 10; i++) assert.equal((await site.read(bucket, String(i))).kind, 'whole')
    fake.lies = {}
    await site.scan(bucket)
    assert.deepEqual(await site.missing(bucket), [])
  })

  it('a list that fails on its second page is held; what its first page had counts', async () => {
    const prefix = nextPrefix()
    fake.page = 3
    for (let i = 0; i < 8; i++) fake.put(`${prefix}${i}`, `object ${i}`)
    const bucket = await attached(prefix)
    fake.put(`${prefix}0`, 'changed')
    fake.delete(`${prefix}7`)
    fake.lies = { listsOnlyOnePage: true }
    const scan = await site.scan(bucket)
    assert.deepEqual([scan.status, scan.held_reason], ['held', 'listing_failed'])
    isSentence(scan.detail ?? '')
    assert.match(scan.detail ?? '', /overloaded/)
    assert.deepEqual(await site.missing(bucket), [])
    await rejectsWith(server.admin.confirmScan({ params: { scan: scan.id } }), 'conflict')
    fake.lies = {}
    const after = await site.scan(bucket)
    assert.deepEqual([after.status, after.missing], ['succeeded', 1])
    assert.equal((await server.admin.getScan({ params: { scan: scan.id } })).status, 'superseded')
  })

  it('no door sends bytes that are not whole, or not those of the ETag', async () => {
    const { admin } = server
    const prefix = nextPrefix()
    const key = 'picture.png'
    const picture = await quarters(600, 400).png({ compressionLevel: 0 }).toBuffer()
    assert.ok(picture.length > 300_000)
    fake.put(prefix + key, picture, { type: 'image/png' })
    const bucket = await attached(prefix)
    const link = await admin.shareObject({ params: { bucket, key }, query: {} })
    const signed = await admin.presignObject({ params: { bucket }, body: { key } })
    const from = (path: string) => () => fetch(server.url + path, { headers: { connection: 'close' } }).then(ok)
    async function ok(response: Response): Promise<Response> {
      if (response.ok) return response
      throw new Error(`${response.status} ${await response.text()}`)
    }
    const doors: Record<string, () => Promise<Response>> = {
      api: () => admin.getObject({ params: { bucket, key } }),
      image: () => admin.getImage({ params: { bucket, key }, query: { w: 64, format: 'png' } }),
      link: from(`/public/s/${link.token}`),
      presigned: from(new URL(signed.url).pathname),
      zip: () => admin.archiveObjects({ params: { bucket }, query: { prefix: '' } }),
      s3: async () => {
        const { Body, ETag } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
        const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array()
        return new Response(Buffer.from(bytes), {
          headers: { etag: ETag ?? '', 'content-length': String(bytes.length) },
        })
      },
    }
    for (const lies of [{ getLength: -3 }, { otherEtagOnGet: true }, { breaksOff: true }, { answers500: true }]) {
      fake.lies = lies
      for (const [name, open] of Object.entries(doors)) {
        const body = await open()
          .then((response) => response.arrayBuffer())
          .catch(() => null)
        assert.equal(body, null, `${name} sends ${body?.byteLength} bytes in spite of ${JSON.stringify(lies)}`)
      }
    }
    fake.lies = {}
    for (const name of ['api', 'link', 'presigned', 's3']) {
      const read = await taken(doors[name] as () => Promise<Response>)
      assert.ok(read.kind === 'whole' && md5(read.bytes) === md5(picture), name)
    }
    for (const name of ['image', 'zip']) assert.ok((await (await doors[name]?.())?.arrayBuffer())?.byteLength, name)
  })
})
