import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, it } from 'node:test'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { outcome, type Pair, type s3World, startS3 } from '../s3/s3.ts'
import { rejectsWith } from '../support/problems.ts'
import { strongroom } from '../support/process.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { asSource, newClientKey } from './client-key.ts'

const B = 'of-customers'
const MIB = 1024 * 1024

describeEngines('S3: encryption with keys of clients', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let pair: Pair
  let s3: S3Client
  const key = newClientKey()
  const other = newClientKey()
  before(async () => {
    ;({ server, world, pair, s3 } = await startS3(engine))
    for (const one of [key, other]) server.secrets.add(one.SSECustomerKey)
    await s3.send(new CreateBucketCommand({ Bucket: B }))
  })
  after(() => server.stop())

  const put = (Key: string, Body: Uint8Array, more: object = key) =>
    s3.send(new PutObjectCommand({ Bucket: B, Key, Body, ...more }))
  const get = async (Key: string, more: object = key) => {
    const answer = await s3.send(new GetObjectCommand({ Bucket: B, Key, ...more }))
    return { ...answer, bytes: await buffer(answer.Body as Readable) }
  }

  it('gives contents to who has the key, and to nobody else', async () => {
    for (const size of [0, 100, 20_000, 200_000]) {
      const body = randomBytes(size)
      const stored = await server.records([{ action: 'upload', bucket: B, key: 'x' }], () => put('x', body))
      assert.equal(stored.SSECustomerKeyMD5, key.SSECustomerKeyMD5)
      assert.notEqual(stored.ETag, `"${createHash('md5').update(body).digest('hex')}"`)
      const found = await get('x')
      assert.equal(found.SSECustomerAlgorithm, 'AES256')
      assert.deepEqual(found.bytes, body)
      if (size > 0) assert.deepEqual((await get('x', { ...key, Range: 'bytes=5-50' })).bytes, body.subarray(5, 51))
      const at = { Bucket: B, Key: 'x' }
      for (const more of [{}, other]) {
        assert.equal(await outcome(get('x', more)), 'InvalidRequest')
        assert.equal(await outcome(s3.send(new HeadObjectCommand({ ...at, ...more }))), '400')
        const asked = { ...at, ...more, ObjectAttributes: ['ObjectSize' as const] }
        assert.equal(await outcome(s3.send(new GetObjectAttributesCommand(asked))), 'InvalidRequest')
      }
      await rejectsWith(server.admin.getObject({ params: { bucket: B, key: 'x' } }), 'encryption_key_required')
    }
    await put('plain', randomBytes(10), {})
    assert.equal(await outcome(get('plain')), 'InvalidRequest')
    const verified = await strongroom(['verify', '--deep'], { ...server.env, LOG_LEVEL: 'error' })
    assert.equal(verified.code, 0, verified.out + verified.err)
    const rows = await server.database.db.selectFrom('blobs').select('envelope').execute()
    const text = JSON.stringify(rows)
    for (const one of [key.SSECustomerKey, key.SSECustomerKeyMD5]) assert.equal(text.includes(one), false)
  })

  it('takes parts with the key of their upload alone', async () => {
    const at = { Bucket: B, Key: 'in parts' }
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ ...at, ...key }))
    const Body = randomBytes(5 * MIB)
    const send = (more: object) => s3.send(new UploadPartCommand({ ...at, UploadId, PartNumber: 1, Body, ...more }))
    for (const more of [{}, other]) assert.equal(await outcome(send(more)), 'InvalidRequest')
    const { ETag } = await send(key)
    const complete = (more: object) =>
      s3.send(
        new CompleteMultipartUploadCommand({
          ...at,
          UploadId,
          MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] },
          ...more,
        }),
      )
    for (const more of [{}, other]) assert.equal(await outcome(complete(more)), 'InvalidRequest')
    await complete(key)
    assert.deepEqual((await get('in parts')).bytes, Body)
  })

  it('copies with the key of the source, to another key, to one of the service, and to none', async () => {
    const body = randomBytes(70_000)
    await put('source', body)
    const copy = (Key: string, more: object) =>
      s3.send(new CopyObjectCommand({ Bucket: B, Key, CopySource: `${B}/source`, ...more }))
    for (const more of [{}, asSource(other)]) assert.equal(await outcome(copy('no', more)), 'InvalidRequest')
    await copy('other key', { ...asSource(key), ...other })
    assert.deepEqual((await get('other key', other)).bytes, body)
    const served = await copy('served', { ...asSource(key), ServerSideEncryption: 'AES256' })
    assert.equal(served.ServerSideEncryption, 'AES256')
    assert.deepEqual((await get('served', {})).bytes, body)
    await copy('to none', asSource(key))
    const plain = await get('to none', {})
    assert.deepEqual(plain.bytes, body)
    assert.equal(plain.ETag, `"${createHash('md5').update(body).digest('hex')}"`)
    // A new name needs no key: the bytes stay where they are.
    await server.admin.moveObject({
      params: { bucket: B },
      body: { source_bucket: B, source_key: 'source', dest_key: 'moved' },
    })
    assert.deepEqual((await get('moved')).bytes, body)
  })

  itOnce('works in presigned URLs, whose key is sent in headers', async () => {
    const body = randomBytes(100)
    await put('presigned', body)
    const signingDate = server.clock.now()
    const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket: B, Key: 'presigned', ...key }), {
      signingDate,
      unhoistableHeaders: new Set(),
    })
    const headers = {
      'x-amz-server-side-encryption-customer-algorithm': 'AES256',
      'x-amz-server-side-encryption-customer-key': key.SSECustomerKey,
      'x-amz-server-side-encryption-customer-key-md5': key.SSECustomerKeyMD5,
    }
    const answer = await fetch(url, { headers })
    assert.equal(answer.status, 200)
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), body)
  })

  itOnce('refuses keys that are none', async () => {
    const header = (rest: string) => `x-amz-server-side-encryption-customer-${rest}`
    const path = `/${B}/no`
    for (const [change, code] of [
      [{ [header('algorithm')]: 'AES128' }, 'InvalidEncryptionAlgorithmError'],
      [{ [header('algorithm')]: '' }, 'InvalidEncryptionAlgorithmError'],
      [{ [header('key')]: 'AAAA' }, 'InvalidArgument'],
      [{ [header('key-md5')]: other.SSECustomerKeyMD5 }, 'InvalidArgument'],
      [{ 'x-amz-server-side-encryption': 'AES256' }, 'InvalidArgument'],
    ] as const)
      await server.records([], async () => {
        const headers = {
          [header('algorithm')]: 'AES256',
          [header('key')]: key.SSECustomerKey,
          [header('key-md5')]: key.SSECustomerKeyMD5,
          ...change,
        }
        const signed = await world.signed(pair, { method: 'PUT', path, headers, body: 'x' })
        const answer = await world.send('PUT', path, signed, 'x')
        assert.deepEqual([answer.status, answer.code], [400, code])
      })
  })
})
