import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3'
import { type BlobDriver, BlobMissing } from '../../server/drivers/driver.ts'
import { openBlobs } from '../../server/drivers/open.ts'
import { s3Driver } from '../../server/drivers/s3/driver.ts'
import { cephGateway, newBucket, noGateway } from '../support/ceph.ts'
import { collect, inChunks, list, putBytes, repeated } from './conformance-bytes.ts'
import { Upload } from './conformance-upload.ts'
import { MiB } from './drivers.ts'

const gateway = await cephGateway()

describe('S3 on Ceph', { skip: gateway ? false : noGateway }, () => {
  /** The real engine; `limits` let small blobs take the ways of huge ones. */
  function openS3(t: TestContext, limits?: { single: number; part: number }): BlobDriver {
    const { url, credentials } = gateway as NonNullable<typeof gateway>
    const { hostname: bucket, searchParams } = new URL(url)
    const endpoint = searchParams.get('endpoint') as string
    const driver = s3Driver({ bucket, prefix: `${randomUUID()}/`, endpoint, credentials, direct: true, limits })
    t.after(async () => {
      for await (const { id } of driver.list()) await driver.remove(id)
      await driver.close()
    })
    return driver
  }

  test('a blob of more than one request is whole or not there', async (t) => {
    const driver = openS3(t, { single: 6 * MiB, part: 5 * MiB })
    const bytes = randomBytes(16 * MiB + 3)
    const failure = new Error('the client went away')
    async function* failing() {
      yield* inChunks(bytes)
      throw failure
    }
    for (const size of [undefined, bytes.length]) {
      const id = randomUUID()
      await assert.rejects(driver.put(id, failing(), size), (error) => error === failure)
      if (size !== undefined)
        for (const wrong of [size - 1, size + 1, size - 6 * MiB])
          await assert.rejects(driver.put(id, inChunks(bytes), wrong), /The source gave/)
      assert.deepEqual(await list(driver), [])
      assert.equal(await driver.put(id, inChunks(bytes), size), bytes.length)
      assert.ok((await collect(await driver.get(id, bytes.length))).equals(bytes))
      const again = Readable.from(inChunks(bytes))
      await assert.rejects(driver.put(id, again, size), /exists already/)
      assert.ok(again.destroyed)
      assert.ok((await collect(await driver.get(id, bytes.length))).equals(bytes))
      await driver.remove(id)
    }
    for (const size of [5 * MiB, 10 * MiB])
      assert.equal(await driver.put(randomUUID(), inChunks(bytes.subarray(0, size))), size)
  })

  test('a blob that no single call copies is set aside in parts, and brought back', async (t) => {
    const driver = openS3(t, { single: 6 * MiB, part: 5 * MiB })
    for (const size of [6 * MiB, 17 * MiB + 3]) {
      const bytes = randomBytes(size)
      const id = await putBytes(driver, bytes)
      await driver.setAside(id)
      await assert.rejects(driver.get(id, size), BlobMissing)
      assert.deepEqual(
        (await Array.fromAsync(driver.listAside())).map((blob) => [blob.id, blob.size]),
        [[id, size]],
      )
      await driver.bringBack(id)
      assert.ok((await collect(await driver.get(id, size))).equals(bytes))
    }
    assert.deepEqual(await Array.fromAsync(driver.listAside()), [])
  })

  test('a client sends a part and fetches a blob by itself', async (t) => {
    const driver = openS3(t)
    const upload = await Upload.begin(driver)
    const bytes = randomBytes(100)
    const url = await driver.partUrl(upload.id, upload.handle, 1, { expiresIn: 60, size: 100 })
    assert.ok(url)
    for (const wrong of [randomBytes(99), randomBytes(101)])
      assert.equal((await fetch(url, { method: 'PUT', body: new Uint8Array(wrong) })).status, 403)
    assert.deepEqual(await upload.list(), [])
    const sent = await fetch(url, { method: 'PUT', body: new Uint8Array(bytes) })
    const ref = sent.headers.get('etag') as string
    assert.match(ref, /^"/)
    assert.equal((await upload.list())[0]?.ref, ref.slice(1, -1))
    await upload.complete([{ number: 1, size: 100, ref }])

    const as = { expiresIn: 60, contentType: 'text/x-some', contentDisposition: 'attachment; filename="a b.txt"' }
    const direct = (await driver.directUrl(upload.id, as)) as string
    const got = await fetch(direct)
    assert.equal(got.headers.get('content-type'), as.contentType)
    assert.equal(got.headers.get('content-disposition'), as.contentDisposition)
    assert.ok(Buffer.from(await got.arrayBuffer()).equals(bytes))
    assert.equal((await fetch(direct.replace('text%2Fx-some', 'text%2Fhtml'))).status, 403)
    const { secretAccessKey } = (gateway as NonNullable<typeof gateway>).credentials
    assert.ok(!`${url}${direct}`.includes(secretAccessKey))
  })

  test('parts that are too small are refused when they are completed', async (t) => {
    const upload = await Upload.begin(openS3(t))
    for (const number of [1, 2]) await upload.put(number, randomBytes(100))
    await assert.rejects(upload.complete(), { code: 'EntityTooSmall' })
    assert.deepEqual(await upload.list(), upload.parts)
  })

  test('errors name what failed and no secret', async () => {
    const { url, credentials } = gateway as NonNullable<typeof gateway>
    const wrong = { accessKeyId: credentials.accessKeyId, secretAccessKey: 'a-secret-nobody-may-see' }
    const refused = await openBlobs(url, { credentials: wrong })
    const unreachable = await openBlobs('s3://none?endpoint=http%3A%2F%2F127.0.0.1%3A1', { credentials: wrong })
    const noBucket = await openBlobs(url.replace(/\/\/[^/?]+/, '//no-such-bucket'), { credentials })
    const id = randomUUID()
    for (const [driver, what] of [
      // The answer to a HEAD has no body to say why.
      [refused, /SignatureDoesNotMatch|HTTP 403/],
      [unreachable, /ECONNREFUSED/],
      [noBucket, /NoSuchBucket/],
    ] as const) {
      const calls = [
        driver.check(),
        driver.get(id, 9),
        driver.remove(id),
        putBytes(driver, randomBytes(MiB)),
        list(driver),
      ]
      for (const { reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[]) {
        assert.match(String(reason), what)
        assert.ok(!(reason instanceof BlobMissing))
        const shown = inspect(reason, { depth: 9, showHidden: true })
        for (const secret of [wrong.secretAccessKey, credentials.secretAccessKey]) assert.ok(!shown.includes(secret))
      }
      await driver.close()
    }
  })

  test('what a killed put left is removed', async (t) => {
    const driver = openS3(t)
    const { url, credentials } = gateway as NonNullable<typeof gateway>
    const id = randomUUID()
    const storage = newBucket(gateway as NonNullable<typeof gateway>)
    const script = `
      import { openBlobs } from ${JSON.stringify(path.resolve('server/drivers/open.ts'))}
      async function* endless() {
        for (let given = 0; ; given++) { yield Buffer.alloc(1048576, 1); if (given === 40) console.log('on its way') }
      }
      const credentials = JSON.parse(process.env.TEST_CREDENTIALS)
      await (await openBlobs(${JSON.stringify(storage)}, { credentials })).put('${id}', endless())`
    const env = { ...process.env, TEST_CREDENTIALS: JSON.stringify(credentials) }
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise((resolve) => child.stdout.once('data', resolve))
    child.kill('SIGKILL')
    await new Promise((resolve) => child.on('exit', resolve))
    const own = await openBlobs(storage, { credentials })
    await assert.rejects(own.get(id, MiB), BlobMissing)
    const { hostname: Bucket, searchParams } = new URL(url)
    const client = new S3Client({
      endpoint: searchParams.get('endpoint') as string,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials,
    })
    const Prefix = new URL(storage).pathname.slice(1)
    const unfinished = async () =>
      (await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }))).Uploads?.map(({ Key }) => Key) ?? []
    assert.deepEqual(await unfinished(), [`${Prefix}/${id.slice(-2)}/${id}`])
    await own.remove(id)
    assert.deepEqual(await unfinished(), [])
    client.destroy()
    await own.close()
    await driver.check()
  })
})

