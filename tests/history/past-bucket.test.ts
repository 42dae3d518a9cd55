import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { outcome, startS3 } from '../s3/s3.ts'
import { describeEngines, type TestServer } from '../support/server.ts'

const B = 'photos'
const THEN = 'photos.at-20260101t000030z'

describeEngines('S3: a bucket as it was', (engine) => {
  let server: TestServer
  let s3: S3Client
  before(async () => {
    ;({ server, s3 } = await startS3(engine))
    await s3.send(new CreateBucketCommand({ Bucket: B }))
    for (const Key of ['a/1', 'a/2', 'b'])
      await s3.send(new PutObjectCommand({ Bucket: B, Key, Body: `${Key} as it was`, Tagging: 'then=yes' }))
    server.clock.advance(60_000)
    await s3.send(new PutObjectCommand({ Bucket: B, Key: 'b', Body: 'now' }))
    await s3.send(new DeleteObjectCommand({ Bucket: B, Key: 'a/1' }))
    await s3.send(new PutObjectCommand({ Bucket: B, Key: 'new', Body: 'new' }))
  })
  after(() => server.stop())
  const text = async (Bucket: string, Key: string) =>
    (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString()
  const keys = async (more: object = {}) => {
    const page = await s3.send(new ListObjectsV2Command({ Bucket: THEN, ...more }))
    return [
      ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix),
      ...(page.Contents ?? []).map(({ Key, Size }) => `${Key} ${Size}`),
    ]
  }

  it('is the same under the name of a snapshot', async () => {
    const params = { bucket: B }
    await server.admin.createSnapshot({ params, body: { name: 'daily-1', at: '2026-01-01T00:00:30Z' } })
    const Bucket = `${B}.at-daily-1`
    assert.deepEqual(await keys({ Bucket }), ['a/1 13', 'a/2 13', 'b 11'])
    assert.equal(await text(Bucket, 'a/1'), 'a/1 as it was')
    assert.equal(await outcome(s3.send(new PutObjectCommand({ Bucket, Key: 'x', Body: 'x' }))), 'MethodNotAllowed')
    await s3.send(new CopyObjectCommand({ Bucket: B, Key: 'back', CopySource: `${Bucket}/a/1` }))
    assert.equal(await text(B, 'back'), 'a/1 as it was')
    await s3.send(new DeleteObjectCommand({ Bucket: B, Key: 'back' }))
    const none = `${B}.at-none`
    assert.equal(await outcome(s3.send(new ListObjectsV2Command({ Bucket: none }))), 'NoSuchBucket')
    await server.admin.deleteSnapshot({ params: { ...params, name: 'daily-1' } })
    assert.equal(await outcome(s3.send(new ListObjectsV2Command({ Bucket }))), 'NoSuchBucket')
  })

  it('is listed, read and copied from by any client under a name with the moment', async () => {
    await server.records([], async () => {
      assert.deepEqual(await keys(), ['a/1 13', 'a/2 13', 'b 11'])
      assert.deepEqual(await keys({ Delimiter: '/' }), ['a/', 'b 11'])
      assert.deepEqual(await keys({ Prefix: 'a/', StartAfter: 'a/1' }), ['a/2 13'])
      await s3.send(new HeadBucketCommand({ Bucket: THEN }))
      assert.equal((await s3.send(new HeadObjectCommand({ Bucket: THEN, Key: 'b' }))).ContentLength, 11)
      const tags = await s3.send(new GetObjectTaggingCommand({ Bucket: THEN, Key: 'a/1' }))
      assert.deepEqual(tags.TagSet, [{ Key: 'then', Value: 'yes' }])
    })
    assert.equal(await text(THEN, 'a/1'), 'a/1 as it was')
    assert.equal(await text(THEN, 'b'), 'b as it was')
    assert.equal(await outcome(text(THEN, 'new')), 'NoSuchKey')
    await server.records([{ action: 'copy', bucket: B, key: 'a/1' }], () =>
      s3.send(new CopyObjectCommand({ Bucket: B, Key: 'a/1', CopySource: `/${THEN}/a/1` })),
    )
    await s3.send(new CopyObjectCommand({ Bucket: B, Key: 'b', CopySource: `/${THEN}/b` }))
    assert.equal(await text(B, 'a/1'), 'a/1 as it was')
    assert.equal(await text(B, 'b'), 'b as it was')
  })

  it('cannot be changed, and other moments are refused', async () => {
    const Key = 'b'
    await server.records([], async () => {
      assert.equal(await outcome(s3.send(new PutObjectCommand({ Bucket: THEN, Key, Body: 'x' }))), 'MethodNotAllowed')
      assert.equal(await outcome(s3.send(new DeleteObjectCommand({ Bucket: THEN, Key }))), 'MethodNotAllowed')
      const Tagging = { TagSet: [] }
      assert.equal(
        await outcome(s3.send(new PutObjectTaggingCommand({ Bucket: THEN, Key, Tagging }))),
        'MethodNotAllowed',
      )
      for (const Bucket of ['photos.at-20250101t000000z', 'photos.at-20990101t000000z'])
        assert.equal(await outcome(s3.send(new ListObjectsV2Command({ Bucket }))), 'InvalidArgument')
      assert.equal(
        await outcome(s3.send(new ListObjectsV2Command({ Bucket: 'none.at-20260101t000030z' }))),
        'NoSuchBucket',
      )
    })
  })
})
