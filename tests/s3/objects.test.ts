import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, it } from 'node:test'
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  type DeleteObjectCommandInput,
  DeleteObjectsCommand,
  DeleteObjectTaggingCommand,
  GetBucketAclCommand,
  GetBucketCorsCommand,
  GetBucketLocationCommand,
  GetBucketVersioningCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  type ObjectIdentifier,
  PutBucketAclCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  PutObjectTaggingCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { describeEngines, type TestServer } from '../support/server.ts'
import { outcome, type s3World, startS3 } from './s3.ts'

const B = 'photos'

describeEngines('S3: buckets and objects', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let s3: S3Client
  before(async () => {
    ;({ server, world, s3 } = await startS3(engine))
    await s3.send(new CreateBucketCommand({ Bucket: B }))
  })
  after(() => server.stop())

  const put = (Key: string, Body: PutObjectCommandInput['Body'] = 'hello', more: Partial<PutObjectCommandInput> = {}) =>
    s3.send(new PutObjectCommand({ Bucket: B, Key, Body, ...more }))
  const get = async (Key: string, more: object = {}) => {
    const answer = await s3.send(new GetObjectCommand({ Bucket: B, Key, ...more }))
    return { ...answer, bytes: await buffer(answer.Body as Readable) }
  }
  const head = (Key: string, more: object = {}) => s3.send(new HeadObjectCommand({ Bucket: B, Key, ...more }))
  const md5 = (text: string | Uint8Array) => createHash('md5').update(text).digest('hex')

  it('creates, lists and deletes buckets', async () => {
    await server.records([{ action: 'create_bucket', bucket: 'first-one' }], () =>
      s3.send(new CreateBucketCommand({ Bucket: 'first-one' })),
    )
    await server.records([], () => s3.send(new CreateBucketCommand({ Bucket: 'first-one' })))
    const { Buckets = [] } = await s3.send(new ListBucketsCommand())
    assert.deepEqual(Buckets.map(({ Name }) => Name).sort(), ['first-one', B])
    await s3.send(new HeadBucketCommand({ Bucket: 'first-one' }))
    await s3.send(new PutObjectCommand({ Bucket: 'first-one', Key: 'k', Body: 'x' }))
    assert.equal(await outcome(s3.send(new DeleteBucketCommand({ Bucket: 'first-one' }))), 'BucketNotEmpty')
    await s3.send(new DeleteObjectCommand({ Bucket: 'first-one', Key: 'k' }))
    await server.records([{ action: 'delete_bucket', bucket: 'first-one' }], () =>
      s3.send(new DeleteBucketCommand({ Bucket: 'first-one' })),
    )
    assert.equal(await outcome(s3.send(new HeadBucketCommand({ Bucket: 'first-one' }))), 'NotFound')
    await server.records([], async () => {
      for (const Bucket of ['Upper', 'a.-b', '1.2.3.4', 'ab'])
        assert.equal(await outcome(s3.send(new CreateBucketCommand({ Bucket }))), 'InvalidBucketName', Bucket)
    })
  })

  itOnce('says what is true of every bucket', async () => {
    const at = { Bucket: B }
    assert.equal((await s3.send(new GetBucketLocationCommand(at))).LocationConstraint, undefined)
    assert.equal((await s3.send(new GetBucketVersioningCommand(at))).Status, undefined)
    const { Owner, Grants } = await s3.send(new GetBucketAclCommand(at))
    assert.match(Owner?.ID ?? '', /^[0-9a-f]{64}$/)
    assert.deepEqual(
      Grants?.map(({ Permission, Grantee }) => [Permission, Grantee?.ID]),
      [['FULL_CONTROL', Owner?.ID]],
    )
    assert.equal(await outcome(s3.send(new GetBucketCorsCommand(at))), 'NoSuchCORSConfiguration')
    await server.records([], async () => {
      await s3.send(new PutBucketAclCommand({ ...at, ACL: 'private' }))
      const open = s3.send(new PutBucketAclCommand({ ...at, ACL: 'public-read' }))
      assert.equal(await outcome(open), 'AccessControlListNotSupported')
    })
  })

  it('stores an object through the same steps as the REST API, and gives it back', async () => {
    const before = (await server.admin.getBucket({ params: { bucket: B } })).used_bytes
    const details = {
      ContentType: 'text/x-own; charset=utf-8',
      CacheControl: 'max-age=5',
      ContentDisposition: 'attachment; filename="a.txt"',
      ContentLanguage: 'de',
      Metadata: { a: 'b', other: 'two words' },
      Tagging: 'team=red&empty=',
      StorageClass: 'STANDARD_IA' as const,
    }
    const { ETag } = await server.records([{ action: 'upload', bucket: B, key: 'a/ü +%.txt' }], () =>
      put('a/ü +%.txt', 'hello', details),
    )
    assert.equal(ETag, `"${md5('hello')}"`)
    const got = await get('a/ü +%.txt')
    assert.equal(String(got.bytes), 'hello')
    assert.deepEqual(
      [got.ContentType, got.CacheControl, got.ContentLanguage, got.Metadata, got.TagCount, got.StorageClass, got.ETag],
      [details.ContentType, 'max-age=5', 'de', details.Metadata, 2, 'STANDARD_IA', ETag],
    )
    const { objects } = await server.admin.browse({ params: { bucket: B }, query: { prefix: 'a/' } })
    assert.equal(`"${objects[0]?.etag}"`, ETag)
    const { used_bytes } = await server.admin.getBucket({ params: { bucket: B } })
    assert.equal((used_bytes ?? 0) - (before ?? 0), 5)
    const record = (await server.admin.listAudit({ query: { action: ['upload'] } })).items[0]
    assert.deepEqual([record?.auth_method, record?.route, record?.method], ['access_key', 's3:PutObject', 'PUT'])
    const [key] = (await server.admin.listAccessKeys()).items
    assert.equal(record?.token_id, key?.id)
  })

  it('keeps large bodies, streams and every checksum', async () => {
    const bytes = randomBytes(300_000)
    for (const ChecksumAlgorithm of ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const) {
      const stored = await put(`sum/${ChecksumAlgorithm}`, bytes, { ChecksumAlgorithm })
      const value = stored[`Checksum${ChecksumAlgorithm}`]
      assert.ok(value, ChecksumAlgorithm)
      const told = await head(`sum/${ChecksumAlgorithm}`, { ChecksumMode: 'ENABLED' })
      assert.deepEqual([told[`Checksum${ChecksumAlgorithm}`], told.ChecksumType], [value, 'FULL_OBJECT'])
    }
    // A stream goes in chunks with a trailer.
    const stream = Readable.from([bytes.subarray(0, 100_000), bytes.subarray(100_000)])
    await put('streamed', stream, { ContentLength: bytes.length })
    assert.ok((await get('streamed')).bytes.equals(bytes))
    await server.records([], async () => {
      assert.equal(await outcome(put('sum/none', 'hello', { ContentMD5: 'AAAAAAAAAAAAAAAAAAAAAA==' })), 'BadDigest')
      assert.equal(await outcome(put('sum/none', 'hello', { ChecksumCRC32: 'AAAAAA==' })), 'BadDigest')
      assert.equal(await outcome(put('sum/none', 'hello', { ContentMD5: 'no' })), 'InvalidDigest')
    })
    assert.equal(await outcome(head('sum/none')), 'NotFound')
  })

  it('answers ranges and conditions', async () => {
    const { ETag } = await put('range', '0123456789')
    const part = await get('range', { Range: 'bytes=2-4' })
    assert.deepEqual(
      [String(part.bytes), part.ContentRange, part.$metadata.httpStatusCode],
      ['234', 'bytes 2-4/10', 206],
    )
    assert.equal(String((await get('range', { Range: 'bytes=-3' })).bytes), '789')
    assert.equal(String((await get('range', { Range: 'bytes=0-1,4-5' })).bytes), '0123456789')
    assert.equal(await outcome(get('range', { Range: 'bytes=10-' })), 'InvalidRange')
    assert.equal((await head('range', { Range: 'bytes=1-2' })).ContentLength, 2)
    assert.equal(String((await get('range', { IfMatch: ETag })).bytes), '0123456789')
    assert.equal(await outcome(get('range', { IfMatch: '"other"' })), 'PreconditionFailed')
    const unchanged = await get('range', { IfNoneMatch: ETag }).catch((error) => error)
    assert.equal(unchanged.$metadata.httpStatusCode, 304)
    const replaced = await get('range', { ResponseContentType: 'x/y', ResponseContentDisposition: 'inline' })
    assert.deepEqual([replaced.ContentType, replaced.ContentDisposition], ['x/y', 'inline'])
  })

  it('writes only under the conditions asked for', async () => {
    await put('once', 'a', { IfNoneMatch: '*' })
    await server.records([], async () => {
      assert.equal(await outcome(put('once', 'b', { IfNoneMatch: '*' })), 'PreconditionFailed')
      assert.equal(await outcome(put('once', 'b', { IfMatch: `"${md5('b')}"` })), 'PreconditionFailed')
      assert.equal(await outcome(put('never', 'b', { IfMatch: `"${md5('b')}"` })), 'NoSuchKey')
    })
    await put('once', 'b', { IfMatch: `"${md5('a')}"` })
    assert.equal(String((await get('once')).bytes), 'b')
  })

  it('moves what is deleted to the trash, and succeeds where there is nothing', async () => {
    await put('gone', 'x')
    await server.records([{ action: 'delete', bucket: B, key: 'gone' }], () =>
      s3.send(new DeleteObjectCommand({ Bucket: B, Key: 'gone' })),
    )
    assert.equal(await outcome(get('gone')), 'NoSuchKey')
    const { items } = await server.admin.listTrash({ params: { bucket: B }, query: {} })
    assert.ok(items.some(({ key }) => key === 'gone'))
    await server.records([], () => s3.send(new DeleteObjectCommand({ Bucket: B, Key: 'gone' })))
    assert.equal(await outcome(s3.send(new DeleteObjectCommand({ Bucket: 'none-such', Key: 'k' }))), 'NoSuchBucket')
  })

  it('deletes many at once, each with its own result, in the order of the request', async () => {
    for (const key of ['many/b', 'many/a <&>\r']) await put(key, 'x')
    const keys = ['many/b', 'many/none', 'many/a <&>\r']
    const { Deleted, Errors } = await server.records(
      [
        { action: 'delete', bucket: B, key: 'many/a <&>\r' },
        { action: 'delete', bucket: B, key: 'many/b' },
      ],
      () => s3.send(new DeleteObjectsCommand({ Bucket: B, Delete: { Objects: keys.map((Key) => ({ Key })) } })),
    )
    assert.deepEqual([Deleted?.map(({ Key }) => Key), Errors], [keys, undefined])
    const quiet = await s3.send(
      new DeleteObjectsCommand({ Bucket: B, Delete: { Objects: [{ Key: 'x' }], Quiet: true } }),
    )
    assert.equal(quiet.Deleted, undefined)
    const tooMany = Array.from({ length: 1001 }, (_, i) => ({ Key: `k${i}` }))
    const refused = s3.send(new DeleteObjectsCommand({ Bucket: B, Delete: { Objects: tooMany } }))
    assert.equal(await outcome(refused), 'MalformedXML')
  })

  it('deletes only what is as the client expects', async () => {
    const at = { Bucket: B, Key: 'expected' }
    const other = { ETag: '"other"', LastModifiedTime: new Date(0), Size: 2 }
    const remove = (more: Partial<DeleteObjectCommandInput>) =>
      outcome(s3.send(new DeleteObjectCommand({ ...at, ...more })))
    const removeMany = async (...objects: Partial<ObjectIdentifier>[]) => {
      const Objects = objects.map((one) => ({ Key: at.Key, ...one }))
      const { Deleted = [], Errors = [] } = await s3.send(new DeleteObjectsCommand({ Bucket: B, Delete: { Objects } }))
      return [...Deleted.map(({ Key }) => Key), ...Errors.map(({ Code }) => Code)]
    }
    const isDeleted = [{ action: 'delete' as const, bucket: B, key: at.Key }]
    for (const name of ['ETag', 'LastModifiedTime', 'Size'] as const) {
      await put(at.Key, 'x')
      server.clock.advance(1500)
      const { ETag, LastModified: LastModifiedTime, ContentLength: Size } = await head(at.Key)
      const right = { ETag, LastModifiedTime, Size }
      const asHeader = ({ ETag, LastModifiedTime, Size }: Partial<ObjectIdentifier>) => ({
        IfMatch: ETag,
        IfMatchLastModifiedTime: LastModifiedTime,
        IfMatchSize: Size,
      })
      await server.records([], async () => {
        assert.equal(await remove(asHeader({ ...right, [name]: other[name] })), 'PreconditionFailed')
        assert.deepEqual(await removeMany({ ...right, [name]: other[name] }), ['PreconditionFailed'])
        // Named twice: both are to be so.
        assert.deepEqual(await removeMany({ [name]: other[name] }, right), ['PreconditionFailed', 'PreconditionFailed'])
      })
      await server.records(isDeleted, async () => assert.equal(await remove(asHeader({ [name]: right[name] })), 'ok'))
      await put(at.Key, 'x')
      const { LastModified } = await head(at.Key)
      const again = { ...right, LastModifiedTime: LastModified }
      await server.records(isDeleted, async () => assert.deepEqual(await removeMany({ [name]: again[name] }), [at.Key]))
      await server.records([], async () => {
        assert.equal(await remove(asHeader({ [name]: other[name] })), 'ok')
        assert.deepEqual(await removeMany({ [name]: other[name] }), [at.Key])
      })
    }
    const sent = async (headers: Record<string, string>) => {
      const request = { method: 'DELETE', path: `/${B}/expected`, headers }
      return (await world.send('DELETE', request.path, await world.signed(await world.keyOf(), request))).code
    }
    assert.equal(await sent({ 'x-amz-if-match-size': '-1' }), 'InvalidArgument')
    assert.equal(await sent({ 'x-amz-if-match-last-modified-time': 'soon' }), 'InvalidArgument')
  })

  it('keeps tags apart from the contents', async () => {
    await put('tagged', 'x', { Tagging: 'a=1' })
    const { LastModified } = await head('tagged')
    server.clock.advance(5000)
    const TagSet = [
      { Key: 'b', Value: '' },
      { Key: 'team', Value: 'ü' },
    ]
    const at = { Bucket: B, Key: 'tagged' }
    const change = [{ action: 'update_object' as const, bucket: B, key: 'tagged' }]
    await server.records(change, () => s3.send(new PutObjectTaggingCommand({ ...at, Tagging: { TagSet } })))
    assert.deepEqual((await s3.send(new GetObjectTaggingCommand(at))).TagSet, TagSet)
    assert.deepEqual((await head('tagged')).LastModified, LastModified)
    await server.records(change, () => s3.send(new DeleteObjectTaggingCommand(at)))
    assert.deepEqual((await s3.send(new GetObjectTaggingCommand(at))).TagSet, [])
    await server.records([], async () => {
      const eleven = Array.from({ length: 11 }, (_, i) => ({ Key: `k${i}`, Value: '' }))
      for (const wrong of [eleven, [{ Key: 'x'.repeat(129), Value: '' }], [{ Key: 'x', Value: 'v'.repeat(257) }]])
        assert.equal(
          await outcome(s3.send(new PutObjectTaggingCommand({ ...at, Tagging: { TagSet: wrong } }))),
          'InvalidTag',
        )
      await s3.send(new PutObjectAclCommand({ ...at, ACL: 'bucket-owner-full-control' }))
      const open = s3.send(new PutObjectAclCommand({ ...at, ACL: 'public-read' }))
      assert.equal(await outcome(open), 'AccessControlListNotSupported')
    })
    assert.equal((await s3.send(new GetObjectAclCommand(at))).Grants?.length, 1)
  })

  it('a quota holds', async () => {
    await server.admin.createBucket({ body: { name: 'tight', quota_gb: 0.000_001 } })
    const tight = (Key: string, Body: string) => s3.send(new PutObjectCommand({ Bucket: 'tight', Key, Body }))
    await tight('a', 'x'.repeat(1000))
    await server.records([], async () => assert.equal(await outcome(tight('b', 'x'.repeat(100))), 'QuotaExceeded'))
  })

  it('an answer that nothing has changed says how long that holds, as the object would; what is no date is no condition', async () => {
    const expires = new Date('2031-01-01T00:00:00Z')
    await s3.send(
      new PutObjectCommand({
        Bucket: B,
        Key: 'cached',
        Body: 'x',
        CacheControl: 'max-age=9, immutable',
        Expires: expires,
      }),
    )
    const overrides = { ResponseCacheControl: 'no-cache', ResponseExpires: new Date('2032-01-01T00:00:00Z') }
    for (const [more, cached, until] of [
      [{}, 'max-age=9, immutable', expires.toUTCString()],
      [overrides, 'no-cache', overrides.ResponseExpires.toUTCString()],
    ] as const) {
      const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket: B, Key: 'cached', ...more }), {
        expiresIn: 60,
        signingDate: server.clock.now(),
      })
      const ask = async (headers: Record<string, string>) => {
        const answer = await fetch(url, { headers })
        await answer.arrayBuffer()
        return answer
      }
      const whole = await ask({})
      const etag = whole.headers.get('etag') ?? ''
      const same = [
        whole,
        await ask({ 'if-none-match': etag }),
        await ask({ 'if-modified-since': new Date(server.clock.now().getTime() + 1000).toUTCString() }),
      ]
      assert.deepEqual(
        same.map(({ status, headers }) => [status, headers.get('cache-control'), headers.get('expires')]),
        [200, 304, 304].map((status) => [status, cached, until]),
      )
      for (const none of ['0', '2035-01-01', '2035-01-01T00:00:00Z', 'Jan 1 2035', '']) {
        assert.equal((await ask({ 'if-modified-since': none })).status, 200, none)
        assert.equal((await ask({ 'if-unmodified-since': none.replace('2035', '1999') })).status, 200, none)
      }
      assert.equal((await ask({ 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' })).status, 412)
    }
  })

  it('a presigned URL does what was signed, until it expires', async () => {
    await put('signed', 'hello')
    const signing = () => ({ expiresIn: 60, signingDate: server.clock.now() })
    const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket: B, Key: 'signed' }), signing())
    assert.equal(await (await fetch(url)).text(), 'hello')
    assert.equal((await fetch(url, { method: 'PUT', body: 'x' })).status, 403)
    assert.equal((await fetch(url.replace('/signed', '/other'))).status, 403)
    const upload = await getSignedUrl(s3, new PutObjectCommand({ Bucket: B, Key: 'by url' }), signing())
    await server.records([{ action: 'upload', bucket: B, key: 'by url' }], () =>
      fetch(upload, { method: 'PUT', body: 'there' }),
    )
    assert.equal(String((await get('by url')).bytes), 'there')
    server.clock.advance(20 * 60_000)
    const late = await fetch(url)
    assert.equal(late.status, 403)
    assert.match(await late.text(), /<Code>AccessDenied<\/Code><Message>Request has expired/)
  })
})