describe('an S3 engine that misbehaves', () => {
  /** A driver on an engine that answers as the test says. */
  async function openFake(t: TestContext, answer: http.RequestListener): Promise<BlobDriver> {
    const server = http.createServer(answer).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const endpoint = encodeURIComponent(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' }
    const driver = await openBlobs(`s3://bucket?endpoint=${endpoint}`, { credentials })
    t.after(async () => {
      await driver.close()
      server.closeAllConnections()
      server.close()
    })
    return driver
  }
  const absent: http.RequestListener = (_, response) => void response.writeHead(404).end()

  test('a body that is broken off is an error, never a short body', async (t) => {
    const driver = await openFake(t, (request, response) => {
      const [, start, end] = /bytes=(\d+)-(\d+)/.exec(String(request.headers.range)) as unknown as [
        string,
        string,
        string,
      ]
      const length = Number(end) - Number(start) + 1
      response.writeHead(206, { 'content-range': `bytes ${start}-${end}/99999999`, 'content-length': length })
      response.write(randomBytes(Math.floor(length / 2)), () => response.destroy())
    })
    for (const size of [1000, 10 * MiB]) await assert.rejects(async () => collect(await driver.get(randomUUID(), size)))
  })

  test('a response with other bytes than requested is rejected', async (t) => {
    let headers: http.OutgoingHttpHeaders = {}
    let status = 206
    const driver = await openFake(t, (_, response) => {
      response.writeHead(status, headers)
      response.end(randomBytes(Number(headers['content-length'])))
    })
    const range = { start: 10, end: 19 }
    for (const [code, length, given] of [
      [206, 10, 'bytes 0-9/100'],
      [206, 5, 'bytes 10-14/100'],
      [200, 10, undefined],
      [200, 100, undefined],
    ] as const) {
      status = code
      headers = { 'content-length': length, ...(given && { 'content-range': given }) }
      await assert.rejects(driver.get(randomUUID(), 100, range), BlobMissing)
    }
  })

  test('what is in a buffer is sent again, a stream once', async (t) => {
    const puts: number[] = []
    const driver = await openFake(t, async (request, response) => {
      if (request.method !== 'PUT') return absent(request, response)
      const { length } = await buffer(request)
      puts.push(length)
      response.writeHead(puts.length % 2 ? 503 : 200).end()
    })
    await driver.put(randomUUID(), inChunks(randomBytes(1000)))
    await driver.put(randomUUID(), inChunks(randomBytes(1000)), 1000)
    assert.deepEqual(puts, [1000, 1000, 1000, 1000])
    const source = Readable.from(inChunks(randomBytes(MiB)))
    await assert.rejects(driver.put(randomUUID(), source, MiB), /HTTP 503/)
    assert.ok(source.destroyed)
    assert.equal(puts.length, 5)
  })

  test('a put whose engine refuses it midway ends at once', async (t) => {
    const driver = await openFake(t, (request, response) => {
      if (request.method !== 'PUT') return absent(request, response)
      request.once('data', () => response.writeHead(403, { connection: 'close' }).end())
    })
    const source = Readable.from(repeated(1024 * MiB), { objectMode: false })
    await assert.rejects(driver.put(randomUUID(), source, 1024 * MiB), /S3 PutObject/)
    assert.ok(source.destroyed)
  })

  test('a put that fails ends its request, and a stream that is destroyed its own', async (t) => {
    const ended = { put: Promise.withResolvers<void>(), get: Promise.withResolvers<void>() }
    const arrived = Promise.withResolvers<void>()
    const driver = await openFake(t, (request, response) => {
      if (request.method === 'PUT') {
        request.once('data', () => arrived.resolve())
        request.on('error', () => ended.put.resolve())
      } else if (request.headers.range) {
        response.writeHead(206, { 'content-range': `bytes 0-${MiB - 1}/${MiB}`, 'content-length': MiB })
        response.write(randomBytes(100_000))
        response.on('close', () => ended.get.resolve())
      } else absent(request, response)
    })
    async function* failing() {
      yield* inChunks(randomBytes(400_000))
      await arrived.promise
      throw new Error('the client went away')
    }
    await assert.rejects(driver.put(randomUUID(), failing(), MiB), /went away/)
    await ended.put.promise
    const body = (await driver.get(randomUUID(), MiB)) as Readable
    body.once('data', () => body.destroy())
    await ended.get.promise
  })
})
