import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { before, it } from 'node:test'
import { ProblemError } from '../../client/derived.ts'
import type { Running } from '../../server/process/start.ts'
import { type Answer, request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, onS3, type TestServer } from '../support/server.ts'
import { bytes, digest, etagOfParts, HOUR, md5, PART, times, uploadsWorld } from './uploads.ts'

const shuffled = <T>(all: readonly T[]): T[] => {
  const left = [...all]
  return times(all.length, () => left.splice(randomInt(0, left.length), 1)[0] as T)
}

describeEngines('multipart uploads: each part', (engine, itOnce, itStored) => {
  const world = uploadsWorld(engine)
  const { client, open, putAt, refusal, begin, read, pastGrace } = world
  let server: TestServer
  let twin: Running | undefined
  before(() => {
    server = world.server
    twin = world.twin
  })

  /** The same to one of the services. */
  const sendTo = (i: number, url: string, body: Uint8Array): Promise<Answer> =>
    request({ url: (i % 2 && twin?.url) || server.url, path: new URL(url).pathname, method: 'PUT', body })

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
      await rejectsWith(server.admin.getObject({ params: { bucket: name, key: 'large.bin' } }), 'not_found')
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
      assert.equal(record?.route, '/api/v1/buckets/{bucket}/upload/complete')

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
          const response = await server.admin.getObject({ params: { bucket: name, key: 'large.bin' }, headers })
          assert.equal(response.status, 206)
          assert.ok(Buffer.from(await response.arrayBuffer()).equals(body.subarray(from, to + 1)), `${from}-${to}`)
        }
      }
      await Promise.all(times(16, reader))
      const suffix = await server.admin.getObject({
        params: { bucket: name, key: 'large.bin' },
        headers: { range: 'bytes=-9' },
      })
      assert.ok(Buffer.from(await suffix.arrayBuffer()).equals(body.subarray(-9)))
      const unchanged = { 'if-none-match': `"${object.etag}"` }
      assert.equal(
        (await server.admin.getObject({ params: { bucket: name, key: 'large.bin' }, headers: unchanged })).status,
        304,
      )
      // A copy shares the parts; they stay as long as either is there.
      await server.admin.copyObject({
        params: { bucket: name },
        body: { source_bucket: name, source_key: 'large.bin', dest_key: 'copy' },
      })
      await server.admin.deleteObject({ params: { bucket: name, key: 'large.bin' }, query: { permanent: true } })
      const files = server.files().length
      await pastGrace()
      assert.equal(server.files().length, files)
      assert.ok((await read(name, 'copy')).equals(body))
      await server.admin.deleteObject({ params: { bucket: name, key: 'copy' }, query: { permanent: true } })
      await pastGrace()
      assert.equal(server.files().length, files - 8, 'seven parts and what names them')
    },
  )

  itStored('asks for a Content-Length that is right, and checks Content-MD5', async () => {
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
    const presigned = await server.admin.presignObject({ params: { bucket: name }, body: { key: 'k', method: 'PUT' } })
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

  it('stores the bytes that a part’s row names, whichever of twenty senders came last', {
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
      const done = await server.admin.headObject({ params: { bucket: name, key } }).then(
        () => true,
        () => false,
      )
      // If none was in time: continue like a client that got this response.
      if (!done) {
        const again = await upload.send(1, contents[1] as Buffer)
        await upload.complete([again])
      }
      const stored = await read(name, key)
      const { items } = await server.admin.listObjects({ params: { bucket: name }, query: { prefix: key } })
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
})
