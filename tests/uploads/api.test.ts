import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { Readable } from 'node:stream'
import { after, before, it } from 'node:test'
import { type Client, createClient, ProblemError } from '../../contract/client.ts'
import type { BlobDriver } from '../../server/blobs/driver.ts'
import { openStorage } from '../../server/blobs/open.ts'
import { readConfig } from '../../server/config.ts'
import { createContext, systemActor } from '../../server/context.ts'
import { newId } from '../../server/id.ts'
import { createLog } from '../../server/log.ts'
import { type Running, start } from '../../server/start.ts'
import { completeUpload } from '../../server/uploads/complete.ts'
import { getUpload, initUpload } from '../../server/uploads/service.ts'
import { type Answer, request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { allActions, describeEngines, onS3, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const MIB = 1024 ** 2
const GIB = 1024 ** 3
const TIB = 1024 ** 4
/** The smallest size of a part that is not the last. */
const PART = 5 * MIB
const HOUR = 3600_000
const ABSENT = '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10'
const noise = randomBytes(40 * MIB)
/** Some bytes, others from another place. */
const bytes = (size: number, from = randomInt(0, noise.length - size + 1)) => noise.subarray(from, from + size)
const digest = (data: Uint8Array) => createHash('md5').update(data)
const md5 = (data: Uint8Array) => digest(data).digest('hex')
/** The ETag of a multipart object as AWS computes it. */
const etagOfParts = (...parts: Uint8Array[]) =>
  `${md5(Buffer.concat(parts.map((part) => digest(part).digest())))}-${parts.length}`
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
const shuffled = <T>(all: readonly T[]): T[] => {
  const left = [...all]
  return times(all.length, () => left.splice(randomInt(0, left.length), 1)[0] as T)
}
/** How each call ended: `ok` or its problem's code. */
const outcomes = async (calls: Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(calls)).map((one) => {
    if (one.status === 'fulfilled') return 'ok'
    return one.reason instanceof ProblemError ? one.reason.problem.code : String(one.reason)
  })
const count = (all: string[], code: string) => all.filter((one) => one === code).length

interface Named {
  part_number: number
  etag: string
}
type Init = Parameters<Client['initUpload']>[0]['body']

describeEngines('uploads in parts', (engine, itOnce) => {
  let server: TestServer
  /** On PostgreSQL a second service on the same tables and folder. */
  let twin: Running | undefined
  let clients: Client[]
  let buckets = 0
  const client = (i: number) => clients[i % clients.length] as Client

  const open = async (quotaBytes?: number, more: object = {}) => {
    const name = `uploads-${++buckets}`
    const quota = quotaBytes === undefined ? {} : { quota_gb: quotaBytes / GIB }
    await server.admin.createBucket({ body: { name, ...quota, ...more } })
    return name
  }
  const usage = async (name: string) => {
    const { used_bytes, reserved_bytes, object_count, trash_bytes } = await server.admin.getBucket({ params: { name } })
    return { used_bytes, reserved_bytes, object_count, trash_bytes }
  }
  /** PUTs to a URL as it was given, without a credential. */
  const putAt = (url: string, body: Uint8Array, headers: http.OutgoingHttpHeaders = {}): Promise<Answer> =>
    request({ url: server.url, path: new URL(url).pathname, method: 'PUT', body, headers })
  /** The same to one of the services. */
  const sendTo = (i: number, url: string, body: Uint8Array): Promise<Answer> =>
    request({ url: (i % 2 && twin?.url) || server.url, path: new URL(url).pathname, method: 'PUT', body })
  const refusal = (answer: Answer) => [answer.status, answer.json().code]

  const begin = async (name: string, body: Init, by = server.admin) => {
    const params = { name }
    const upload = await by.initUpload({ params, body })
    const { upload_id, urls } = upload
    const url = (number: number) => urls[number - 1] ?? assert.fail(`no URL of part ${number}`)
    return {
      ...upload,
      url,
      try: (number: number, data: Uint8Array, headers = {}) => putAt(url(number), data, headers),
      /** Sends a part, which must be taken, and gives what complete names it by. */
      async send(number: number, data: Uint8Array): Promise<Named> {
        const answer = await putAt(url(number), data)
        assert.equal(answer.status, 200, answer.body.toString())
        return { part_number: number, etag: answer.json<{ etag: string }>().etag }
      },
      status: (query = {}, who = by) => who.getUpload({ params: { name, upload_id }, query }),
      complete: (parts: Named[], more: { key?: string; if_none_match?: '*' } = {}, who = by) =>
        who.completeUpload({ params, body: { upload_id, parts, ...more } }),
      abort: (who = by) => who.abortUpload({ params, body: { upload_id } }),
    }
  }
  /** A whole upload of one small part. */
  const store = async (name: string, key: string, data: Uint8Array, more: Partial<Init> = {}) => {
    const upload = await begin(name, { key, file_size: data.length, ...more })
    return upload.complete([await upload.send(1, data)])
  }
  const read = async (name: string, key: string): Promise<Buffer> =>
    Buffer.from(await (await server.admin.getObject({ params: { name, key } })).arrayBuffer())
  const person = async (...grants: Parameters<TestServer['userWith']>) => {
    const token = await server.userWith(...grants)
    const { id, email, groups } = await server.as(token).me()
    return { id, email, token, client: server.as(token), groupId: groups[0]?.id ?? '' }
  }
  const tick = () => Promise.all([server.running.tick(), twin?.tick()])
  /** After this only what is in use is left. */
  const pastGrace = async () => {
    await server.later(2 * HOUR)
    await tick()
  }

  before(async () => {
    server = await startServer(engine)
    clients = [server.admin]
    if (engine === 'sqlite') return
    twin = await start(readConfig({ ...server.env, LOG_LEVEL: 'silent' }), { now: server.clock.now, timers: false })
    clients.push(createClient({ baseUrl: twin.url, token: () => server.adminToken }))
  })
  after(async () => {
    await twin?.stop()
    await server.stop()
  })

  itOnce('begins with sizes, numbers and URLs that fit together', async () => {
    const name = await open()
    await server.records([], async () => {
      const {
        url: _u,
        try: _t,
        send: _s,
        status: _g,
        complete: _c,
        abort,
        ...upload
      } = await begin(name, {
        key: 'a b/ä',
        file_size: 40 * MIB,
      })
      assert.deepEqual(
        { ...upload, upload_id: '', urls: upload.urls.length },
        {
          upload_id: '',
          bucket: name,
          key: 'a b/ä',
          file_size: 40 * MIB,
          part_size: 16 * MIB,
          num_parts: 3,
          expires_at: new Date(server.clock.now().getTime() + 24 * HOUR).toISOString(),
          urls: 3,
        },
      )
      assert.match(upload.upload_id, /^[0-9a-f-]{36}$/)
      await abort()
      const shape = async (body: Omit<Init, 'key'>) => {
        const { part_size, num_parts, urls, abort } = await begin(name, { key: 'k', ...body })
        assert.equal(new Set(urls).size, urls.length)
        await abort()
        return [part_size, num_parts, urls.length]
      }
      assert.deepEqual(await shape({ file_size: 0 }), [16 * MIB, 1, 1])
      assert.deepEqual(await shape({ file_size: 1 }), [16 * MIB, 1, 1])
      assert.deepEqual(await shape({ file_size: 16 * MIB }), [16 * MIB, 1, 1])
      assert.deepEqual(await shape({ file_size: 16 * MIB + 1 }), [16 * MIB, 2, 2])
      assert.deepEqual(await shape({}), [16 * MIB, null, 1000])
      assert.deepEqual(await shape({ file_size: 5 * MIB + 1, part_size: 5 * MIB }), [5 * MIB, 2, 2])
      assert.deepEqual(await shape({ part_size: 5 * GIB }), [5 * GIB, null, 1000])
      assert.deepEqual(await shape({ file_size: 10_000 * PART, part_size: PART }), [PART, 10_000, 1000])
      const [size, parts] = (await shape({ file_size: 5 * TIB })) as [number, number]
      assert.ok(parts <= 10_000 && size * parts >= 5 * TIB && size * (parts - 1) < 5 * TIB, `${parts} of ${size}`)
    })
    assert.equal((await usage(name)).reserved_bytes, 0)
  })

  itOnce('gives the URLs beyond the first thousand when asked', async () => {
    const name = await open()
    const upload = await begin(name, { key: 'k', file_size: 1500 * PART - 3, part_size: PART })
    assert.deepEqual([upload.num_parts, upload.urls.length], [1500, 1000])
    const rest = await upload.status({ from: 1001 })
    assert.deepEqual(
      rest.urls.map(({ part_number }) => part_number),
      times(500, (i) => 1001 + i),
    )
    const last = rest.urls.at(-1)?.url ?? ''
    assert.deepEqual(refusal(await putAt(last, bytes(PART - 4))), [400, 'malformed'])
    assert.equal((await putAt(last, bytes(PART - 3))).status, 200)
    const few = await upload.status({ from: 1499, limit: 2 })
    assert.deepEqual(
      [few.urls.map(({ part_number }) => part_number), few.parts.map(({ part_number }) => part_number)],
      [[1499], [1500]],
    )
    assert.deepEqual((await upload.status({ from: 1501 })).urls, [])
    assert.equal((await upload.status({ from: 3, limit: 1 })).urls[0]?.part_number, 3)
  })

  itOnce('refuses what cannot be begun', async () => {
    const name = await open()
    const init = (body: object) => server.admin.initUpload({ params: { name }, body: body as Init })
    await server.records([], async () => {
      for (const [body, fault] of [
        [{}, 'body.key'],
        [{ key: '' }, 'body.key'],
        [{ key: 'a\0' }, 'body.key'],
        [{ key: 'ä'.repeat(513) }, 'body.key'],
        [{ key: 'k', file_size: -1 }, 'body.file_size'],
        [{ key: 'k', file_size: 1.5 }, 'body.file_size'],
        [{ key: 'k', file_size: '5' }, 'body.file_size'],
        [{ key: 'k', file_size: 5 * TIB + 1 }, 'body.file_size'],
        [{ key: 'k', part_size: PART - 1 }, 'body.part_size'],
        [{ key: 'k', part_size: 5 * GIB + 1 }, 'body.part_size'],
        [{ key: 'k', file_size: 10_000 * PART + 1, part_size: PART }, 'body.part_size'],
        [{ key: 'k', content_type: 'x'.repeat(256) }, 'body.content_type'],
        [{ key: 'k', metadata: { a: 'x'.repeat(4000), b: 'x'.repeat(4000), c: 'x'.repeat(300) } }, 'body.metadata'],
        [{ key: 'k', metadata: { 'A b': 'x' } }, 'body.metadata.A b'],
        [{ key: 'k', filesize: 5 }, 'body.filesize'],
      ] as const)
        await rejectsWith(init(body), 'invalid_request', fault)
      await rejectsWith(server.admin.initUpload({ params: { name: 'no-bucket' }, body: { key: 'k' } }), 'not_found')
      await rejectsWith(server.as().initUpload({ params: { name }, body: { key: 'k' } }), 'unauthenticated')
    })
    assert.deepEqual((await server.admin.listUploads({ params: { name } })).items, [])
  })

  itOnce('stores an empty file as one empty part', async () => {
    const name = await open()
    const object = await store(name, 'empty', Buffer.alloc(0))
    assert.deepEqual([object.size, object.etag], [0, etagOfParts(Buffer.alloc(0))])
    assert.equal((await read(name, 'empty')).length, 0)
    const unknown = await begin(name, { key: 'empty too' })
    const part = await unknown.send(1, Buffer.alloc(0))
    assert.equal((await unknown.complete([part])).size, 0)
    assert.equal((await usage(name)).object_count, 2)
  })

  itOnce(
    'takes parts in any order, eight at a time, and reads back exact at every boundary',
    {
      skip: onS3 && 'about files of parts',
    },
    async () => {
      const name = await open()
      const body = bytes(6 * PART + 12_345)
      const upload = await begin(name, { key: 'large.bin', file_size: body.length, part_size: PART })
      assert.equal(upload.num_parts, 7)
      const parts = times(7, (i) => body.subarray(i * PART, (i + 1) * PART))
      const named = await Promise.all(
        shuffled([0, 1, 2, 3, 4, 5, 6, 2]).map((i) => upload.send(i + 1, parts[i] as Buffer)),
      )
      const inOrder = named.filter((one, i) => named.findIndex((o) => o.part_number === one.part_number) === i)
      inOrder.sort((a, b) => a.part_number - b.part_number)
      assert.deepEqual(
        inOrder.map(({ etag }) => etag),
        parts.map(md5),
      )
      await rejectsWith(server.admin.getObject({ params: { name, key: 'large.bin' } }), 'not_found')
      const object = await server.records([{ action: 'upload', bucket: name, key: 'large.bin' }], () =>
        upload.complete(inOrder),
      )
      const me = await server.admin.me()
      const now = server.clock.now().toISOString()
      assert.deepEqual(object, {
        bucket: name,
        key: 'large.bin',
        size: body.length,
        etag: etagOfParts(...parts),
        content_type: 'application/octet-stream',
        metadata: {},
        created_at: now,
        last_modified: now,
        created_by: me.id,
      })
      assert.ok((await read(name, 'large.bin')).equals(body))
      const [record] = (await server.admin.listAudit({ query: { action: ['upload'], bucket: name } })).items
      assert.deepEqual(record?.details, {
        size: body.length,
        content_type: 'application/octet-stream',
        etag: object.etag,
        replaced: false,
        parts: 7,
      })
      assert.equal(record?.route, '/api/v1/buckets/{name}/upload/complete')

      const ranges = times(1000, (i): [number, number] => {
        if (i % 2 === 0) {
          const from = randomInt(0, body.length)
          return [from, Math.min(body.length - 1, from + randomInt(0, 100_000))]
        }
        // Across the end of a part, or two.
        const end = randomInt(1, 7) * PART
        return [end - randomInt(0, 3), Math.min(body.length - 1, end + randomInt(0, i % 97 === 0 ? PART + 5 : 3))]
      })
      const left = [...ranges]
      const reader = async () => {
        for (let next = left.pop(); next; next = left.pop()) {
          const [from, to] = next
          const headers = { range: `bytes=${from}-${to}` }
          const response = await server.admin.getObject({ params: { name, key: 'large.bin' }, headers })
          assert.equal(response.status, 206)
          assert.ok(Buffer.from(await response.arrayBuffer()).equals(body.subarray(from, to + 1)), `${from}-${to}`)
        }
      }
      await Promise.all(times(16, reader))
      const suffix = await server.admin.getObject({
        params: { name, key: 'large.bin' },
        headers: { range: 'bytes=-9' },
      })
      assert.ok(Buffer.from(await suffix.arrayBuffer()).equals(body.subarray(-9)))
      const unchanged = { 'if-none-match': `"${object.etag}"` }
      assert.equal(
        (await server.admin.getObject({ params: { name, key: 'large.bin' }, headers: unchanged })).status,
        304,
      )
      // A copy shares the parts; they stay as long as either is there.
      await server.admin.copyObject({
        params: { name },
        body: { source_bucket: name, source_key: 'large.bin', dest_key: 'copy' },
      })
      await server.admin.deleteObject({ params: { name, key: 'large.bin' }, query: { permanent: true } })
      const files = server.files().length
      await pastGrace()
      assert.equal(server.files().length, files)
      assert.ok((await read(name, 'copy')).equals(body))
      await server.admin.deleteObject({ params: { name, key: 'copy' }, query: { permanent: true } })
      await pastGrace()
      assert.equal(server.files().length, files - 8, 'seven parts and what names them')
    },
  )

  itOnce('asks for a Content-Length that is right, and checks Content-MD5', async () => {
    const name = await open()
    const upload = await begin(name, { key: 'k', file_size: PART + 100, part_size: PART })
    const [first, second] = [bytes(PART), bytes(100)]
    const { status, headers, body } = await upload.try(2, second)
    assert.deepEqual(
      [status, headers.etag, JSON.parse(body.toString())],
      [200, `"${md5(second)}"`, { part_number: 2, etag: md5(second), size: 100 }],
    )
    assert.match(String(headers['content-type']), /^application\/json/)
    const base64 = (data: Uint8Array) => digest(data).digest('base64')
    assert.equal((await upload.try(1, first, { 'content-md5': base64(first) })).status, 200)

    const other = bytes(100)
    await server.records([], async () => {
      for (const [answer, status, code] of [
        [await upload.try(2, other, { 'transfer-encoding': 'chunked' }), 411, 'length_required'],
        [await upload.try(2, bytes(101)), 413, 'too_large'],
        [await upload.try(1, bytes(PART + 1)), 413, 'too_large'],
        [await upload.try(2, bytes(99)), 400, 'malformed'],
        [await upload.try(2, Buffer.alloc(0)), 400, 'malformed'],
        [await upload.try(1, bytes(PART - 1)), 400, 'malformed'],
        [await upload.try(2, other, { 'content-md5': base64(second) }), 400, 'malformed'],
        [await upload.try(2, other, { 'content-md5': md5(other) }), 400, 'malformed'],
      ] as const)
        assert.deepEqual(refusal(answer), [status, code])
    })
    const short = (await upload.try(2, bytes(99))).json<{ errors: object[] }>()
    assert.deepEqual(short.errors, [{ path: 'header.content-length', message: 'must be 100' }])
    // Without any length, which Node's client would not send.
    const socket = net.connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.write(`PUT ${new URL(upload.url(2)).pathname} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    let said = ''
    for await (const chunk of socket) said += chunk
    assert.match(said, /^HTTP\/1\.1 411 /)
    // A connection that ends in the middle of the body.
    await new Promise<void>((resolve) => {
      const { pathname } = new URL(upload.url(2))
      const sent = http.request(`${server.url}${pathname}`, { method: 'PUT', headers: { 'content-length': 100 } })
      sent.on('error', () => resolve())
      sent.on('close', () => resolve())
      sent.write(other.subarray(0, 50), () => setTimeout(() => sent.destroy(), 20))
    })
    const object = await upload.complete([
      { part_number: 1, etag: md5(first) },
      { part_number: 2, etag: md5(second) },
    ])
    assert.equal(object.etag, etagOfParts(first, second))
    assert.ok((await read(name, 'k')).equals(Buffer.concat([first, second])), 'the refused parts changed nothing')
    assert.equal(server.files().filter((file) => file.endsWith('.tmp')).length, 0)
  })

  itOnce('waits for the body of a part that may come, and only of that', async () => {
    const name = await open()
    const upload = await begin(name, { key: 'k', file_size: 50 })
    const data = bytes(50)
    const expecting = async (length: number) => {
      let continued = false
      const { pathname } = new URL(upload.url(1))
      const headers = { 'content-length': length, expect: '100-continue' }
      const sent = http.request(`${server.url}${pathname}`, { method: 'PUT', headers, agent: false })
      sent.on('continue', () => {
        continued = true
        sent.end(data)
      })
      sent.on('error', () => {})
      sent.flushHeaders()
      const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
      response.resume()
      await once(response, 'end')
      sent.destroy()
      return [response.statusCode, continued]
    }
    assert.deepEqual(await expecting(51), [413, false])
    assert.deepEqual(await expecting(49), [400, false])
    assert.deepEqual(await expecting(50), [200, true])
    assert.equal((await upload.complete([{ part_number: 1, etag: md5(data) }])).size, 50)
    assert.deepEqual(await expecting(50), [404, false])
  })

  itOnce('takes only URLs it made for this, until they expire', async () => {
    const name = await open()
    const upload = await begin(name, { key: 'k', file_size: 5 })
    const five = bytes(5)
    const token = new URL(upload.url(1)).pathname.split('/').at(-1) ?? ''
    const [kid = '', claims = '', mac = ''] = token.split('.')
    const flip = (text: string, at: number) =>
      `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`
    const other = JSON.stringify({ ...JSON.parse(Buffer.from(claims, 'base64url').toString()), part: 2 })
    const presigned = await server.admin.presignObject({ params: { name }, body: { key: 'k', method: 'PUT' } })
    const foreign = new URL(presigned.url).pathname.split('/').at(-1) ?? ''
    await server.records([], async () => {
      for (const bad of [
        `${flip(kid, 0)}.${claims}.${mac}`,
        `${kid}.${flip(claims, 20)}.${mac}`,
        `${kid}.${Buffer.from(other).toString('base64url')}.${mac}`,
        `${kid}.${claims}.${flip(mac, 5)}`,
        `${kid}.${claims}.${mac}A`,
        `${kid}.${claims}.${mac}.${mac}`,
        `${kid}.${claims}.`,
        `${kid}.${claims}`,
        'x',
        '...',
        foreign,
        server.adminToken.slice(-500),
      ]) {
        const answer = await putAt(`${server.url}/api/v1/parts/${encodeURIComponent(bad)}`, five)
        assert.deepEqual(refusal(answer), [403, 'forbidden'], bad)
      }
      // Nor is it good for anything else.
      const elsewhere = await putAt(`${server.url}/api/v1/signed/${token}`, five)
      assert.deepEqual(refusal(elsewhere), [403, 'forbidden'])
      const as = await request({ url: server.url, path: '/api/v1/auth/me', token })
      assert.equal(as.status, 401)
      const get = await request({ url: server.url, path: `/api/v1/parts/${token}` })
      assert.deepEqual([get.status, get.headers.allow], [405, 'PUT'])
    })
    assert.equal((await upload.status()).received_parts, 0)
    await server.admin.updateSettings({ body: { uploads: { expire_hours: 48 } } })
    const long = await begin(name, { key: 'long', file_size: 5 })
    await server.admin.updateSettings({ body: { uploads: { expire_hours: 24 } } })
    await server.later(24 * HOUR - 1)
    assert.equal((await upload.try(1, five)).status, 200)
    assert.equal((await long.try(1, five)).status, 200)
    await server.later(1)
    assert.deepEqual(refusal(await upload.try(1, five)), [403, 'forbidden'])
    assert.deepEqual(refusal(await long.try(1, five)), [403, 'forbidden'], 'no URL works for more than a day')
    await long.abort()
    const again = await begin(name, { key: 'again', file_size: 5 })
    assert.equal((await again.try(1, five)).status, 200)
  })

  it('replaces a part that is sent again, also at the same time', {
    skip: onS3 && 'there a 409 asks for the part again',
  }, async () => {
    const name = await open()
    const upload = await begin(name, { key: 'k', file_size: 1000 })
    const contents = times(8, (i) => bytes(1000, i * 1000))
    const old = await upload.send(1, contents[0] as Buffer)
    const latest = await upload.send(1, contents[1] as Buffer)
    const status = await upload.status()
    assert.deepEqual(status.parts, [{ part_number: 1, size: 1000, etag: latest.etag }])
    assert.deepEqual([status.received_parts, status.received_bytes, status.urls], [1, 1000, []])
    const { problem } = await rejectsWith(upload.complete([old]), 'conflict', 'body.parts.0')
    assert.ok(problem.errors?.[0]?.message.includes(latest.etag), 'it tells the one it has')
    for (let round = 0; round < 10; round++) {
      await Promise.all(shuffled(contents).map((data) => upload.send(1, data)))
      assert.equal((await upload.status()).received_parts, 1)
    }
    assert.equal(server.files().filter((file) => file.endsWith('.tmp')).length, 0)
    const [part] = (await upload.status()).parts
    const object = await upload.complete([{ part_number: 1, etag: part?.etag ?? '' }])
    const winner = contents.find((data) => md5(data) === part?.etag) ?? assert.fail()
    assert.equal(object.etag, etagOfParts(winner))
    assert.ok((await read(name, 'k')).equals(winner))
  })

  it('has the bytes that the row of a part tells of, whoever of twenty on two services came last', {
    skip: onS3 && 'there a 409 asks for the part again',
  }, async () => {
    const name = await open()
    const contents = times(20, (i) => bytes(1000, i * 1000))
    for (let round = 0; round < 10; round++) {
      const before = server.files()
      const upload = await begin(name, { key: `k${round}`, file_size: 1000 })
      const sent = await Promise.all(shuffled(contents).map((data, i) => sendTo(i, upload.url(1), data)))
      assert.deepEqual(
        sent.map(({ status }) => status),
        times(20, () => 200),
      )
      const { parts } = await upload.status()
      const kept = server.files().filter((file) => file.includes('.d/') && !before.includes(file))
      assert.equal(kept.length, 1, 'those that lost are gone')
      const object = await upload.complete(parts.map(({ part_number, etag }) => ({ part_number, etag })))
      const winner = contents.find((data) => md5(data) === parts[0]?.etag) ?? assert.fail()
      assert.equal(object.etag, etagOfParts(winner))
      assert.ok((await read(name, `k${round}`)).equals(winner))
    }
  })

  it('makes an object of the bytes that were named, or none, when its part is sent again meanwhile', async () => {
    const name = await open()
    const contents = times(6, (i) => bytes(1000, i * 1000))
    for (let round = 0; round < 10; round++) {
      const key = `k${round}`
      const upload = await begin(name, { key, file_size: 1000 })
      await upload.send(1, contents[0] as Buffer)
      const racing = contents.map(async (data, i) => {
        const { status } = await sendTo(i, upload.url(1), data)
        assert.ok([200, 404, 409].includes(status), `a part: ${status}`)
        const named = [{ part_number: 1, etag: md5(data) }]
        const object = await upload.complete(named, {}, client(i)).catch((error: unknown) => {
          assert.ok(error instanceof ProblemError && ['conflict', 'not_found'].includes(error.problem.code), `${error}`)
        })
        if (object) assert.equal(object.etag, etagOfParts(data))
      })
      await Promise.all(racing)
      const done = await server.admin.headObject({ params: { name, key } }).then(
        () => true,
        () => false,
      )
      // Where nobody was in time: as a client goes on that was told so.
      if (!done) {
        const again = await upload.send(1, contents[1] as Buffer)
        await upload.complete([again])
      }
      const stored = await read(name, key)
      const { items } = await server.admin.listObjects({ params: { name }, query: { prefix: key } })
      assert.equal(items[0]?.etag, etagOfParts(stored))
    }
    assert.equal(server.files().filter((file) => file.endsWith('.tmp')).length, 0)
  })

  it('lets a part be sent again whose bytes a crash took from under its row', async () => {
    const name = await open()
    const upload = await begin(name, { key: 'k', file_size: 100 })
    const data = bytes(100)
    const part = await upload.send(1, data)
    // As if the process had died between replacing the bytes and writing that down.
    await server.database.transaction((tx) =>
      tx.updateTable('upload_parts').set({ ref: '1-9-00000000' }).where('upload_id', '=', upload.upload_id).execute(),
    )
    const { problem } = await rejectsWith(upload.complete([part]), 'conflict')
    assert.match(JSON.stringify(problem.errors ?? []), /part 1 /)
    const { urls, parts } = await upload.status()
    assert.deepEqual([urls.map(({ part_number }) => part_number), parts], [[1], []])
    await putAt(urls[0]?.url ?? '', data)
    assert.equal((await upload.complete([part])).size, 100)
  })

  it('names every part that is missing or different, and changes nothing', async () => {
    const [name, other] = [await open(), await open()]
    const body = bytes(2 * PART + 77)
    const cut = times(3, (i) => body.subarray(i * PART, (i + 1) * PART))
    const upload = await begin(name, { key: 'k', file_size: body.length, part_size: PART })
    const one = await upload.send(1, cut[0] as Buffer)
    const three = await upload.send(3, cut[2] as Buffer)
    const two = { part_number: 2, etag: md5(cut[1] as Buffer) }
    const wrong = { part_number: 1, etag: md5(Buffer.from('other')) }
    const four = { part_number: 4, etag: one.etag }
    const faultsOf = async (parts: Named[]) => {
      const { problem } = await rejectsWith(upload.complete(parts), 'conflict')
      return (problem.errors ?? []).map(({ path, message }) => `${path} ${message}`)
    }
    const assertNames = async (parts: Named[], ...expected: RegExp[]) => {
      const faults = await faultsOf(parts)
      for (const one of expected)
        assert.ok(
          faults.some((fault) => one.test(fault)),
          `${one} in ${faults}`,
        )
      return faults
    }
    await server.records([], async () => {
      assert.equal((await assertNames([one, two, three], /^body\.parts\.1 part 2 /)).length, 1)
      await assertNames([one, three], /part 2 /)
      await assertNames([one], /part 2 /, /part 3 /)
      await assertNames([wrong, two, three, four], /parts\.0 part 1 /, /1 part 2 /, /3 part 4 /)
      await upload.send(2, cut[1] as Buffer)
      await assertNames([three, one, two], /part 1 /)
      await assertNames([one, one, two, three], /^body\.parts\.1 part 1 /)
      await assertNames([one, two, two, three], /^body\.parts\.2 part 2 /)
      await assertNames([two, three], /part 1 /)
      await rejectsWith(upload.complete([one, two, three], { key: 'other' }), 'conflict', 'body.key')
      const params = { name }
      const { upload_id } = upload
      const call = (change: object) =>
        server.admin.completeUpload({ params, body: { upload_id, parts: [one], ...change } as never })
      for (const [change, fault] of [
        [{ parts: [] }, 'body.parts'],
        [{ parts: undefined }, 'body.parts'],
        [{ parts: [{ part_number: 0, etag: 'x' }] }, 'body.parts.0.part_number'],
        [{ parts: [{ part_number: 10_001, etag: 'x' }] }, 'body.parts.0.part_number'],
        [{ parts: [{ part_number: 1 }] }, 'body.parts.0.etag'],
        [{ upload_id: 'x' }, 'body.upload_id'],
        [{ if_none_match: 'x' }, 'body.if_none_match'],
      ] as const)
        await rejectsWith(call(change), 'invalid_request', fault)
      await rejectsWith(call({ upload_id: ABSENT }), 'not_found')
      await rejectsWith(
        server.admin.completeUpload({ params: { name: other }, body: { upload_id, parts: [one] } }),
        'not_found',
      )
    })
    await rejectsWith(server.admin.getObject({ params: { name, key: 'k' } }), 'not_found')
    const quoted = [one, two, three].map(({ part_number, etag }) => ({ part_number, etag: `"${etag.toUpperCase()}"` }))
    const object = await upload.complete(quoted, { key: 'k' })
    assert.equal(object.etag, etagOfParts(...cut))
    assert.ok((await read(name, 'k')).equals(body))
  })

  itOnce('takes the size from the parts where none was given', async () => {
    const name = await open()
    const upload = await begin(name, { key: 'k', part_size: PART })
    assert.deepEqual([upload.file_size, upload.num_parts], [null, null])
    assert.deepEqual(refusal(await upload.try(1, bytes(PART + 1))), [413, 'too_large'])
    const [first, small, last] = [bytes(PART), bytes(1000), bytes(10)]
    const named = [await upload.send(1, first), await upload.send(2, small), await upload.send(4, last)]
    const { problem } = await rejectsWith(upload.complete(named), 'conflict', 'body.parts.1')
    assert.match(problem.errors?.[0]?.message ?? '', /part 2 .*1000/)
    assert.equal((await usage(name)).reserved_bytes, PART + 1010)
    const middle = bytes(PART)
    named[1] = await upload.send(2, middle)
    const status = await upload.status({ limit: 5 })
    assert.deepEqual(
      [status.received_bytes, status.urls.map(({ part_number }) => part_number)],
      [2 * PART + 10, [3, 5]],
    )
    // Numbers may be left out, parts that have arrived may not.
    const whole = [first, middle, last]
    const forgotten = await rejectsWith(upload.complete(named.slice(0, 2)), 'conflict')
    assert.match(JSON.stringify(forgotten.problem.errors), /part 4 /)
    const object = await upload.complete(named)
    assert.deepEqual([object.size, object.etag], [2 * PART + 10, etagOfParts(...whole)])
    assert.ok((await read(name, 'k')).equals(Buffer.concat(whole)))
    const some = await begin(name, { key: 'some' })
    assert.equal((await some.complete([await some.send(3, small)])).size, 1000)
    assert.deepEqual(await usage(name), {
      used_bytes: 2 * PART + 1010,
      reserved_bytes: 0,
      object_count: 2,
      trash_bytes: 0,
    })
  })

  it('answers the same when it is asked again, and does it once', async () => {
    const name = await open(3 * MIB)
    const upload = await begin(name, { key: 'k', file_size: MIB })
    const part = await upload.send(1, bytes(MIB))
    await server.records([{ action: 'upload', bucket: name, key: 'k' }], async () => {
      const answers = await Promise.all(times(8, () => upload.complete([part])))
      for (const answer of answers) assert.deepEqual(answer, answers[0])
      server.clock.advance(60_000)
      assert.deepEqual(await upload.complete([part]), answers[0])
      await rejectsWith(upload.complete([part], { key: 'other' }), 'conflict', 'body.key')
    })
    assert.deepEqual(await usage(name), { used_bytes: MIB, reserved_bytes: 0, object_count: 1, trash_bytes: 0 })
    await rejectsWith(upload.status(), 'not_found')
    await rejectsWith(upload.abort(), 'not_found')
    assert.deepEqual(refusal(await upload.try(1, bytes(MIB))), [404, 'not_found'])
    const first = await upload.complete([part])
    await server.admin.deleteObject({ params: { name, key: 'k' } })
    assert.deepEqual(await upload.complete([part]), first, 'also when the object is gone since')
    await rejectsWith(server.admin.getObject({ params: { name, key: 'k' } }), 'not_found')
    await server.later(24 * HOUR)
    await tick()
    await rejectsWith(upload.complete([part]), 'not_found')
    const { db } = server.database
    assert.deepEqual(
      await db.selectFrom('upload_parts').selectAll().where('upload_id', '=', upload.upload_id).execute(),
      [],
    )
  })

  if (engine === 'postgres')
    it('completes once when two services are asked at the same time', async () => {
      const name = await open()
      for (let round = 0; round < 15; round++) {
        const key = `k${round}`
        const upload = await begin(name, { key, file_size: 1000 })
        const data = bytes(1000)
        const part = await upload.send(1, data)
        await server.records([{ action: 'upload', bucket: name, key }], async () => {
          const results = await outcomes(times(8, (i) => upload.complete([part], {}, client(i))))
          assert.equal(count(results, 'ok'), 8, results.join())
        })
        for (const i of [0, 1]) {
          const response = await client(i).getObject({ params: { name, key } })
          assert.ok(Buffer.from(await response.arrayBuffer()).equals(data))
        }
      }
    })

  it('keeps what has the key, if asked to, and tells so', async () => {
    const name = await open()
    const params = { name, key: 'k' }
    const upload = await begin(name, { key: 'k', part_size: PART })
    const [first, second] = [bytes(PART), bytes(20)]
    const named = [await upload.send(1, first), await upload.send(2, second)]
    await server.admin.putObject({ params, body: 'was here' })
    await server.records([], () => rejectsWith(upload.complete(named, { if_none_match: '*' }), 'precondition_failed'))
    assert.equal((await read(name, 'k')).toString(), 'was here')
    // It is still open in every way.
    assert.equal((await upload.status()).received_parts, 2)
    const third = await upload.send(2, bytes(30))
    await server.admin.deleteObject({ params })
    const object = await upload.complete([named[0] as Named, third], { if_none_match: '*' })
    assert.equal(object.size, PART + 30)
    for (let round = 0; round < 5; round++) {
      const key = `race ${round}`
      const uploads = await Promise.all(
        times(8, async (i) => {
          const one = await begin(name, { key, file_size: 10 }, client(i))
          return { one, part: await one.send(1, bytes(10)) }
        }),
      )
      const results = await outcomes(uploads.map(({ one, part }) => one.complete([part], { if_none_match: '*' })))
      assert.deepEqual([count(results, 'ok'), count(results, 'precondition_failed')], [1, 7], results.join())
      for (const { one } of uploads) await one.abort().catch(() => undefined)
    }
    assert.deepEqual([(await usage(name)).reserved_bytes, (await usage(name)).object_count], [0, 6])
  })

  it('puts what it replaces into the trash, whenever that came', async () => {
    const name = await open()
    const params = { name, key: 'k' }
    const original = await server.admin.putObject({ params, body: 'original' })
    server.clock.advance(1000)
    const upload = await begin(name, { key: 'k', file_size: 500 })
    const part = await upload.send(1, bytes(500))
    // Somebody writes the key while it is open.
    await server.admin.putObject({ params, body: 'meanwhile' })
    server.clock.advance(1000)
    const object = await server.records([{ action: 'upload', bucket: name, key: 'k' }], () => upload.complete([part]))
    assert.deepEqual([object.created_at, object.last_modified], [original.created_at, server.clock.now().toISOString()])
    const trash = (await server.admin.listTrash({ params: { name } })).items
    assert.deepEqual(
      trash.map(({ size, reason }) => [size, reason]),
      [
        [9, 'overwritten'],
        [8, 'overwritten'],
      ],
    )
    assert.deepEqual(await usage(name), { used_bytes: 500, reserved_bytes: 0, object_count: 1, trash_bytes: 17 })
    const [record] = (await server.admin.listAudit({ query: { action: ['upload'], bucket: name } })).items
    assert.deepEqual(record?.details, {
      size: 500,
      content_type: 'application/octet-stream',
      etag: object.etag,
      replaced: true,
      trash_id: trash[0]?.id,
      parts: 1,
    })
    // And is itself kept when it is replaced.
    await server.admin.putObject({ params, body: 'after' })
    await server.admin.deleteObject({ params })
    const [, mine] = (await server.admin.listTrash({ params: { name } })).items
    const restored = await server.admin.restoreTrash({ params: { name }, body: { ids: [mine?.id ?? ''] } })
    assert.equal(restored.items[0]?.etag, object.etag)
    assert.equal((await read(name, 'k')).length, 500)
  })

  itOnce('keeps content type and metadata', async () => {
    const name = await open()
    const metadata = { colour: 'bläu 漢', 'a.b_c-1': 'x', __proto__x: 'y' }
    await store(name, 'a.html', Buffer.from('<p>'), { content_type: 'text/x-own; charset=utf-8', metadata })
    const response = await server.admin.getObject({ params: { name, key: 'a.html' } })
    assert.equal(response.headers.get('content-type'), 'text/x-own; charset=utf-8')
    const utf8 = (header: string | null) => Buffer.from(header ?? '', 'latin1').toString()
    assert.equal(utf8(response.headers.get('x-meta-colour')), 'bläu 漢')
    const { items } = await server.admin.listObjects({ params: { name } })
    assert.deepEqual(items[0]?.metadata, metadata)
    assert.equal((await store(name, 'b.png', Buffer.from('x'))).content_type, 'image/png')
    assert.equal((await store(name, 'c.png', Buffer.from('x'), { content_type: 'nonsense' })).content_type, 'image/png')
    // Whatever it takes, a download can give back.
    for (const value of ['two\nlines', 'a\r\nset-cookie: x=y', 'nul\0', '\u007f', '']) {
      const begun = await begin(name, { key: 'odd', file_size: 1, metadata: { odd: value } }).catch((error) => error)
      if (begun instanceof ProblemError) {
        assert.equal(begun.problem.code, 'invalid_request')
        continue
      }
      await begun.complete([await begun.send(1, Buffer.from('x'))])
      const got = await server.admin.getObject({ params: { name, key: 'odd' } })
      assert.deepEqual([await got.text(), got.headers.get('set-cookie')], ['x', null])
    }
  })

  itOnce('tells what has arrived, and gives fresh URLs for the rest', async () => {
    const name = await open()
    const upload = await begin(name, { key: 'k', file_size: 3 * PART, part_size: PART })
    const data = bytes(PART)
    await upload.send(2, data)
    server.clock.advance(1000)
    const status = await upload.status()
    const { urls, parts, ...rest } = status
    const me = await server.admin.me()
    assert.deepEqual(rest, {
      upload_id: upload.upload_id,
      bucket: name,
      key: 'k',
      file_size: 3 * PART,
      part_size: PART,
      num_parts: 3,
      expires_at: upload.expires_at,
      created_at: new Date(Date.parse(upload.expires_at) - 24 * HOUR).toISOString(),
      created_by: me.id,
      received_parts: 1,
      received_bytes: PART,
    })
    assert.deepEqual(parts, [{ part_number: 2, size: PART, etag: md5(data) }])
    assert.deepEqual(
      urls.map(({ part_number }) => part_number),
      [1, 3],
    )
    assert.deepEqual(
      (await upload.status({ from: 2 })).urls.map(({ part_number }) => part_number),
      [3],
    )
    assert.deepEqual(
      (await upload.status({ limit: 2 })).urls.map(({ part_number }) => part_number),
      [1],
    )
    const params = { name, upload_id: upload.upload_id }
    for (const [query, fault] of [
      [{ from: 0 }, 'query.from'],
      [{ from: 10_001 }, 'query.from'],
      [{ limit: 0 }, 'query.limit'],
      [{ limit: 1001 }, 'query.limit'],
      [{ part: 1 }, 'query.part'],
    ] as const)
      await rejectsWith(server.admin.getUpload({ params, query: query as never }), 'invalid_request', fault)
    await rejectsWith(server.admin.getUpload({ params: { name, upload_id: 'x' } }), 'invalid_request')
    await rejectsWith(server.admin.getUpload({ params: { name, upload_id: ABSENT } }), 'not_found')
    await rejectsWith(server.admin.getUpload({ params: { ...params, name: await open() } }), 'not_found')
    await rejectsWith(server.admin.getUpload({ params: { ...params, name: 'no-bucket' } }), 'not_found')
    await upload.abort()
  })

  itOnce('goes on with another token, from another service, and by another person', async () => {
    const name = await open()
    const body = bytes(2 * PART + 9)
    const cut = times(3, (i) => body.subarray(i * PART, (i + 1) * PART))
    const alice = await person({ bucket_pattern: name, actions: ['write'] })
    const bob = await person({ bucket_pattern: name, prefix: 'in/', actions: ['list', 'write'] })
    const upload = await begin(name, { key: 'in/k', file_size: body.length, part_size: PART }, alice.client)
    const named = [await upload.send(1, cut[0] as Buffer)]
    const made = await alice.client.createToken({ body: { name: 'other machine' } })
    server.secrets.add(made.token)
    const machine = createClient({ baseUrl: twin?.url ?? server.url, token: made.token })
    const second = (await upload.status({}, machine)).urls.find(({ part_number }) => part_number === 2)
    const path = new URL(second?.url ?? '').pathname
    const sent = await request({ url: twin?.url ?? server.url, path, method: 'PUT', body: cut[1] as Buffer })
    assert.equal(sent.status, 200)
    const forBob = await upload.status({}, bob.client)
    assert.deepEqual(
      [forBob.parts.map(({ part_number }) => part_number), forBob.urls.length, forBob.created_by],
      [[1, 2], 1, alice.id],
    )
    assert.equal((await putAt(forBob.urls[0]?.url ?? '', cut[2] as Buffer)).status, 200)
    named.push(...[2, 3].map((n) => ({ part_number: n, etag: md5(cut[n - 1] as Buffer) })))
    const object = await server.records([{ action: 'upload', bucket: name, key: 'in/k' }], () =>
      upload.complete(named, {}, bob.client),
    )
    assert.deepEqual([object.created_by, object.etag], [bob.id, etagOfParts(...cut)])
    assert.ok((await read(name, 'in/k')).equals(body))
  })

  itOnce('shows nothing to those who may not write the key', async () => {
    const name = await open()
    const upload = await begin(name, { key: 'out/secret-name', file_size: 10 })
    const part = await upload.send(1, bytes(10))
    const denied = { action: 'access_denied', result: 'denied' } as const
    const reader = await person({ bucket_pattern: name, actions: ['list', 'read', 'delete', 'manage'] })
    const elsewhere = await person({ bucket_pattern: name, prefix: 'in/', actions: ['write'] })
    const nobody = await person()
    const calls = (who: Client) => [
      () => upload.status({}, who),
      () => upload.complete([part], {}, who),
      () => upload.abort(who),
    ]
    for (const who of [reader, nobody]) {
      const all = [
        ...calls(who.client),
        () => who.client.listUploads({ params: { name } }),
        () => who.client.initUpload({ params: { name }, body: { key: 'k' } }),
      ]
      await server.records(
        all.map(() => denied),
        async () => {
          for (const call of all) {
            const { problem } = await rejectsWith(call(), 'forbidden')
            assert.doesNotMatch(JSON.stringify(problem), /secret-name/)
          }
        },
      )
    }
    const message = async (name: string) =>
      (await rejectsWith(nobody.client.listUploads({ params: { name } }), 'forbidden')).problem.detail
    assert.equal((await message(name)).replace(name, ''), (await message('no-bucket')).replace('no-bucket', ''))
    for (const call of calls(elsewhere.client)) {
      const error = await call().then(
        () => assert.fail(),
        (reason: ProblemError) => reason,
      )
      assert.doesNotMatch(JSON.stringify(error.problem), /secret-name/)
      assert.equal(error.problem.code, 'not_found', 'the same as of an upload that is not')
    }
    await rejectsWith(elsewhere.client.getUpload({ params: { name, upload_id: ABSENT } }), 'not_found')
    await rejectsWith(elsewhere.client.initUpload({ params: { name }, body: { key: 'out/x' } }), 'forbidden')
    const own = await begin(name, { key: 'in/mine' }, elsewhere.client)
    const listed = await elsewhere.client.listUploads({ params: { name } })
    assert.deepEqual(
      listed.items.map(({ key }) => key),
      ['in/mine'],
    )
    for (const call of calls(server.as())) await rejectsWith(call(), 'unauthenticated')
    await own.abort()
    assert.equal((await upload.complete([part])).size, 10)
  })

  it('lists what is open, latest first, page by page', async () => {
    const name = await open()
    const list = (query = {}) => server.admin.listUploads({ params: { name }, query })
    assert.deepEqual(await list(), { items: [], next_cursor: null })
    const begun = []
    for (let i = 0; i < 5; i++) {
      begun.push(await begin(name, { key: `k${i}`, file_size: 10 }))
      server.clock.advance(1000)
    }
    await begun[3]?.send(1, bytes(10))
    await begun[1]?.abort()
    await begun[2]?.complete([await (begun[2]?.send(1, bytes(10)) as Promise<Named>)])
    const all = (await list()).items
    assert.deepEqual(
      all.map(({ key, received_parts, received_bytes, num_parts }) => [key, received_parts, received_bytes, num_parts]),
      [
        ['k4', 0, 0, 1],
        ['k3', 1, 10, 1],
        ['k0', 0, 0, 1],
      ],
    )
    const first = await list({ limit: 2 })
    const second = await list({ limit: 2, cursor: first.next_cursor })
    assert.deepEqual([...first.items, ...second.items, second.next_cursor], [...all, null])
    await rejectsWith(list({ cursor: 'x' }), 'invalid_request', 'query.cursor')
    await rejectsWith(list({ limit: 0 }), 'invalid_request', 'query.limit')
    await rejectsWith(server.admin.listUploads({ params: { name: 'no-bucket' } }), 'not_found')
  })

  it('gives up on request: parts, reservation and URLs are gone', {
    skip: onS3 && 'about files of parts',
  }, async () => {
    const name = await open(10 * PART)
    await pastGrace()
    const files = server.files()
    await server.records([], async () => {
      const upload = await begin(name, { key: 'k', file_size: 2 * PART, part_size: PART })
      const part = await upload.send(1, bytes(PART))
      assert.deepEqual([server.files().length, (await usage(name)).reserved_bytes], [files.length + 1, 2 * PART])
      assert.equal(await upload.abort(), undefined)
      assert.deepEqual([server.files(), (await usage(name)).reserved_bytes], [files, 0])
      assert.deepEqual(refusal(await upload.try(2, bytes(PART))), [404, 'not_found'])
      await rejectsWith(upload.abort(), 'not_found')
      await rejectsWith(upload.status(), 'not_found')
      await rejectsWith(upload.complete([part]), 'not_found')
      const both = await begin(name, { key: 'k', file_size: PART, part_size: PART })
      await both.send(1, bytes(PART))
      const results = await outcomes(times(6, (i) => both.abort(client(i))))
      assert.ok(results.every((code) => ['ok', 'not_found'].includes(code)) && count(results, 'ok') > 0, results.join())
      assert.equal((await usage(name)).reserved_bytes, 0, 'given back once')
    })
    await rejectsWith(
      server.admin.abortUpload({ params: { name }, body: { upload_id: 'x' } }),
      'invalid_request',
      'body.upload_id',
    )
    await pastGrace()
    assert.deepEqual(server.files(), files)
  })

  itOnce(
    'tells a client whose part is on its way that the upload is over',
    {
      skip: onS3 && 'about files of parts',
    },
    async () => {
      const name = await open()
      const logged = server.logged().length
      const files = server.files()
      const slowly = async (url: string, size: number, meanwhile: () => Promise<unknown>) => {
        const { pathname } = new URL(url)
        const headers = { 'content-length': size }
        const sent = http.request(`${server.url}${pathname}`, { method: 'PUT', headers, agent: false })
        const body = bytes(size)
        const before = server.files().length
        sent.write(body.subarray(0, size - 10))
        await until(() => server.files().length > before)
        await meanwhile()
        sent.end(body.subarray(size - 10))
        const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
        response.resume()
        return response.statusCode
      }
      const given = await begin(name, { key: 'a', file_size: MIB })
      assert.equal(await slowly(given.url(1), MIB, () => given.abort()), 404)
      assert.deepEqual(server.files(), files, 'nothing of it stays')
      const done = await begin(name, { key: 'b', file_size: MIB })
      const part = await done.send(1, bytes(MIB))
      assert.equal(await slowly(done.url(1), MIB, () => done.complete([part])), 404)
      assert.equal(md5(await read(name, 'b')), part.etag)
      assert.doesNotMatch(server.logged().slice(logged), /unexpected error/)
    },
  )

  it('gives up by itself when the time is over', async () => {
    const name = await open(10 * PART)
    await server.admin.updateSettings({ body: { uploads: { expire_hours: 2 } } })
    await pastGrace()
    const files = server.files()
    const upload = await begin(name, { key: 'k', file_size: PART + 5, part_size: PART })
    await server.admin.updateSettings({ body: { uploads: { expire_hours: 24 } } })
    const later = await begin(name, { key: 'k', file_size: 7 })
    assert.equal(upload.expires_at, new Date(server.clock.now().getTime() + 2 * HOUR).toISOString())
    const part = await upload.send(1, bytes(PART))
    const { blob_id } = await server.database.db
      .selectFrom('uploads')
      .select('blob_id')
      .where('id', '=', upload.upload_id)
      .executeTakeFirstOrThrow()
    await server.later(2 * HOUR - 1000)
    await server.records([], tick)
    assert.equal((await upload.status()).received_parts, 1)
    await server.later(1000)
    assert.deepEqual(refusal(await upload.try(2, bytes(5))), [403, 'forbidden'])
    await server.records([], tick)
    // What the other one has announced is not reserved any more: nothing of it came.
    assert.deepEqual([server.files(), (await usage(name)).reserved_bytes], [files, 0])
    await rejectsWith(upload.status(), 'not_found')
    await rejectsWith(upload.complete([part]), 'not_found')
    await rejectsWith(upload.abort(), 'not_found')
    const blobs = () =>
      server.database.db
        .selectFrom('blobs')
        .select('id')
        .where('id', '=', blob_id ?? '')
        .execute()
    await pastGrace()
    assert.deepEqual(await blobs(), [], 'after the grace period no row is left')
    await later.abort()
  })

  it('gives up however many are over in one go', async () => {
    const upload = await begin(await open(10 * PART), { key: 'k', file_size: 5 })
    await server.database.transaction(async (tx) => {
      const row = await tx
        .selectFrom('uploads')
        .selectAll()
        .where('id', '=', upload.upload_id)
        .executeTakeFirstOrThrow()
      const copies = Array.from({ length: 600 }, () => ({ ...row, id: newId(), blob_id: null, reserved: 0 }))
      for (let i = 0; i < 600; i += 100)
        await tx
          .insertInto('uploads')
          .values(copies.slice(i, i + 100))
          .execute()
    })
    await server.later(24 * HOUR)
    await server.records([], tick)
    const left = server.database.db.selectFrom('uploads').select('id').where('expires_at', '<=', upload.expires_at)
    assert.deepEqual(await left.execute(), [])
  })

  it('reserves under the quota to the byte, against every way to grow', async () => {
    const name = await open(1000)
    await server.admin.putObject({ params: { name, key: 'old' }, body: bytes(100) })
    await server.admin.putObject({ params: { name, key: 'gone' }, body: bytes(50) })
    await server.admin.deleteObject({ params: { name, key: 'gone' } })
    await server.records([], () => rejectsWith(begin(name, { key: 'k', file_size: 901 }), 'quota_exceeded'))
    const files = server.files().length
    const upload = await begin(name, { key: 'k', file_size: 860 })
    const expected = { used_bytes: 100, reserved_bytes: 860, object_count: 1, trash_bytes: 50 }
    assert.deepEqual(await usage(name), expected)
    const [item] = (await server.admin.listTrash({ params: { name } })).items
    const unknown = await begin(name, { key: 'u' })
    await server.records([], async () => {
      await rejectsWith(begin(name, { key: 'l', file_size: 41 }), 'quota_exceeded')
      await rejectsWith(server.admin.putObject({ params: { name, key: 'new' }, body: bytes(41) }), 'quota_exceeded')
      const form = new FormData()
      form.append('file', new Blob([bytes(41)]), 'f')
      await rejectsWith(server.admin.uploadForm({ params: { name }, body: form }), 'quota_exceeded')
      await rejectsWith(
        server.admin.copyObject({ params: { name }, body: { source_bucket: name, source_key: 'old', dest_key: 'x' } }),
        'quota_exceeded',
      )
      await rejectsWith(
        server.admin.restoreTrash({ params: { name }, body: { ids: [item?.id ?? ''] } }),
        'quota_exceeded',
      )
      assert.deepEqual(refusal(await unknown.try(1, bytes(41))), [413, 'quota_exceeded'])
    })
    assert.deepEqual([await usage(name), server.files().length], [expected, files])
    const exact = await begin(name, { key: 'l', file_size: 40 })
    assert.equal((await usage(name)).reserved_bytes, 900)
    await exact.abort()
    const part = await upload.send(1, bytes(860))
    assert.equal((await usage(name)).reserved_bytes, 860)
    // What is reserved can be completed, also when the quota is made smaller meanwhile.
    await server.admin.updateBucket({ params: { name }, body: { quota_gb: 500 / GIB } })
    await upload.complete([part])
    assert.deepEqual(await usage(name), { used_bytes: 960, reserved_bytes: 0, object_count: 2, trash_bytes: 50 })
    await rejectsWith(begin(name, { key: 'l', file_size: 1 }), 'quota_exceeded')
    const empty = await begin(name, { key: 'l', file_size: 0 })
    await empty.complete([await empty.send(1, Buffer.alloc(0))])
    await unknown.abort()
  })

  it('reserves what was only announced for an hour, and then what has come', async () => {
    const name = await open(1000)
    const nothing = await begin(name, { key: 'nothing', file_size: 500 })
    await rejectsWith(server.admin.putObject({ params: { name, key: 'new' }, body: bytes(501) }), 'quota_exceeded')
    await server.later(3599_000)
    await server.running.tick()
    assert.equal((await usage(name)).reserved_bytes, 500)
    const moving = await begin(name, { key: 'moving', file_size: 300 })
    await server.later(2_000)
    await server.running.tick()
    assert.deepEqual(
      [(await usage(name)).reserved_bytes, (await server.admin.listUploads({ params: { name } })).items.length],
      [300, 2],
    )
    await server.admin.putObject({ params: { name, key: 'new' }, body: bytes(600) })
    assert.deepEqual(refusal(await nothing.try(1, bytes(500))), [413, 'quota_exceeded'])
    await server.admin.deleteObject({ params: { name, key: 'new' } })
    const part = await nothing.send(1, bytes(500))
    assert.equal((await usage(name)).reserved_bytes, 800)
    assert.equal((await nothing.complete([part])).size, 500)
    assert.equal((await usage(name)).reserved_bytes, 300)
    await server.later(3600_000)
    await server.running.tick()
    assert.equal((await usage(name)).reserved_bytes, 0)
    const sent = await moving.send(1, bytes(300))
    await server.later(7200_000)
    await server.running.tick()
    assert.equal((await usage(name)).reserved_bytes, 300, 'what has come stays reserved')
    await moving.complete([sent])
    assert.deepEqual(await usage(name), { used_bytes: 800, reserved_bytes: 0, object_count: 2, trash_bytes: 600 })
  })

  it('lets one person have so many open uploads, also when twenty are begun at once', async () => {
    const few = await startServer(engine, { OPEN_UPLOADS_PER_PERSON: '3' })
    try {
      await few.admin.createBucket({ body: { name: 'few' } })
      const start = (client: Client) =>
        client.initUpload({ params: { name: 'few' }, body: { key: 'k', file_size: 1 } }).then(
          ({ upload_id }) => upload_id,
          ({ code }: ProblemError) => code,
        )
      const all = await Promise.all(Array.from({ length: 20 }, () => start(few.admin)))
      assert.equal(all.filter((one) => one === 'limit_reached').length, 17)
      const other = few.as(await few.userWith({ bucket_pattern: '*', actions: ['write'] }))
      assert.notEqual(await start(other), 'limit_reached', 'of each person')
      const [upload_id = ''] = all.filter((one) => one !== 'limit_reached')
      await few.admin.abortUpload({ params: { name: 'few' }, body: { upload_id } })
      assert.notEqual(await start(few.admin), 'limit_reached')
    } finally {
      await few.stop()
    }
  })

  it('turns a reservation into usage exactly where it replaces something', async () => {
    const name = await open(1000)
    await server.admin.putObject({ params: { name, key: 'k' }, body: bytes(300) })
    const upload = await begin(name, { key: 'k', file_size: 700 })
    assert.deepEqual(await usage(name), { used_bytes: 300, reserved_bytes: 700, object_count: 1, trash_bytes: 0 })
    await upload.complete([await upload.send(1, bytes(700))])
    assert.deepEqual(await usage(name), { used_bytes: 700, reserved_bytes: 0, object_count: 1, trash_bytes: 300 })
  })

  it('reserves part by part where the size is not known', async () => {
    const name = await open(1000)
    const upload = await begin(name, { key: 'k' })
    assert.equal((await usage(name)).reserved_bytes, 0)
    await upload.send(1, bytes(600))
    assert.equal((await usage(name)).reserved_bytes, 600)
    assert.deepEqual(refusal(await upload.try(2, bytes(401))), [413, 'quota_exceeded'])
    assert.deepEqual(refusal(await upload.try(1, bytes(1001))), [413, 'quota_exceeded'])
    const whole = await upload.send(1, bytes(1000))
    assert.equal((await usage(name)).reserved_bytes, 1000)
    assert.deepEqual(await upload.send(1, noise.subarray(0, 1000)), { ...whole, etag: md5(noise.subarray(0, 1000)) })
    const part = await upload.send(1, bytes(10))
    assert.equal((await usage(name)).reserved_bytes, 10)
    // Sent side by side, they never take more together than there is.
    const answers = await Promise.all(times(8, (i) => upload.try(i + 2, bytes(300))))
    const statuses = answers.map(({ status }) => status)
    assert.deepEqual(statuses.filter((status) => status === 200).length, 3, statuses.join())
    assert.equal((await usage(name)).reserved_bytes, 910)
    const { parts, received_bytes } = await upload.status()
    assert.deepEqual([parts.length, received_bytes], [4, 910])
    await rejectsWith(upload.complete([part]), 'conflict')
    await upload.abort()
    assert.equal((await usage(name)).reserved_bytes, 0)
    const exact = await begin(name, { key: 'k' })
    await exact.complete([await exact.send(1, bytes(1000))])
    assert.deepEqual(await usage(name), { used_bytes: 1000, reserved_bytes: 0, object_count: 1, trash_bytes: 0 })
  })

  itOnce('keeps a part whose larger successor was refused', async () => {
    const name = await open(1000)
    const upload = await begin(name, { key: 'k' })
    const kept = await upload.send(1, bytes(500))
    // Eight at once of which each would fit alone: most find the room taken only when their bytes are there.
    const other = await begin(name, { key: 'other' })
    await Promise.all(times(8, (i) => (i % 2 ? upload.try(1, bytes(800)) : other.try(i + 1, bytes(280)))))
    const [now] = (await upload.status()).parts
    const object = await upload.complete([{ part_number: 1, etag: now?.etag ?? '' }])
    assert.equal(object.size, now?.size)
    if (now?.size === 500) assert.equal(now.etag, kept.etag)
    const { reserved_bytes, used_bytes } = await usage(name)
    assert.ok(reserved_bytes + used_bytes <= 1000)
    assert.equal(reserved_bytes, (await other.status()).received_bytes)
    await other.abort()
  })

  it('counts under the quota over all buckets too', async () => {
    const before = await server.database.db.selectFrom('bucket_usage').select(['bytes', 'reserved']).execute()
    const used = before.reduce((sum, row) => sum + row.bytes + row.reserved, 0)
    const [name, other] = [await open(), await open()]
    const early = await begin(name, { key: 'early', file_size: 100 })
    await server.admin.updateSettings({ body: { quotas: { total_quota_gb: (used + 1000) / GIB } } })
    const total = async () =>
      (await server.database.db.selectFrom('quotas').select('used_bytes').where('scope', 'like', '0000%').execute())[0]
        ?.used_bytes
    assert.equal(await total(), used + 100)
    const upload = await begin(name, { key: 'k', file_size: 600 })
    await server.records([], async () => {
      await rejectsWith(begin(other, { key: 'k', file_size: 301 }), 'quota_exceeded')
      await rejectsWith(
        server.admin.putObject({ params: { name: other, key: 'x' }, body: bytes(301) }),
        'quota_exceeded',
      )
    })
    const second = await begin(other, { key: 'k', file_size: 300 })
    assert.equal(await total(), used + 1000)
    await second.abort()
    assert.equal(await total(), used + 700)
    await upload.complete([await upload.send(1, bytes(600))])
    assert.equal(await total(), used + 700)
    const unknown = await begin(other, { key: 'u' })
    await unknown.send(1, bytes(300))
    assert.deepEqual(refusal(await unknown.try(2, bytes(1))), [413, 'quota_exceeded'])
    assert.equal(await total(), used + 1000)
    // A deleted bucket gives back what its open uploads had reserved.
    await server.admin.deleteBucket({ params: { name: other } })
    await tick()
    assert.equal(await total(), used + 700)
    await early.abort()
    assert.equal(await total(), used + 600)
    await server.admin.updateSettings({ body: { quotas: { total_quota_gb: null } } })
  })

  it('lets exactly 10 of 50 parallel uploads begin where there is room for 10', async () => {
    for (const services of twin ? [1, 2] : [1]) {
      const name = await open(10 * MIB)
      const body = (i: number) => ({ key: `k${i}`, file_size: MIB })
      const results = await outcomes(
        times(50, (i) => client(i % services).initUpload({ params: { name }, body: body(i) })),
      )
      assert.deepEqual([count(results, 'ok'), count(results, 'quota_exceeded')], [10, 40], results.join())
      assert.equal((await usage(name)).reserved_bytes, 10 * MIB)
      const { items } = await server.admin.listUploads({ params: { name } })
      assert.equal(items.length, 10)
      await Promise.all(
        items.map(({ upload_id }, i) => client(i).abortUpload({ params: { name }, body: { upload_id } })),
      )
      assert.equal((await usage(name)).reserved_bytes, 0)
    }
  })

  itOnce('ends URLs with the account, the right or the token they were begun with', async () => {
    const name = await open()
    const five = bytes(5)
    const alice = await person({ bucket_pattern: name, actions: ['write'] })
    const made = await alice.client.createToken({ body: { name: 'ci' } })
    const kept = await alice.client.createToken({ body: { name: 'kept' } })
    for (const { token } of [made, kept]) server.secrets.add(token)
    const byHand = await begin(name, { key: 'hand', file_size: 5 }, alice.client)
    const byToken = await begin(name, { key: 'token', file_size: 5 }, server.as(made.token))
    const byOther = await begin(name, { key: 'other', file_size: 5 }, server.as(kept.token))
    const all = [byHand, byToken, byOther]
    const statuses = () => Promise.all(all.map(async (one) => (await one.try(1, five)).status))
    assert.deepEqual(await statuses(), [200, 200, 200])
    await alice.client.revokeToken({ params: { id: made.id } })
    assert.deepEqual(await statuses(), [200, 403, 200])
    const grants = [{ bucket_pattern: name, actions: ['write' as const] }]
    const params = { id: alice.groupId }
    await server.admin.updateGroup({ params, body: { grants: [{ bucket_pattern: name, actions: ['read'] }] } })
    assert.deepEqual(await statuses(), [403, 403, 403])
    await server.admin.updateGroup({ params, body: { grants } })
    assert.deepEqual(await statuses(), [200, 403, 200])
    await server.admin.updateUser({ params: { id: alice.id }, body: { is_active: false } })
    assert.deepEqual(await statuses(), [403, 403, 403])
    await server.admin.updateUser({ params: { id: alice.id }, body: { is_active: true } })
    assert.deepEqual(await statuses(), [200, 403, 200])
    await server.admin.deleteUser({ params: { id: alice.id } })
    assert.deepEqual(await statuses(), [403, 403, 403])
    // What they sent is still there for others.
    await byToken.complete([{ part_number: 1, etag: md5(five) }], {}, server.admin)
    assert.ok((await read(name, 'token')).equals(five))
  })

  itOnce('ends URLs with those who fetched them, and lets others go on after the beginner is gone', async () => {
    const name = await open()
    const five = bytes(5)
    const grant = { bucket_pattern: name, actions: ['write' as const] }
    const [alice, bob] = [await person(grant), await person(grant)]
    const upload = await begin(name, { key: 'k', file_size: 5 }, alice.client)
    const fetched = (await upload.status({}, bob.client)).urls[0]?.url ?? ''
    await server.admin.updateUser({ params: { id: bob.id }, body: { is_active: false } })
    assert.deepEqual(refusal(await putAt(fetched, five)), [403, 'forbidden'], "bob's, though alice may")
    await server.admin.updateUser({ params: { id: alice.id }, body: { is_active: false } })
    assert.deepEqual(refusal(await upload.try(1, five)), [403, 'forbidden'])
    const fresh = (await upload.status({}, server.admin)).urls[0]?.url ?? ''
    assert.equal((await putAt(fresh, five)).status, 200)
    assert.equal((await upload.complete([{ part_number: 1, etag: md5(five) }], {}, server.admin)).size, 5)
  })

  it('goes with its bucket', async () => {
    const name = await open(10 * PART)
    const files = server.files()
    const upload = await begin(name, { key: 'k', file_size: 10 })
    const unknown = await begin(name, { key: 'u' })
    const part = await upload.send(1, bytes(10))
    await unknown.send(1, bytes(10))
    await server.records([{ action: 'delete_bucket', bucket: name }], () =>
      server.admin.deleteBucket({ params: { name } }),
    )
    await rejectsWith(upload.status(), 'not_found')
    await rejectsWith(upload.complete([part]), 'not_found')
    await rejectsWith(upload.abort(), 'not_found')
    assert.deepEqual(refusal(await upload.try(1, bytes(10))), [404, 'not_found'])
    assert.deepEqual(refusal(await unknown.try(2, bytes(10))), [404, 'not_found'])
    // A new bucket of the name has nothing to do with it.
    await server.admin.createBucket({ body: { name } })
    await rejectsWith(upload.complete([part]), 'not_found')
    assert.deepEqual((await server.admin.listUploads({ params: { name } })).items, [])
    await server.records([], tick)
    assert.deepEqual(server.files(), files)
    await tick()
    const { db } = server.database
    assert.deepEqual(await db.selectFrom('buckets').select('name').where('deleted_at', 'is not', null).execute(), [])
    for (const { upload_id } of [upload, unknown])
      assert.deepEqual(await db.selectFrom('uploads').select('id').where('id', '=', upload_id).execute(), [])
  })

  it('is safe from the collector while it is open', async () => {
    const name = await open()
    const [first, second] = [bytes(PART), bytes(5)]
    const upload = await begin(name, { key: 'k', file_size: PART + 5, part_size: PART })
    const named = [await upload.send(1, first)]
    for (let hour = 0; hour < 4; hour++) {
      await server.later(2 * HOUR)
      await server.records([], tick)
    }
    named.push(await upload.send(2, second))
    await pastGrace()
    await upload.complete(named)
    await pastGrace()
    assert.ok((await read(name, 'k')).equals(Buffer.concat([first, second])))
  })

  it('races of complete, abort, sweep and delete end in one of two ways', async () => {
    for (let round = 0; round < 12; round++) {
      const name = await open(MIB)
      const upload = await begin(name, { key: 'k', file_size: 1000 })
      const data = bytes(1000)
      const part = await upload.send(1, data)
      const rivals = [
        () => upload.abort(client(1)),
        async () => {
          await server.database.transaction((tx) =>
            tx
              .updateTable('uploads')
              .set({ expires_at: new Date(0).toISOString() })
              .where('id', '=', upload.upload_id)
              .where('completed_at', 'is', null)
              .execute(),
          )
          await (twin ?? server.running).tick()
        },
        () => client(1).deleteBucket({ params: { name } }),
      ]
      const work = [() => upload.complete([part], {}, client(0)), rivals[round % 3] as () => Promise<unknown>]
      if (round % 2) work.reverse()
      const results = await outcomes(work.map((one) => one()))
      const completed = results[round % 2]
      if (completed === 'ok') {
        assert.ok((await read(name, 'k')).equals(data), `round ${round}`)
        await tick()
        await pastGrace()
        assert.ok((await read(name, 'k')).equals(data), `round ${round}: it stays`)
        assert.deepEqual(await usage(name), { used_bytes: 1000, reserved_bytes: 0, object_count: 1, trash_bytes: 0 })
      } else {
        assert.ok(['not_found', 'conflict'].includes(completed ?? ''), results.join())
        await pastGrace()
        if (round % 3 !== 2)
          assert.deepEqual(await usage(name), { used_bytes: 0, reserved_bytes: 0, object_count: 0, trash_bytes: 0 })
      }
    }
  })

  itOnce('completes what a crash interrupted also where parts go straight to the storage', async () => {
    const name = await open(MIB)
    const config = readConfig(server.env)
    const storage = await openStorage(config)
    let crash = true
    // As an engine that takes parts by itself: only it knows of them, and no more once they are put together.
    const blobs: BlobDriver = {
      ...storage,
      partUrl: async () => 'https://storage.example.com/part',
      async completeParts(...parts) {
        await storage.completeParts(...parts)
        if (crash) throw new Error('killed')
      },
    }
    const { database, clock } = server
    const stopping = new AbortController().signal
    const admins = [{ id: newId(), name: 'Administrators', global: ['admin' as const], grants: [] }]
    const ctx = createContext(
      {
        ...{ database, blobs, config, now: clock.now, log: createLog('silent', undefined), stopping },
        ...{ background: () => {}, worksInBackground: false },
      },
      { ...systemActor, groups: admins },
    )
    const { upload_id, urls } = await initUpload(ctx, name, { key: 'k', file_size: 10 })
    assert.deepEqual(urls, ['https://storage.example.com/part'])
    const { blob_id, handle } = await database.db
      .selectFrom('uploads')
      .select(['blob_id', 'handle'])
      .where('id', '=', upload_id)
      .executeTakeFirstOrThrow()
    const data = bytes(10)
    const etag = await storage.putPart(blob_id ?? '', handle, 1, Readable.from([data]), 10)
    const complete = () => completeUpload(ctx, name, { upload_id, parts: [{ part_number: 1, etag }] })
    assert.equal((await getUpload(ctx, name, upload_id, {})).received_bytes, 10)
    await assert.rejects(complete(), /killed/)
    crash = false
    assert.equal((await complete()).size, 10)
    assert.ok((await read(name, 'k')).equals(data))
    assert.deepEqual(await usage(name), { used_bytes: 10, reserved_bytes: 0, object_count: 1, trash_bytes: 0 })
    await storage.close()
  })

  it('sends one event for the whole upload', async () => {
    const name = await open()
    const created_at = server.clock.now().toISOString()
    const id = newId()
    await server.database.transaction((tx) =>
      tx
        .insertInto('webhook_endpoints')
        .values({ id, name: 'n', url: 'https://example.com/', events: '["*"]', secret: 's', created_at })
        .execute(),
    )
    const object = await store(name, 'k', bytes(10))
    const deliveries = await server.database.db.selectFrom('webhook_deliveries').selectAll().execute()
    await server.database.transaction((tx) => tx.deleteFrom('webhook_endpoints').where('id', '=', id).execute())
    assert.deepEqual(
      deliveries.map(({ event }) => event),
      ['upload'],
    )
    const { details } = JSON.parse(deliveries[0]?.body ?? '')
    assert.deepEqual([details.parts, details.etag, details.size], [1, object.etag, 10])
  })

  it('leaves nothing behind in the end', async () => {
    for (let day = 0; day < 10; day++) {
      await server.later(24 * HOUR)
      await tick()
    }
    const { db } = server.database
    assert.deepEqual(await db.selectFrom('uploads').select('id').execute(), [])
    assert.deepEqual(await db.selectFrom('upload_parts').select('upload_id').execute(), [])
    const objects = new Set((await db.selectFrom('objects').select('blob_id').execute()).map(({ blob_id }) => blob_id))
    for (const file of server.files()) {
      const blob = (onS3 ? file : file.split(path.sep)[1])?.replace(/\.d$/, '') ?? ''
      assert.ok(objects.has(blob), file)
    }
    const reserved = await db.selectFrom('bucket_usage').select('reserved').where('reserved', '!=', 0).execute()
    const sum = reserved.reduce((total, row) => total + row.reserved, 0)
    assert.equal(sum, 0)
    const uploads = (await allActions(server.database)).filter(({ action }) => /abort|init|part/.test(action))
    assert.deepEqual(uploads, [])
  })
})
