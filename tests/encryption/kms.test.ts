import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, it } from 'node:test'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  GetBucketEncryptionCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutBucketEncryptionCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { outcome, startS3 } from '../s3/s3.ts'
import { sendHalf } from '../support/half-sent.ts'
import { type MotoKms, noMoto, startMoto, startTransit } from '../support/key-services.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type TestServer } from '../support/server.ts'

const B = 'by-key-services'
const MINUTE = 60_000
const moto = await startMoto()
after(() => moto?.stop())

describeEngines('S3: encryption with keys of key services', (engine, itOnce) => {
  let server: TestServer
  let s3: S3Client
  let kms: MotoKms
  before(async () => {
    ;({ server, s3 } = await startS3(engine))
    await s3.send(new CreateBucketCommand({ Bucket: B }))
    if (moto) kms = moto
  })
  after(() => server.stop())

  const put = (Key: string, Body: Uint8Array, more: object = {}) =>
    s3.send(new PutObjectCommand({ Bucket: B, Key, Body, ServerSideEncryption: 'aws:kms', ...more }))
  const get = async (Key: string) => {
    const answer = await s3.send(new GetObjectCommand({ Bucket: B, Key }))
    return { ...answer, bytes: await buffer(answer.Body as Readable) }
  }
  const register = (name: string, key_id: string) =>
    server.admin.createKmsKey({
      body: {
        name,
        kind: 'aws',
        endpoint: kms.url,
        region: 'us-east-1',
        key_id,
        access_key_id: kms.credentials.accessKeyId,
        secret: kms.credentials.secretAccessKey,
      },
    })

  it('encrypts with a key of the AWS KMS API, which is asked once for many', { skip: !moto && noMoto }, async () => {
    server.secrets.add(kms.credentials.secretAccessKey)
    await kms.createKey(`one-${engine}`)
    const key = await server.records([{ action: 'kms_key_create' }], () => register('one', `alias/one-${engine}`))
    assert.deepEqual([key.name, key.key_id, key.enabled], ['one', `alias/one-${engine}`, true])
    assert.equal('secret' in key, false)
    const context = Buffer.from(JSON.stringify({ team: 'b', app: 'a' })).toString('base64')
    for (const size of [0, 10, 100_000])
      for (const SSEKMSEncryptionContext of [undefined, context]) {
        const body = randomBytes(size)
        const stored = await put('x', body, { SSEKMSKeyId: 'one', SSEKMSEncryptionContext })
        assert.deepEqual([stored.ServerSideEncryption, stored.SSEKMSKeyId], ['aws:kms', 'one'])
        assert.notEqual(stored.ETag, `"${createHash('md5').update(body).digest('hex')}"`)
        const found = await get('x')
        assert.deepEqual([found.ServerSideEncryption, found.SSEKMSKeyId], ['aws:kms', 'one'])
        assert.deepEqual(found.bytes, body)
      }
    // What was opened is forgotten by now.
    await server.later(6 * MINUTE)
    const head = await s3.send(new HeadObjectCommand({ Bucket: B, Key: 'x' }))
    assert.equal(head.SSEKMSKeyId, 'one')
    assert.equal((await get('x')).bytes.length, 100_000)
  })

  it('encrypts as the bucket says, and copies to other keys', { skip: !moto && noMoto }, async () => {
    await kms.createKey(`two-${engine}`)
    await register('two', `alias/two-${engine}`)
    const Bucket = 'of-a-key'
    await s3.send(new CreateBucketCommand({ Bucket }))
    const rule = { SSEAlgorithm: 'aws:kms' as const, KMSMasterKeyID: 'two' }
    const config = { Rules: [{ ApplyServerSideEncryptionByDefault: rule }] }
    await server.records([{ action: 'update_bucket', bucket: Bucket }], () =>
      s3.send(new PutBucketEncryptionCommand({ Bucket, ServerSideEncryptionConfiguration: config })),
    )
    const found = await s3.send(new GetBucketEncryptionCommand({ Bucket }))
    assert.deepEqual(found.ServerSideEncryptionConfiguration?.Rules?.[0]?.ApplyServerSideEncryptionByDefault, rule)
    const body = randomBytes(70_000)
    await s3.send(new PutObjectCommand({ Bucket: B, Key: 'plain', Body: body }))
    for (const [from, more] of [
      ['plain', {}],
      ['plain', { ServerSideEncryption: 'aws:kms', SSEKMSKeyId: 'one' }],
      ['plain', { ServerSideEncryption: 'AES256' }],
    ] as const) {
      const copied = await s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${B}/${from}`, ...more }))
      const { ServerSideEncryption, SSEKMSKeyId, Body } = await s3.send(new GetObjectCommand({ Bucket, Key: 'copy' }))
      assert.deepEqual([ServerSideEncryption, SSEKMSKeyId], [copied.ServerSideEncryption, copied.SSEKMSKeyId])
      assert.deepEqual(await buffer(Body as Readable), body)
    }
    await rejectsWith(server.admin.deleteKmsKey({ params: { key: 'two' } }), 'conflict')
    await rejectsWith(
      server.admin.createBucket({ body: { name: 'no-key', encryption: { algorithm: 'aws:kms', key: 'none' } } }),
      'invalid_request',
    )
  })

  it('refuses bytes whose key was deleted while they came', { skip: !moto && noMoto }, async () => {
    await kms.createKey(`gone-${engine}`)
    await register('gone', `alias/gone-${engine}`)
    const bucket = 'of-a-deleted-key'
    await server.admin.createBucket({ body: { name: bucket, encryption: { algorithm: 'aws:kms', key: 'gone' } } })
    const send = (size: number) =>
      sendHalf(server.url, {
        line: `PUT /api/v1/buckets/${bucket}/objects/${size}`,
        headers: { Authorization: `Bearer ${server.adminToken}` },
        body: randomBytes(size),
      })
    // One is kept in the database and one in the storage.
    const open = await Promise.all([send(2000), send(1_000_000)])
    const blobs = () => server.database.db.selectFrom('blobs').select('id').where('envelope', 'is not', null).execute()
    const before = await blobs()
    await server.records([{ action: 'update_bucket', bucket }, { action: 'kms_key_delete' }], async () => {
      await server.admin.updateBucket({ params: { bucket }, body: { encryption: null } })
      await server.admin.deleteKmsKey({ params: { key: 'gone' } })
      for (const one of open) assert.deepEqual(await one.finish(), { status: 409, code: 'conflict' })
    })
    assert.deepEqual((await server.admin.listObjects({ params: { bucket } })).items, [])
    assert.deepEqual(await blobs(), before)
    const { used_bytes, reserved_bytes } = await server.admin.getBucket({ params: { bucket } })
    assert.deepEqual([used_bytes, reserved_bytes], [0, 0])
  })

  itOnce('encrypts with a key of Transit, and answers 503 to those who need it while that is down', async () => {
    const token = 'the-token-of-the-tests'
    server.secrets.add(token)
    const transit = await startTransit(token)
    try {
      const body = {
        name: 'vault',
        kind: 'transit' as const,
        endpoint: transit.url,
        mount: 'keys',
        key_id: 'strongroom',
      }
      await server.records([], () =>
        rejectsWith(server.admin.createKmsKey({ body: { ...body, secret: 'wrong' } }), 'conflict'),
      )
      await server.admin.createKmsKey({ body: { ...body, secret: token } })
      const context = Buffer.from('{"a":"b"}').toString('base64')
      const contents = randomBytes(20_000)
      await put('z', contents, { SSEKMSKeyId: 'vault', SSEKMSEncryptionContext: context })
      await server.later(6 * MINUTE)
      assert.deepEqual((await get('z')).bytes, contents)
      await server.later(6 * MINUTE)
      transit.setDown(true)
      const { $metadata } = await get('z').catch((error: { $metadata: { httpStatusCode: number } }) => error)
      assert.equal($metadata.httpStatusCode, 503)
      await s3.send(new PutObjectCommand({ Bucket: B, Key: 'others', Body: 'goes on' }))
      transit.setDown(false)
      assert.deepEqual((await get('z')).bytes, contents)
      await server.records([{ action: 'kms_key_update' }], () =>
        server.admin.updateKmsKey({ params: { key: 'vault' }, body: { enabled: false } }),
      )
      await server.later(6 * MINUTE)
      assert.equal(await outcome(get('z')), 'KMS.DisabledException')
    } finally {
      await transit.stop()
    }
  })

  itOnce('refuses keys that are not registered, and contexts that are none', async () => {
    for (const [more, code] of [
      [{ SSEKMSKeyId: 'unknown' }, 'KMS.DisabledException'],
      [{}, 'InvalidArgument'],
      [{ SSEKMSKeyId: 'one', SSEKMSEncryptionContext: 'e30x' }, 'InvalidArgument'],
      [{ SSEKMSKeyId: 'one', SSEKMSEncryptionContext: Buffer.from('{"a":1}').toString('base64') }, 'InvalidArgument'],
      [{ ServerSideEncryption: 'AES256', SSEKMSEncryptionContext: 'e30=' }, 'InvalidArgument'],
    ] as const)
      await server.records([], async () => assert.equal(await outcome(put('refused', randomBytes(5), more)), code))
  })
})
