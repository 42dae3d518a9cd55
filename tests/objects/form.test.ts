import assert from 'node:assert/strict'
import net from 'node:net'
import { after, before, it } from 'node:test'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { reset } from '../support/reset.ts'
import { describeEngines, onS3, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const bucket = 'forms'

/** A form as curl writes it: names as they are, `"` as %22. */
function form(files: Record<string, string>): { headers: Record<string, string>; body: Buffer } {
  const boundary = 'curl-boundary'
  const parts = Object.entries(files).map(
    ([name, text]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name.replaceAll('"', '%22')}"\r\nContent-Type: application/octet-stream\r\n\r\n${text}\r\n`,
  )
  const body = Buffer.from(`${parts.join('')}--${boundary}--\r\n`)
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': String(body.length) },
    body,
  }
}

describeEngines('form uploads', (engine, itOnce) => {
  let server: TestServer
  const send = (files: Record<string, string>, query = '', name = bucket, token = server.adminToken) =>
    request({ url: server.url, path: `/api/v1/buckets/${name}/objects${query}`, method: 'POST', token, ...form(files) })
  const keys = async (name = bucket) =>
    (await server.admin.listObjects({ params: { bucket: name }, query: { limit: 1000 } })).items.map(({ key }) => key)

  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: bucket } })
  })
  after(() => server.stop())

  it('stores several files under a prefix, with the folders in their names', async () => {
    const expected = ['in/a b.txt', 'in/sub/ä漢😀.png', 'in/q"uote%41.bin', 'in/empty']
    await server.records(
      expected.toSorted((a, b) => (a < b ? -1 : 1)).map((key) => ({ action: 'upload' as const, bucket, key })),
      async () => {
        const { status, json } = await send(
          { 'a b.txt': 'A', 'sub/ä漢😀.png': 'B', 'q"uote%41.bin': 'C', empty: '' },
          '?prefix=in/',
        )
        assert.equal(status, 201)
        const { items } = json<{ items: { key: string; size: number; content_type: string }[] }>()
        assert.deepEqual(
          items.map(({ key }) => key),
          expected,
        )
        assert.deepEqual(
          items.map(({ size }) => size),
          [1, 1, 1, 0],
        )
        assert.deepEqual(
          items.map(({ content_type }) => content_type),
          ['text/plain', 'image/png', 'application/octet-stream', 'application/octet-stream'],
        )
      },
    )
  })

  itOnce('takes what FormData of a browser or Node sends', async () => {
    const data = new FormData()
    data.append('file', new Blob(['x'], { type: 'image/webp' }), 'Grüße "1".webp')
    const { items } = await server.admin.uploadForm({ params: { bucket }, query: { prefix: 'fd/' }, body: data })
    assert.deepEqual(
      items.map(({ key, content_type }) => [key, content_type]),
      [['fd/Grüße "1".webp', 'image/webp']],
    )
  })

  it('the later of two files of one name wins, the earlier is in the trash', async () => {
    const twice =
      form({ same: 'first' }).body.toString().replace('--curl-boundary--\r\n', '') + form({ same: 'second!' }).body
    const { headers } = form({})
    const { status } = await request({
      url: server.url,
      path: `/api/v1/buckets/${bucket}/objects`,
      method: 'POST',
      token: server.adminToken,
      headers: { ...headers, 'content-length': String(Buffer.byteLength(twice)) },
      body: twice,
    })
    assert.equal(status, 201)
    const response = await server.admin.getObject({ params: { bucket, key: 'same' } })
    assert.equal(await response.text(), 'second!')
  })

  /** One part as it stands, its head as given. */
  const raw = (...parts: [disposition: string, body: string][]) => {
    const text = parts.map(([head, body]) => `--B\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`)
    return request({
      url: server.url,
      path: `/api/v1/buckets/${bucket}/objects`,
      method: 'POST',
      token: server.adminToken,
      headers: { 'content-type': 'multipart/form-data; boundary=B' },
      body: `${text.join('')}--B--\r\n`,
    })
  }

  itOnce('ignores fields, and uses a file name as a key, never as a path', async () => {
    const expected = ['../../etc/x', '/abs', 'C:\\dir\\b.txt']
    await server.records(
      expected.map((key) => ({ action: 'upload' as const, bucket, key })),
      async () => {
        const { status, json } = await raw(
          ['name="note"', 'y'.repeat(5000)],
          ['name="file"; filename="../../etc/x"', '1'],
          ['name="file"; filename="/abs"', '2'],
          ['name="other"; filename="C:\\\\dir\\\\b.txt"', '3'],
        )
        assert.equal(status, 201)
        assert.deepEqual(
          json<{ items: { key: string }[] }>().items.map(({ key }) => key),
          expected,
        )
      },
    )
    for (const file of await server.stored()) assert.match(file, /^([0-9a-f]{2}[/\\])?[0-9a-f-]{36}$/)
  })

  itOnce('refuses parts that make no key, and more files than a form may have', async () => {
    const before = await keys()
    const files = await server.stored()
    const ok: [string, string] = ['name="file"; filename="ok"', 'x']
    await server.records([], async () => {
      for (const [head, status] of [
        ['name="file"', 422],
        ['name="file"; filename=""', 422],
        ['name="file"; filename="a\0b"', 422],
        ['name="__proto__"; filename="p"', 400],
      ] as const) {
        const alone = await raw([head, 'x'])
        assert.deepEqual([alone.status, head], [status, head])
        if (head !== 'name="file"') assert.equal((await raw(ok, [head, 'x'])).status, status, head)
      }
      const many = await raw(
        ...Array.from({ length: 1001 }, (_, i): [string, string] => [`name="f"; filename="${i}"`, '']),
      )
      assert.deepEqual([many.status, many.json().code], [413, 'too_large'])
    })
    assert.deepEqual(await keys(), before)
    assert.deepEqual(await server.stored(), files)
  })

  itOnce('rejects anything but a form with files, and stores nothing', async () => {
    const before = await keys()
    const files = await server.stored()
    await server.records([], async () => {
      const none = await send({})
      assert.deepEqual([none.status, none.json().code], [422, 'invalid_request'])
      assert.deepEqual(
        none.json<{ errors: { path: string }[] }>().errors.map(({ path }) => path),
        ['body.file'],
      )
      const path = `/api/v1/buckets/${bucket}/objects`
      const post = (headers: Record<string, string>, body: string) =>
        request({ url: server.url, path, method: 'POST', token: server.adminToken, headers, body })
      assert.equal((await post({ 'content-type': 'application/json' }, '{}')).status, 415)
      assert.equal((await post({ 'content-type': 'text/plain' }, 'x')).status, 415)
      const noBoundary = await post({ 'content-type': 'multipart/form-data' }, 'x')
      assert.ok([400, 415].includes(noBoundary.status), String(noBoundary.status))
      const tooLong = await send({ fine: 'x', ['k'.repeat(1025)]: 'y' })
      assert.deepEqual([tooLong.status, tooLong.json().code], [422, 'invalid_request'])
      const open = form({ a: 'x'.repeat(1000) })
      const cut = open.body.subarray(0, 500)
      const short = await post({ ...open.headers, 'content-length': '500' }, cut.toString())
      assert.deepEqual([short.status, short.json().code], [400, 'malformed'])
    })
    assert.deepEqual(await keys(), before)
    assert.deepEqual(await server.stored(), files)
  })

  it('stores none of a form of which one file does not fit or may not be written', async () => {
    await server.admin.createBucket({ body: { name: 'tight', quota_gb: 100 / 1024 ** 3 } })
    const files = await server.stored()
    await server.records([], async () => {
      const { status, json } = await send({ a: 'x'.repeat(60), b: 'y'.repeat(60) }, '', 'tight')
      assert.deepEqual([status, json().code], [413, 'quota_exceeded'])
    })
    assert.deepEqual(await keys('tight'), [])
    assert.deepEqual(await server.stored(), files)
    assert.equal((await send({ a: 'x'.repeat(60) }, '', 'tight')).status, 201)
    assert.equal((await send({ a: 'x'.repeat(50), b: 'y'.repeat(50) }, '', 'tight')).status, 201)
    const token = await server.userWith({ bucket_pattern: bucket, prefix: 'mine/', actions: ['write'] })
    await server.records([{ action: 'access_denied', result: 'denied' }], async () =>
      assert.equal((await send({ 'mine/ok': 'x', 'theirs/no': 'y' }, '', bucket, token)).status, 403),
    )
    assert.equal((await keys()).includes('mine/ok'), false)
    await server.records([{ action: 'access_denied', result: 'denied' }], async () =>
      assert.equal((await send({ ok: 'x' }, '?prefix=theirs/', bucket, token)).status, 403),
    )
    assert.equal((await send({ ok: 'x' }, '?prefix=mine/', bucket, token)).status, 201)
    await rejectsWith(server.as(token).getObject({ params: { bucket, key: 'mine/ok' } }), 'forbidden')
  })

  it('keeps nothing of a body that is cut off half-way', async () => {
    const before = await keys()
    const files = (await server.stored()).length
    const { hostname, port } = new URL(server.url)
    for (const head of [
      `PUT /api/v1/buckets/${bucket}/objects/cut HTTP/1.1\r\n`,
      `POST /api/v1/buckets/${bucket}/objects HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=curl-boundary\r\n`,
    ]) {
      const socket = net.connect(Number(port), hostname)
      socket.write(
        `${head}Host: x\r\nAuthorization: Bearer ${server.adminToken}\r\nContent-Length: 10000000\r\n\r\n${form({ cut: 'x'.repeat(500_000) }).body}`,
      )
      // Its first bytes are in a file before the connection breaks.
      if (onS3) await until(() => socket.bytesWritten > 500_000)
      else await until(async () => (await server.stored()).length > files)
      reset(socket)
      await until(async () => (await server.stored()).length === files)
    }
    assert.deepEqual(await keys(), before)
  })
})
