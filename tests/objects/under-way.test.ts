import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { newId } from '../../server/base/id.ts'
import { type HalfSent, sendHalf } from '../support/half-sent.ts'
import { request } from '../support/http.ts'
import { describeEngines, onS3, STORED, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const MB = 1_000_000
const GIB = 1024 ** 3

describeEngines('uploads in progress', (engine, itOnce) => {
  let server: TestServer
  let count = 0
  before(async () => {
    server = await startServer(engine, STORED)
  })
  after(() => server.stop())

  const bucketOf = async (bytes: number | null) => {
    const name = `under-way-${++count}`
    await server.admin.createBucket({ body: { name, quota_gb: bytes === null ? null : bytes / GIB } })
    return name
  }
  const linkTo = async (bucket: string, limits: { max_total_bytes?: number; max_files?: number }) => {
    const link = await server.admin.createShare({ body: { kind: 'upload', bucket, prefix: 'inbox/', ...limits } })
    return (name: string, body: string | Buffer): HalfSent => ({ line: `PUT /public/s/${link.token}/${name}`, body })
  }
  const put = (bucket: string, key: string, body: string | Buffer): HalfSent => ({
    line: `PUT /api/v1/buckets/${bucket}/objects/${key}`,
    headers: { Authorization: `Bearer ${server.adminToken}` },
    body,
  })
  const half = (one: HalfSent) => sendHalf(server.url, one)
  const incoming = () => server.database.db.selectFrom('incoming').selectAll().execute()
  /** Bytes of all files in the storage. */
  const onDisk = () =>
    server.files().reduce((sum, file) => {
      const stat = fs.statSync(path.join(server.folder, 'blobs', file), { throwIfNoEntry: false })
      return sum + (stat?.size ?? 0)
    }, 0)

  it('thirty at once on a link of 10 MB never keep more than 10 MB', {
    skip: onS3 && 'S3 has no files to look at',
  }, async () => {
    const limit = 10 * MB
    const link = await linkTo(await bucketOf(20 * MB), { max_total_bytes: limit, max_files: 1 })
    const piece = Buffer.alloc(MB / 10)
    const answers: string[] = []
    let most = 0
    const sockets = Array.from({ length: 30 }, (_, i) => {
      const { hostname, port } = new URL(server.url)
      const socket = net.connect(Number(port), hostname)
      socket.on('error', () => undefined)
      socket.on('data', (chunk) => {
        answers[i] = (answers[i] ?? '') + chunk
      })
      socket.write(`${link(`f${i}`, '').line} HTTP/1.1\r\nHost: x\r\nContent-Length: ${limit}\r\n\r\n`)
      for (let sent = 0; sent < 99; sent++) socket.write(piece)
      return socket
    })
    await until(() => {
      most = Math.max(most, onDisk())
      return answers.filter(Boolean).length === 29
    })
    // The storage's own buffer holds back the last of them.
    await until(() => onDisk() >= 90 * piece.length)
    most = Math.max(most, onDisk())
    assert.ok(most <= limit, `${most} bytes on disk`)
    const refused = answers
      .filter(Boolean)
      .map((text) => /^HTTP\/1\.1 (\d+)[\s\S]*"code":"(\w+)"/.exec(text)?.slice(1, 3))
    for (const one of refused) assert.deepEqual(one, ['409', 'limit_reached'])
    const [last] = sockets.filter((_, i) => !answers[i])
    assert.ok(last)
    last.write(piece)
    await until(() => answers.filter(Boolean).length === 30)
    assert.equal(answers.filter((text) => text.startsWith('HTTP/1.1 201 ')).length, 1)
    for (const socket of sockets) socket.destroy()
    assert.deepEqual(await incoming(), [])
  })

  it('a link reserves announced sizes, and accepts a few files at a time', async () => {
    const bucket = await bucketOf(null)
    const bytes = await linkTo(bucket, { max_total_bytes: 100 })
    const first = await half(bytes('a', 'x'.repeat(60)))
    assert.equal(first.refused, null)
    assert.deepEqual((await half(bytes('b', 'x'.repeat(60)))).refused, {
      status: 413,
      code: 'too_large',
      retryAfter: undefined,
    })
    await first.abandon()
    await until(async () => (await incoming()).length === 0)
    const again = await half(bytes('c', 'x'.repeat(100)))
    assert.equal((await again.finish()).status, 201)
    const many = await linkTo(bucket, {})
    const open = await Promise.all(Array.from({ length: 8 }, (_, i) => half(many(`${i}`, 'half'))))
    assert.ok(open.every(({ refused }) => refused === null))
    const { refused } = await half(many('ninth', 'half'))
    assert.deepEqual(refused, { status: 429, code: 'rate_limited', retryAfter: '5' })
    assert.deepEqual(
      (await Promise.all(open.map((one) => one.finish()))).map(({ status }) => status),
      Array(8).fill(201),
    )
    assert.equal((await (await half(many('ninth', 'half'))).finish()).status, 201)
  })

  for (const [what, size] of [
    ['large', 3 * MB],
    ['small', 3000],
  ] as const)
    it(`a bucket reserves announced sizes: ${what}`, async () => {
      const bucket = await bucketOf(Math.floor(size * 2.5))
      const body = Buffer.alloc(size)
      const open = await Promise.all([half(put(bucket, 'a', body)), half(put(bucket, 'b', body))])
      assert.ok(open.every(({ refused }) => refused === null))
      assert.deepEqual((await half(put(bucket, 'c', body))).refused, {
        status: 413,
        code: 'quota_exceeded',
        retryAfter: undefined,
      })
      await open[0]?.abandon()
      await until(async () => {
        const next = await half(put(bucket, 'c', body))
        return next.refused === null && (await next.finish()).status === 201
      })
      assert.equal((await open[1]?.finish())?.status, 201)
      // What takes the place of as many bytes takes no room.
      assert.equal((await (await half(put(bucket, 'b', body))).finish()).status, 200)
      const { used_bytes, reserved_bytes } = await server.admin.getBucket({ params: { bucket } })
      assert.deepEqual([used_bytes, reserved_bytes, await incoming()], [2 * size, 0, []])
    })

  itOnce('bodies without a length reserve as they grow, and stop where there is no room', { skip: onS3 }, async () => {
    const limit = 6 * MB
    const bucket = await bucketOf(limit)
    const before = onDisk()
    const { hostname, port } = new URL(server.url)
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536), Buffer.from('\r\n')])
    let most = 0
    const answers = await Promise.all(
      Array.from({ length: 4 }, async (_, i) => {
        const socket = net.connect(Number(port), hostname)
        let text = ''
        socket.on('error', () => undefined)
        socket.on('data', (bytes) => {
          text += bytes
        })
        const { line, headers } = put(bucket, `chunked-${i}`, '')
        socket.write(`${line} HTTP/1.1\r\nHost: x\r\nAuthorization: ${headers?.Authorization}\r\n`)
        socket.write('Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n')
        for (let n = 0; n < 40 && text === ''; n++) {
          if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
          most = Math.max(most, onDisk() - before)
        }
        socket.write('0\r\n\r\n')
        await until(() => text !== '')
        socket.destroy()
        return /^HTTP\/1\.1 (\d+)/.exec(text)?.[1]
      }),
    )
    assert.ok(most <= limit, `${most} bytes`)
    assert.ok(answers.includes('413'), String(answers))
    await until(async () => (await incoming()).length === 0)
    // How many got through depends on how they took turns: what is left is free again, to the byte.
    const { used_bytes, reserved_bytes } = await server.admin.getBucket({ params: { bucket } })
    const through = answers.filter((status) => status === '201').length
    assert.deepEqual([used_bytes, reserved_bytes], [through * 40 * 65_536, 0])
    const body = new Blob([Buffer.alloc(limit - (used_bytes ?? 0))]).stream()
    // In a variable, since `duplex` is missing in the types of fetch.
    const streamed = { method: 'PUT', headers: { Authorization: `Bearer ${server.adminToken}` }, body, duplex: 'half' }
    const stored = await fetch(`${server.url}/api/v1/buckets/${bucket}/object?key=rest`, streamed)
    assert.equal(stored.status, 201, 'what is left has room')
  })

  it('a dead process’s reservation is released after its lease', async () => {
    const bucket = await bucketOf(3 * MB)
    const { id } = await server.database.db
      .selectFrom('buckets')
      .select('id')
      .where('name', '=', bucket)
      .executeTakeFirstOrThrow()
    const expires_at = new Date(server.clock.now().getTime() + 600_000).toISOString()
    await server.database.transaction((tx) =>
      tx
        .insertInto('incoming')
        .values({ id: newId(), bucket_id: id, share_id: null, bytes: 2 * MB, expires_at })
        .execute(),
    )
    const body = Buffer.alloc(2 * MB)
    assert.equal((await half(put(bucket, 'a', body))).refused?.code, 'quota_exceeded')
    await server.later(601_000)
    await server.running.tick()
    assert.equal((await (await half(put(bucket, 'a', body))).finish()).status, 201)
  })

  it('a reservation is renewed while bytes come', async () => {
    const bucket = await bucketOf(5 * MB)
    const one = await half(put(bucket, 'a', Buffer.alloc(4 * MB)))
    assert.equal(one.refused, null)
    const [before] = await incoming()
    await server.later(300_000)
    assert.equal((await one.finish()).status, 201)
    assert.ok(before)
    assert.deepEqual(await incoming(), [])
  })

  itOnce('limits concurrent uploads per user, and per address through links', async () => {
    const few = await startServer(engine, { UPLOADS_PER_SENDER: '2' })
    try {
      await few.admin.createBucket({ body: { name: 'few' } })
      const link = await few.admin.createShare({ body: { kind: 'upload', bucket: 'few', prefix: 'inbox/' } })
      const { upload_id, urls } = await few.admin.initUpload({
        params: { bucket: 'few' },
        body: { key: 'p', file_size: 4 },
      })
      assert.ok(upload_id)
      const headers = { Authorization: `Bearer ${few.adminToken}` }
      const byPerson = (n: number): HalfSent => ({
        line: `PUT /api/v1/buckets/few/objects/${n}`,
        headers,
        body: 'half',
      })
      const byLink = (n: number): HalfSent => ({ line: `PUT /public/s/${link.token}/${n}`, body: 'half' })
      const url = few.running.url
      for (const make of [byPerson, byLink]) {
        const open = [await sendHalf(url, make(1)), await sendHalf(url, make(2))]
        assert.ok(open.every(({ refused }) => refused === null))
        assert.deepEqual((await sendHalf(url, make(3))).refused, { status: 429, code: 'rate_limited', retryAfter: '5' })
        if (make === byPerson) {
          const part = await request({ url, path: new URL(urls[0] ?? '').pathname, method: 'PUT', body: 'part' })
          assert.equal(part.status, 429, 'a part is an upload, too')
        }
        for (const one of open) assert.equal((await one.finish()).status, 201)
        assert.equal((await (await sendHalf(url, make(3))).finish()).status, 201)
      }
    } finally {
      await few.stop()
    }
  })
})
