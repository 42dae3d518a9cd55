import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, it } from 'node:test'
import {
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketEncryptionCommand,
  GetBucketEncryptionCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutBucketEncryptionCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { type Pair, type s3World, startS3 } from '../s3/s3.ts'
import { describeEngines, type TestServer } from '../support/server.ts'

const B = 'sealed'
const MIB = 1024 * 1024
const AES = { ServerSideEncryption: 'AES256' } as const
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

/** Bytes with a text that nobody else has, every 32 bytes. */
const MARKER = 'never-on-any-disk-as-it-is-x'
function marked(size: number): Buffer<ArrayBuffer> {
  const bytes = randomBytes(size)
  for (let at = 0; at + MARKER.length <= size; at += 32) bytes.write(MARKER, at, 'latin1')
  return bytes
}

describeEngines('S3: encryption with keys of the service', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let pair: Pair
  let s3: S3Client
  before(async () => {
    ;({ server, world, pair, s3 } = await startS3(engine))
    await s3.send(new CreateBucketCommand({ Bucket: B }))
  })
  after(() => server.stop())

  const put = (Key: string, Body: Uint8Array, more: Partial<PutObjectCommandInput> = AES) =>
    s3.send(new PutObjectCommand({ Bucket: B, Key, Body, ...more }))
  const get = async (Key: string, more: object = {}) => {
    const answer = await s3.send(new GetObjectCommand({ Bucket: B, Key, ...more }))
    return { ...answer, bytes: await buffer(answer.Body as Readable) }
  }

  it('stores what asks for it encrypted, and answers with it as it was', async () => {
    for (const size of [0, 1, 1000, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 300_000]) {
      const body = marked(size)
      const key = `of ${size}`
      const stored = await server.records([{ action: 'upload', bucket: B, key }], () => put(key, body))
      assert.equal(stored.ServerSideEncryption, 'AES256')
      assert.equal(stored.ETag, `"${md5(body)}"`)
      const head = await s3.send(new HeadObjectCommand({ Bucket: B, Key: key }))
      assert.equal(head.ServerSideEncryption, 'AES256')
      assert.equal(head.ContentLength, size)
      const found = await get(key)
      assert.equal(found.ServerSideEncryption, 'AES256')
      assert.deepEqual(found.bytes, body)
      if (size < 2) continue
      const [start, end] = [Math.floor(size / 3), Math.floor(size / 2)]
      assert.deepEqual((await get(key, { Range: `bytes=${start}-${end}` })).bytes, body.subarray(start, end + 1))
      assert.deepEqual((await get(key, { Range: 'bytes=-1' })).bytes, body.subarray(-1))
    }
    assert.deepEqual(await findMarked(server), [])
  })

  it('encrypts parts, and joins them without reading them', async () => {
    const key = 'in parts'
    const { UploadId, ServerSideEncryption } = await s3.send(
      new CreateMultipartUploadCommand({ Bucket: B, Key: key, ...AES }),
    )
    assert.equal(ServerSideEncryption, 'AES256')
    const bodies = [marked(5 * MIB), marked(5 * MIB + 17), marked(100)]
    const parts: CompletedPart[] = []
    for (const [i, Body] of bodies.entries()) {
      const at = { Bucket: B, Key: key, UploadId, PartNumber: 3 * i + 1 }
      // Another content before, under the same number.
      await s3.send(new UploadPartCommand({ ...at, Body: marked(Body.length) }))
      const { ETag } = await s3.send(new UploadPartCommand({ ...at, Body }))
      assert.equal(ETag, `"${md5(Body)}"`)
      parts.push({ ETag, PartNumber: at.PartNumber })
    }
    await s3.send(
      new CompleteMultipartUploadCommand({ Bucket: B, Key: key, UploadId, MultipartUpload: { Parts: parts } }),
    )
    const whole = Buffer.concat(bodies)
    const found = await get(key)
    assert.equal(found.ServerSideEncryption, 'AES256')
    assert.deepEqual(found.bytes, whole)
    assert.deepEqual((await get(key, { PartNumber: 4 })).bytes, bodies[1])
    for (const [start, end] of [
      [0, 0],
      [5 * MIB - 1, 5 * MIB],
      [5 * MIB + 65_535, 10 * MIB + 20],
      [whole.length - 1, whole.length - 1],
    ] as const)
      assert.deepEqual((await get(key, { Range: `bytes=${start}-${end}` })).bytes, whole.subarray(start, end + 1))
    assert.deepEqual(await findMarked(server), [])
  })

  it('copies rows where the kind stays, and encrypts anew where another is asked for', async () => {
    const body = marked(200_000)
    await put('source', body)
    await put('source plain', body, {})
    const copy = (from: string, Key: string, more: object = {}) =>
      s3.send(new CopyObjectCommand({ Bucket: B, Key, CopySource: `${B}/${encodeURIComponent(from)}`, ...more }))
    const blobOf = async (key: string) =>
      (await server.database.db.selectFrom('objects').select('blob_id').where('key', '=', key).executeTakeFirst())
        ?.blob_id
    assert.equal((await copy('source', 'copy')).ServerSideEncryption, 'AES256')
    assert.equal((await copy('source', 'copy said', AES)).ServerSideEncryption, 'AES256')
    for (const key of ['copy', 'copy said']) assert.equal(await blobOf(key), await blobOf('source'))
    const copied = await server.records([{ action: 'copy', bucket: B, key: 'encrypted' }], () =>
      copy('source plain', 'encrypted', AES),
    )
    assert.equal(copied.ServerSideEncryption, 'AES256')
    assert.equal(copied.CopyObjectResult?.ETag, `"${md5(body)}"`)
    assert.notEqual(await blobOf('encrypted'), await blobOf('source plain'))
    for (const key of ['copy', 'copy said', 'encrypted']) {
      const found = await get(key)
      assert.equal(found.ServerSideEncryption, 'AES256')
      assert.deepEqual(found.bytes, body)
    }
    // Onto itself: what was plain is encrypted then.
    await put('itself', marked(50), {})
    const before = (await get('itself')).bytes
    await copy('itself', 'itself', AES)
    assert.deepEqual((await get('itself')).bytes, before)
    assert.equal((await get('itself')).ServerSideEncryption, 'AES256')
    for (const key of ['source plain', 'itself'])
      await server.admin.deleteObject({ params: { bucket: B, key }, query: { permanent: true } })
  })

  it('copies an encrypted object as parts of another', async () => {
    const body = marked(6 * MIB)
    await put('as a part', body)
    const at = { Bucket: B, Key: 'of a part' }
    for (const encryption of [AES, {}]) {
      const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ ...at, ...encryption }))
      const { CopyPartResult, ServerSideEncryption } = await s3.send(
        new UploadPartCopyCommand({ ...at, UploadId, PartNumber: 1, CopySource: `${B}/as%20a%20part` }),
      )
      assert.equal(ServerSideEncryption, encryption === AES ? 'AES256' : undefined)
      const Parts = [{ PartNumber: 1, ETag: CopyPartResult?.ETag }]
      await s3.send(new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts } }))
      assert.deepEqual((await get('of a part')).bytes, body)
    }
    await server.admin.deleteObject({ params: { bucket: B, key: 'of a part' }, query: { permanent: true } })
  })

  it('encrypts what says nothing of it as the bucket says', async () => {
    const Bucket = 'by-default'
    await s3.send(new CreateBucketCommand({ Bucket }))
    const config = { Rules: [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' as const } }] }
    await server.records([{ action: 'update_bucket', bucket: Bucket }], () =>
      s3.send(new PutBucketEncryptionCommand({ Bucket, ServerSideEncryptionConfiguration: config })),
    )
    const found = await s3.send(new GetBucketEncryptionCommand({ Bucket }))
    assert.equal(
      found.ServerSideEncryptionConfiguration?.Rules?.[0]?.ApplyServerSideEncryptionByDefault?.SSEAlgorithm,
      'AES256',
    )
    const stored = await s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: marked(100) }))
    assert.equal(stored.ServerSideEncryption, 'AES256')
    assert.deepEqual((await server.admin.getBucket({ params: { bucket: Bucket } })).encryption, { algorithm: 'AES256' })
    const written = await server.admin.putObject({ params: { bucket: Bucket, key: 'rest' }, body: marked(40_000) })
    assert.deepEqual(written.encryption, { algorithm: 'AES256' })
    // A plain object that is copied here is encrypted here.
    await put('to copy', marked(100), {})
    const copied = await s3.send(new CopyObjectCommand({ Bucket, Key: 'b', CopySource: `${B}/to%20copy` }))
    assert.equal(copied.ServerSideEncryption, 'AES256')
    await server.records([{ action: 'update_bucket', bucket: Bucket }], () =>
      s3.send(new DeleteBucketEncryptionCommand({ Bucket })),
    )
    await assert.rejects(s3.send(new GetBucketEncryptionCommand({ Bucket })), {
      name: 'ServerSideEncryptionConfigurationNotFoundError',
    })
    assert.equal((await s3.send(new GetObjectCommand({ Bucket, Key: 'a' }))).ServerSideEncryption, 'AES256')
    await server.admin.deleteObject({ params: { bucket: B, key: 'to copy' }, query: { permanent: true } })
  })

  it('erases an object with the last that points at it, and says so', async () => {
    await put('to erase', marked(100_000))
    const copy = { Bucket: B, Key: 'its copy', CopySource: `${B}/to%20erase` }
    await s3.send(new CopyObjectCommand(copy))
    const { blob_id } = await server.database.db
      .selectFrom('objects')
      .select('blob_id')
      .where('key', '=', 'to erase')
      .executeTakeFirstOrThrow()
    const rowOf = () =>
      server.database.db.selectFrom('blobs').select('envelope').where('id', '=', blob_id).executeTakeFirst()
    const remove = (key: string) =>
      server.admin.deleteObject({ params: { bucket: B, key }, query: { permanent: true } })
    await server.records([{ action: 'delete', bucket: B, key: 'to erase' }], () => remove('to erase'))
    assert.ok((await rowOf())?.envelope)
    await server.records(
      [
        { action: 'delete', bucket: B, key: 'its copy' },
        { action: 'erase', bucket: B, key: 'its copy' },
      ],
      () => remove('its copy'),
    )
    assert.equal(await rowOf(), undefined)
  })

  itOnce('refuses what is no encryption, and what cannot be', async () => {
    const refuse = (more: object, code: string) => assert.rejects(put('refused', marked(10), more), { name: code })
    await refuse({ ServerSideEncryption: 'AES192' }, 'InvalidArgument')
    await refuse({ ServerSideEncryption: 'aes:kms' }, 'InvalidArgument')
    await refuse({ ServerSideEncryption: 'AES256', SSEKMSKeyId: 'one' }, 'InvalidArgument')
    await put('not asked', marked(10))
    const { send, signed } = world
    const request = {
      method: 'GET',
      path: `/${B}/not%20asked`,
      headers: { 'x-amz-server-side-encryption': 'AES256' },
    }
    const answer = await send('GET', request.path, await signed(pair, request))
    assert.equal(answer.status, 400)
  })

  itOnce('finds on the disk what was not encrypted', async () => {
    await put('plain', marked(1000), {})
    await put('plain and large', marked(100_000), {})
    assert.ok((await findMarked(server)).length > 0)
    for (const key of ['plain', 'plain and large'])
      await server.admin.deleteObject({ params: { bucket: B, key }, query: { permanent: true } })
  })
})

/** Where the marker is: in files of the service, its database and its blobs. */
export async function findMarked(server: TestServer): Promise<string[]> {
  const found: string[] = []
  for (const entry of fs.readdirSync(server.folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = path.join(entry.parentPath, entry.name)
    if (fs.readFileSync(file).includes(MARKER)) found.push(path.relative(server.folder, file))
  }
  if (server.engine === 'postgres') {
    const rows = await server.database.db.selectFrom('bodies').selectAll().execute()
    for (const { blob_id, bytes } of rows) if (Buffer.from(bytes).includes(MARKER)) found.push(`body ${blob_id}`)
  }
  return found
}
