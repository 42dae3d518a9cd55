// What is encrypted is on no disk as it was sent: whatever way it came, and wherever it is kept.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { after, before, it } from 'node:test'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import sharp from 'sharp'
import { startS3 } from '../s3/s3.ts'
import { startTransit } from '../support/key-services.ts'
import { describeEngines, describeOnce, onS3, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { newClientKey } from './client-key.ts'
import { marked, newMarker, searchAll } from './raw-search.ts'

const KIB = 1024
const MIB = 1024 * KIB
/** Nothing, one byte, and around the sizes at which bodies are stored otherwise, or have one more segment. */
const SIZES = [
  ...[0, 1, 31, 32, 1000, 4 * KIB],
  ...[16 * KIB - 1, 16 * KIB, 16 * KIB + 1],
  ...[64 * KIB - 1, 64 * KIB, 64 * KIB + 1],
  ...[200_000, MIB],
]
const B = 'searched'
const UPLOADS = 500
const AT_ONCE = 4

describeEngines('raw search', (engine) => {
  let server: TestServer
  let s3: S3Client
  let transit: Awaited<ReturnType<typeof startTransit>>
  const customer = newClientKey()
  const kinds: Record<string, object> = {
    'by the bucket': {},
    AES256: { ServerSideEncryption: 'AES256' },
    'aws:kms': { ServerSideEncryption: 'aws:kms', SSEKMSKeyId: 'vault' },
    'SSE-C': customer,
  }
  before(async () => {
    ;({ server, s3 } = await startS3(engine))
    transit = await startTransit('the-token-of-the-search')
    for (const secret of ['the-token-of-the-search', customer.SSECustomerKey]) server.secrets.add(secret)
    await server.admin.createKmsKey({
      body: {
        name: 'vault',
        kind: 'transit',
        endpoint: transit.url,
        mount: 'keys',
        key_id: 'strongroom',
        secret: 'the-token-of-the-search',
      },
    })
    await server.admin.createBucket({
      body: { name: B, versioning: 'enabled', encryption: { algorithm: 'AES256' } },
    })
    await server.admin.createBucket({ body: { name: 'plain' } })
  })
  after(async () => {
    await server.stop()
    await transit.stop()
  })

  const put = (Bucket: string, Key: string, Body: Uint8Array, more: object) =>
    s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }))

  /** An upload in parts, the first of which was sent with other contents before; `ends`: it is completed. */
  async function putParts(
    Bucket: string,
    { Key, sizes, ends, bytesOf }: { Key: string; sizes: number[]; ends: boolean; bytesOf: (n: number) => Uint8Array },
    more: object,
  ): Promise<void> {
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...more }))
    const own = 'SSECustomerKey' in more ? more : {}
    const Parts: { ETag: string | undefined; PartNumber: number }[] = []
    for (const [i, size] of [sizes[0] ?? 0, ...sizes].entries()) {
      const part = { Bucket, Key, UploadId, PartNumber: Math.max(1, i), Body: bytesOf(size), ...own }
      const { ETag } = await s3.send(new UploadPartCommand(part))
      if (i > 0) Parts.push({ ETag, PartNumber: part.PartNumber })
    }
    if (ends)
      await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts }, ...own }))
  }

  /** Sends the first half of a body; the upload goes on until `end` is called. */
  async function putSlowly(bucket: string, body: Buffer) {
    const request = http.request(`${server.running.url}/api/v1/buckets/${bucket}/objects/slow`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${server.adminToken}`, 'content-length': body.length },
    })
    request.write(body.subarray(0, body.length / 2))
    const isWritten = (name: string) =>
      name.endsWith('.tmp') &&
      (fs.statSync(path.join(server.folder, 'blobs', name), { throwIfNoEntry: false })?.size ?? 0) > 0
    if (!onS3) await until(() => server.files().some(isWritten))
    return async () => {
      request.end(body.subarray(body.length / 2))
      const [response] = (await once(request, 'response')) as [http.IncomingMessage]
      response.resume()
      assert.equal(response.statusCode, 201)
    }
  }

  it('finds nothing of 500 uploads of every kind and size', async () => {
    const marker = newMarker()
    const bytesOf = (size: number) => marked(marker, size)
    const work: (() => Promise<unknown>)[] = []
    for (const [kind, more] of Object.entries(kinds)) {
      for (const ends of [true, false])
        work.push(() =>
          putParts(B, { Key: `${kind} ${ends}`, sizes: [5 * MIB, 5 * MIB + 1, 100], ends, bytesOf }, more),
        )
      work.push(async () => {
        const Key = `${kind} to copy`
        await put(B, Key, bytesOf(100_000), more)
        const source = Object.entries('SSECustomerKey' in more ? more : {}).map(([name, value]) => [
          `CopySource${name}`,
          value,
        ])
        for (const [to, target] of Object.entries(kinds))
          await s3.send(
            new CopyObjectCommand({
              Bucket: B,
              Key: `${kind} as ${to}`,
              CopySource: `${B}/${encodeURIComponent(Key)}`,
              ...Object.fromEntries(source),
              ...target,
            }),
          )
      })
    }
    work.push(() => put(B, 'large', bytesOf(100 * MIB), kinds.AES256 ?? {}))
    work.push(async () => {
      const body = new FormData()
      for (const size of SIZES) body.append('file', new Blob([bytesOf(size)]), `of ${size}`)
      await server.admin.uploadForm({ params: { bucket: B }, query: { prefix: 'form/' }, body })
    })
    const names = Object.keys(kinds)
    for (let i = work.length; i < UPLOADS; i++) {
      const kind = names[i % names.length] ?? ''
      const size = SIZES[Math.floor(i / names.length) % SIZES.length] ?? 0
      // Some are overwritten, and some go to the trash.
      const key = `${kind} ${size}`
      work.push(async () => {
        await put(B, key, bytesOf(size), kinds[kind] ?? {})
        if (i % 7 === 0) await server.admin.deleteObject({ params: { bucket: B, key } })
      })
    }
    assert.equal(work.length, UPLOADS)
    const waiting = [...work]
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = waiting.shift(); next; next = waiting.shift()) await next()
      }),
    )
    const finish = await putSlowly(B, bytesOf(2 * MIB))
    assert.deepEqual(await searchAll(server, [marker]), [])
    await finish()
    assert.deepEqual(await searchAll(server, [marker]), [])
  })

  it('finds what is not encrypted, wherever it is kept', async () => {
    const marker = newMarker()
    const bytesOf = (size: number) => marked(marker, size)
    for (const size of [1000, 200_000]) await put('plain', `of ${size}`, bytesOf(size), {})
    await putParts('plain', { Key: 'unfinished', sizes: [5 * MIB, 100], ends: false, bytesOf }, {})
    const finish = await putSlowly('plain', bytesOf(2 * MIB))
    const found = await searchAll(server, [marker])
    const places = onS3
      ? [/^object /]
      : [
          /\.tmp:/,
          /\.d[/\\]/,
          /^blobs[/\\][0-9a-f]{2}[/\\][0-9a-f-]+:/,
          engine === 'sqlite' ? /strongroom\.db/ : /^body /,
        ]
    for (const place of places)
      assert.ok(
        found.some((one) => place.test(one)),
        `${place} of ${found.join('\n')}`,
      )
    await finish()
  })

  it('keeps no derivative of an encrypted image', async () => {
    const image = await sharp({ create: { width: 40, height: 40, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    /** Renders an image; returns the id of its blob, with which the names of its derivatives begin. */
    const render = async (bucket: string): Promise<string> => {
      await server.admin.putObject({ params: { bucket, key: 'a.png' }, body: new Uint8Array(image) })
      const answer = await fetch(`${server.running.url}/api/v1/images/${bucket}/a.png?w=20`, {
        headers: { authorization: `Bearer ${server.adminToken}` },
      })
      assert.equal(answer.status, 200)
      await answer.arrayBuffer()
      const { blob_id } = await server.database.db
        .selectFrom('objects')
        .innerJoin('buckets', 'buckets.id', 'objects.bucket_id')
        .select('blob_id')
        .where('name', '=', bucket)
        .where('key', '=', 'a.png')
        .executeTakeFirstOrThrow()
      return blob_id
    }
    const isCached = (id: string) =>
      fs
        .readdirSync(path.join(server.folder, 'image-cache'), { recursive: true })
        .some((name) => String(name).includes(id))
    const encrypted = await render(B)
    const plain = await render('plain')
    // What came first would be there first.
    await until(() => isCached(plain))
    assert.equal(isCached(encrypted), false)
  })
})

// PostgreSQL keeps what is deleted in its files and its log for a while: docs/encryption.md says so.
describeOnce('raw search for keys', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: B, trash_days: 0, encryption: { algorithm: 'AES256' } } })
  })
  after(() => server.stop())

  it('finds none of what was erased', { skip: onS3 && 'with PostgreSQL' }, async () => {
    const wrapped = async () =>
      (await server.database.db.selectFrom('blobs').select('envelope').where('envelope', 'is not', null).execute()).map(
        ({ envelope }) => (JSON.parse(envelope ?? '') as { wrapped: string }).wrapped,
      )
    const put = (i: number) =>
      server.admin.putObject({ params: { bucket: B, key: String(i) }, body: randomBytes(i * 100) })
    const numbers = Array.from({ length: 300 }, (_, i) => i)
    await Promise.all(numbers.map(put))
    const made = await wrapped()
    assert.equal(made.length, 300)
    // Some are overwritten before they are deleted, and a fifth of all is kept.
    await Promise.all(numbers.filter((i) => i % 2 === 0).map(put))
    const gone = numbers.filter((i) => i % 5 !== 0).map(String)
    for (let at = 0; at < gone.length; at += 30)
      await server.admin.bulkDelete({ params: { bucket: B }, body: { keys: gone.slice(at, at + 30) } })
    const left = new Set(await wrapped())
    const erased = made.filter((one) => !left.has(one))
    const kept = made.filter((one) => left.has(one))
    assert.deepEqual([erased.length, kept.length], [270, 30])
    assert.ok((await searchAll(server, erased)).length > 0, 'the log has them until it is emptied')
    await server.later(61_000)
    await server.running.tick('disk-keeper')
    assert.deepEqual(await searchAll(server, erased), [])
    assert.equal((await searchAll(server, kept)).length, kept.length)
  })
})
