import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  CopyObjectCommand,
  type CopyObjectCommandInput,
  CreateBucketCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { describeEngines, type TestServer } from '../support/server.ts'
import { outcome, type s3World, startS3 } from './s3.ts'

const B = 'copies'
const KEY = 'a/ü +%.txt'
const SOURCE = `/${B}/a/%C3%BC%20+%25.txt`

describeEngines('S3: copies', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let s3: S3Client
  let etag = ''
  before(async () => {
    ;({ server, world, s3 } = await startS3(engine))
    for (const Bucket of [B, 'elsewhere']) await s3.send(new CreateBucketCommand({ Bucket }))
    const source = {
      Bucket: B,
      Key: KEY,
      Body: 'hello',
      ContentType: 'text/x',
      CacheControl: 'max-age=1',
      Metadata: { a: 'b' },
      Tagging: 'c=d',
      ChecksumAlgorithm: 'CRC32' as const,
    }
    etag = (await s3.send(new PutObjectCommand(source))).ETag ?? ''
  })
  after(() => server.stop())

  const copy = (Key: string, more: Partial<CopyObjectCommandInput> = {}) =>
    s3.send(new CopyObjectCommand({ Bucket: B, Key, CopySource: SOURCE, ...more }))
  const facts = async (Bucket: string, Key: string) => {
    const { ContentType, CacheControl, Metadata, ETag } = await s3.send(new HeadObjectCommand({ Bucket, Key }))
    const { TagSet } = await s3.send(new GetObjectTaggingCommand({ Bucket, Key }))
    return { ContentType, CacheControl, Metadata, ETag, TagSet }
  }
  const copied = (bucket: string, key: string) => [{ action: 'copy' as const, bucket, key }]

  it('copies an object with all that describes it, or with another description', async () => {
    const { CopyObjectResult } = await server.records(copied('elsewhere', 'one'), () =>
      copy('one', { Bucket: 'elsewhere' }),
    )
    assert.equal(CopyObjectResult?.ETag, etag)
    assert.ok(CopyObjectResult?.ChecksumCRC32)
    const all = { ContentType: 'text/x', CacheControl: 'max-age=1', Metadata: { a: 'b' }, ETag: etag }
    assert.deepEqual(await facts('elsewhere', 'one'), { ...all, TagSet: [{ Key: 'c', Value: 'd' }] })
    await copy('two', { MetadataDirective: 'REPLACE', ContentType: 'text/y', Metadata: { x: 'y' } })
    assert.deepEqual(await facts(B, 'two'), {
      ContentType: 'text/y',
      CacheControl: undefined,
      Metadata: { x: 'y' },
      ETag: etag,
      TagSet: [{ Key: 'c', Value: 'd' }],
    })
    await copy('three', { TaggingDirective: 'REPLACE', Tagging: 'e=f' })
    assert.deepEqual(await facts(B, 'three'), { ...all, TagSet: [{ Key: 'e', Value: 'f' }] })
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: B, Key: 'three' }))
    assert.equal(await Body?.transformToString(), 'hello')
  })

  it('a presigned URL of a copy copies, and does not empty its destination', async () => {
    const signingDate = server.clock.now()
    for (const hoisted of [true, false]) {
      const command = new CopyObjectCommand({ Bucket: B, Key: 'presigned', CopySource: SOURCE })
      const unhoistableHeaders = new Set(hoisted ? [] : ['x-amz-copy-source'])
      const url = await getSignedUrl(s3, command, { expiresIn: 60, signingDate, unhoistableHeaders })
      const headers: Record<string, string> = hoisted ? {} : { 'x-amz-copy-source': SOURCE }
      const answer = await server.records(copied(B, 'presigned'), () => fetch(url, { method: 'PUT', headers }))
      assert.equal(answer.status, 200, await answer.text())
      const { ContentLength } = await s3.send(new HeadObjectCommand({ Bucket: B, Key: 'presigned' }))
      assert.equal(ContentLength, 5)
    }
  })

  it('onto itself only changes the description', async () => {
    await copy('self')
    const onto = { CopySource: `${B}/self` }
    await server.records([], async () => assert.equal(await outcome(copy('self', onto)), 'InvalidRequest'))
    await server.records([{ action: 'update_object', bucket: B, key: 'self' }], () =>
      copy('self', { ...onto, MetadataDirective: 'REPLACE', Metadata: { mtime: '1' }, ContentType: 'text/z' }),
    )
    const { Metadata, ContentType, ETag } = await facts(B, 'self')
    assert.deepEqual([Metadata, ContentType, ETag], [{ mtime: '1' }, 'text/z', etag])
  })

  it('onto itself changes the storage class, under the same conditions as any copy', async () => {
    await copy('class')
    const onto = { CopySource: `${B}/class` }
    const classOf = async () => (await s3.send(new HeadObjectCommand({ Bucket: B, Key: 'class' }))).StorageClass
    const isUpdated = [{ action: 'update_object' as const, bucket: B, key: 'class' }]
    await server.records(isUpdated, () => copy('class', { ...onto, StorageClass: 'STANDARD_IA' }))
    assert.equal(await classOf(), 'STANDARD_IA')
    const { items } = await server.admin.listAudit({ query: { action: ['update_object'], bucket: B, page_size: 1 } })
    const [described = {}] = items.map(({ details }) => details as { [name: string]: { storage_class?: string } })
    assert.deepEqual([described.before?.storage_class, described.after?.storage_class], [undefined, 'STANDARD_IA'])
    await server.records([], async () => {
      const standard = { ...onto, StorageClass: 'STANDARD' as const }
      assert.equal(await outcome(copy('class', { ...standard, IfMatch: '"other"' })), 'PreconditionFailed')
      assert.equal(await outcome(copy('class', { ...standard, IfNoneMatch: '*' })), 'PreconditionFailed')
      assert.equal(await outcome(copy('class', { ...standard, CopySourceIfMatch: '"other"' })), 'PreconditionFailed')
    })
    assert.equal(await classOf(), 'STANDARD_IA')
    await server.records(isUpdated, () => copy('class', { ...onto, StorageClass: 'STANDARD', IfMatch: etag }))
    assert.equal(await classOf(), undefined)
  })

  it('copies only under the conditions on source and destination', async () => {
    await server.records([], async () => {
      assert.equal(await outcome(copy('if', { CopySourceIfMatch: '"other"' })), 'PreconditionFailed')
      assert.equal(await outcome(copy('if', { CopySourceIfNoneMatch: etag })), 'PreconditionFailed')
      const past = new Date(server.clock.now().getTime() - 3_600_000)
      assert.equal(await outcome(copy('if', { CopySourceIfUnmodifiedSince: past })), 'PreconditionFailed')
      assert.equal(await outcome(copy('if', { IfMatch: etag })), 'NoSuchKey')
    })
    await copy('if', { CopySourceIfMatch: etag, IfNoneMatch: '*' })
    await server.records([], async () =>
      assert.equal(await outcome(copy('if', { IfNoneMatch: '*' })), 'PreconditionFailed'),
    )
  })

  itOnce('refuses sources that are none, and rights that are missing', async () => {
    const person = await server.userWith(
      { bucket_pattern: B, prefix: 'a/', actions: ['read'] },
      { bucket_pattern: 'elsewhere', actions: ['write'] },
    )
    const theirs = world.clientOf(await world.keyOf(person))
    const by = (CopySource: string, Bucket = 'elsewhere') =>
      outcome(theirs.send(new CopyObjectCommand({ Bucket, Key: 'k', CopySource })))
    assert.equal(await by(SOURCE), 'ok')
    await server.records([], async () => {
      assert.equal(await outcome(copy('k', { CopySource: `${B}/none` })), 'NoSuchKey')
      assert.equal(await outcome(copy('k', { CopySource: 'none-such/none' })), 'NoSuchBucket')
      assert.equal(await outcome(copy('k', { CopySource: 'nothing' })), 'InvalidArgument')
      assert.equal(await outcome(copy('k', { MetadataDirective: 'OTHER' as never })), 'InvalidArgument')
    })
    assert.equal(await by(`${B}/a/none`), 'AccessDenied')
    assert.equal(await by(`${B}/two`), 'AccessDenied')
    assert.equal(await by(SOURCE, B), 'AccessDenied')
  })
})
