import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { after, before, it } from 'node:test'
import { request } from '../support/http.ts'
import { describeOnce, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/** An answer's status and code, of each answer on a connection. */
const seen = (text: string): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n(?:\{[^\n]*?"code":"(\w+)")?/g)].map(
    ([, status, code]) => [status, code].filter(Boolean).join(' '),
  )

describeOnce('protocol', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine, { PUBLIC_BASE_URL: 'https://files.example/below', S3_PORT: '0' })
    await server.admin.createBucket({ body: { name: 'wire' } })
  })
  after(() => server.stop())

  const connect = (url = server.url): net.Socket => {
    const { hostname, port } = new URL(url)
    const socket = net.connect({ port: Number(port), host: hostname, allowHalfOpen: true })
    socket.on('error', () => undefined)
    socket.on('end', () => socket.end())
    return socket
  }
  /** Writes bytes and returns everything received until the other side closes. */
  const raw = (...bytes: (string | Buffer)[]) => rawTo(undefined, ...bytes)
  /** The same at another address. */
  const rawTo = async (url: string | null | undefined, ...bytes: (string | Buffer)[]): Promise<string> => {
    const socket = connect(url ?? undefined)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    for (const one of bytes) socket.write(one)
    socket.setTimeout(10_000, () => socket.destroy())
    await once(socket, 'close')
    return text
  }
  const auth = () => `Host: x\r\nAuthorization: Bearer ${server.adminToken}\r\n`
  const put = (key: string) => `PUT /api/v1/buckets/wire/objects/${key} HTTP/1.1\r\n${auth()}`
  const smuggled = () => `${put('smuggled')}Content-Length: 1\r\nConnection: close\r\n\r\nx`
  const get = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

  it('rejects whatever two parsers could split into requests differently', async () => {
    const chunks = `5\r\nhello\r\n0\r\n\r\n`
    const cases: Record<string, string> = {
      'length and chunks': `${put('a')}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
      'chunks and length': `${put('a')}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n${chunks}`,
      'two lengths': `${put('a')}Content-Length: 1\r\nContent-Length: 200\r\n\r\nx`,
      'the same length twice': `${put('a')}Content-Length: 1\r\nContent-Length: 1\r\n\r\nx`,
      'a list of lengths': `${put('a')}Content-Length: 1, 1\r\n\r\nx`,
      'a signed length': `${put('a')}Content-Length: +1\r\n\r\nx`,
      'a negative length': `${put('a')}Content-Length: -1\r\n\r\n`,
      'a length in hex': `${put('a')}Content-Length: 0x1\r\n\r\nx`,
      'a length beyond 64 bits': `${put('a')}Content-Length: 18446744073709551617\r\n\r\nx`,
      'an unknown encoding': `${put('a')}Transfer-Encoding: xchunked\r\n\r\n${chunks}`,
      'chunks that are not last': `${put('a')}Transfer-Encoding: chunked, identity\r\n\r\n${chunks}`,
      'two encodings': `${put('a')}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n${chunks}`,
      'a name with a space': `${put('a')}Content-Length : 1\r\n\r\nx`,
      'a name with a tab': `${put('a')}Transfer-Encoding\t: chunked\r\n\r\n${chunks}`,
      'a folded header': `${put('a')}X-A: b\r\n Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\nx`,
      'a folded encoding': `${put('a')}Transfer-Encoding:\r\n chunked\r\n\r\n${chunks}`,
      'bare line feeds': `${put('a').replaceAll('\r', '')}Content-Length: 1\n\nx`,
      'a bare line feed in a header': `${put('a')}X-A: b\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\nx`,
      'a bare carriage return': `${put('a')}X-A: b\rTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\nx`,
      'NUL in a header': `${put('a')}X-A: b\0c\r\nContent-Length: 1\r\n\r\nx`,
      'a huge chunk': `${put('a')}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx`,
      'a negative chunk': `${put('a')}Transfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n0\r\n\r\n`,
      'a chunk without its end': `${put('a')}Transfer-Encoding: chunked\r\n\r\n1\r\nxx\r\n0\r\n\r\n`,
      'a chunk ended by a line feed': `${put('a')}Transfer-Encoding: chunked\r\n\r\n1\nx\n0\n\n`,
      'endless extensions of a chunk': `${put('a')}Transfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(20_000)}\r\nx\r\n0\r\n\r\n`,
      'no encoding and chunks': `${put('a')}Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
      'chunks twice': `${put('a')}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
      'a list with chunks twice': `${put('a')}Transfer-Encoding: chunked, chunked\r\n\r\n${chunks}`,
      'no encoding in the list': `${put('a')}Transfer-Encoding: identity, chunked\r\n\r\n${chunks}`,
      'an empty coding in the list': `${put('a')}Transfer-Encoding: , chunked\r\n\r\n${chunks}`,
      'three codings': `${put('a')}Transfer-Encoding: gzip, gzip, chunked\r\n\r\n${chunks}`,
      'chunks in HTTP/1.0': `${put('a').replace('HTTP/1.1', 'HTTP/1.0')}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
      'compressed chunks': `${put('a')}Transfer-Encoding: gzip, chunked\r\n\r\n${chunks}`,
      'a host with a name and a path': `${put('a').replace('Host: x', 'Host: x/y')}\r\n`,
      'a host with a user': `${put('a').replace('Host: x', 'Host: y@x')}\r\n`,
      'a host with two final dots': `${put('a').replace('Host: x', 'Host: x..')}\r\n`,
      'a host with a part of nothing': `${put('a').replace('Host: x', 'Host: b..x:80')}\r\n`,
      'a host that begins with a dot': `${put('a').replace('Host: x', 'Host: .x')}\r\n`,
      'another host in the target': `${put('a').replace('PUT /', 'PUT http://y/')}\r\n`,
      'a version of its own': 'GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n',
      'a method of its own': 'SMUGGLE /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
      'no version': 'GET /healthz\r\n\r\n',
    }
    const unimplemented = new Set(['compressed chunks'])
    await server.records([], async () => {
      for (const [what, bytes] of Object.entries(cases)) {
        const [first = '', ...more] = seen(await raw(bytes, smuggled()))
        const expected = unimplemented.has(what)
          ? /^501 not_implemented$/
          : /^(400 malformed|413 too_large|431 headers_too_large)$/
        assert.match(first, expected, what)
        assert.deepEqual(more, [], `${what}: nothing after it is read`)
        const s3 = await rawTo(server.running.s3Url, bytes, smuggled())
        assert.deepEqual(s3.match(/HTTP\/1\.1 \d+/g), [`HTTP/1.1 ${unimplemented.has(what) ? 501 : 400}`], what)
        assert.match(s3, /\r\n\r\n<\?xml [\s\S]*<Error><Code>\w+<\/Code><Message>[^<]+</, what)
      }
    })
    assert.equal((await server.stored()).length, 0)
    for (const hosts of ['', 'Host: a\r\nHost: b\r\n', 'Host: a\r\nhost: a\r\n'])
      assert.deepEqual(seen(await raw(`GET /healthz HTTP/1.1\r\n${hosts}\r\n`)), ['400 malformed'])
  })

  it('refuses a header that can be there once only and is there twice', async () => {
    const names = ['Authorization', 'Host', 'Content-Type', 'Range', 'If-Range', 'Origin', 'Date', 'Content-MD5']
    const last = 'Connection: close\r\n\r\n'
    for (const name of [...names, 'If-Modified-Since', 'If-Unmodified-Since', 'Expires', 'Sec-Fetch-Site']) {
      const host = name === 'Host' ? '' : 'Host: x\r\n'
      const head = `GET /api/v1/auth/config HTTP/1.1\r\n${host}${name}: x\r\n${name.toLowerCase()}: x\r\n${last}`
      assert.deepEqual(seen(await raw(head)), ['400 malformed'], name)
      assert.match(await rawTo(server.running.s3Url, head), /^HTTP\/1\.1 400 [\s\S]*<Code>InvalidRequest</, name)
    }
    for (const name of ['x-amz-date', 'x-amz-content-sha256', 'x-amz-copy-source', 'x-amz-acl', 'x-amz-tagging']) {
      const head = `PUT /wire/a HTTP/1.1\r\nHost: x\r\n${name}: x\r\n${name}: y\r\n${last}`
      assert.match(await rawTo(server.running.s3Url, head), /^HTTP\/1\.1 400 [\s\S]*<Code>InvalidRequest</, name)
    }
  })

  it('refuses every method that it does not know, without a line about an error', async () => {
    const known = new Set(['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS'])
    const before = server.logged().length
    for (const method of http.METHODS.filter((one) => !known.has(one)))
      for (const more of ['', 'Content-Type: application/json\r\nContent-Length: 2\r\n'])
        for (const at of ['/', '/nonexistent', '/api/v1/buckets', '/api/v1/buckets/wire/objects/a', '/healthz']) {
          const target = method === 'CONNECT' ? 'x:1' : at
          const head = `${method} ${target} HTTP/1.1\r\n${auth()}Connection: close\r\n${more}\r\n${more ? '{}' : ''}`
          assert.match(String(seen(await raw(head))), /^(404 not_found|405 method_not_allowed)$/, `${method} ${at}`)
          const s3 = await rawTo(server.running.s3Url, head)
          assert.match(s3, /^HTTP\/1\.1 405 [\s\S]*<Code>MethodNotAllowed<\/Code>/, `${method} ${at}`)
        }
    const patched = await rawTo(server.running.s3Url, `PATCH /wire/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    assert.match(patched, /^HTTP\/1\.1 405 /)
    for (const line of server.logged().slice(before).trim().split('\n')) {
      const { level, err } = JSON.parse(line) as { level: number; err?: unknown }
      assert.ok(level < 50 && err === undefined, line)
    }
  })

  it('reads bodies that arrive with their headers, with other requests or in pieces, each to its end', async () => {
    const bodies = ['', 'short', 'x'.repeat(40_000), 'y'.repeat(200_000), 'the last']
    const sent = bodies.map((body, i) => `${put(`whole-${i}`)}Content-Length: ${body.length}\r\n`)
    const together = bodies.map((body, i) => `${sent[i]}${i === 4 ? 'Connection: close\r\n' : ''}\r\n${body}`).join('')
    assert.deepEqual(seen(await raw(together)), Array(5).fill('201'))
    for (const [i, body] of bodies.entries())
      assert.equal(await (await server.admin.getObject({ params: { bucket: 'wire', key: `whole-${i}` } })).text(), body)
    // The first half comes with the headers.
    const socket = connect()
    const answered = once(socket, 'data') as Promise<[Buffer]>
    socket.write(`${put('halves')}Content-Length: 10\r\n\r\nhello`)
    socket.write('world')
    assert.match((await answered)[0].toString(), /^HTTP\/1\.1 201 /)
    socket.destroy()
    assert.equal(
      await (await server.admin.getObject({ params: { bucket: 'wire', key: 'halves' } })).text(),
      'helloworld',
    )
  })

  it('answers pipelined requests in order', async () => {
    const one = (at: string) => `GET ${at} HTTP/1.1\r\n${auth()}\r\n`
    const many = [one('/api/v1/buckets/wire'), one('/api/v1/nothing'), one('/api/v1/auth/me'), get].join('')
    assert.deepEqual(seen(await raw(many)), ['200', '404 not_found', '200', '200'])
    const after = `POST /api/v1/buckets HTTP/1.1\r\n${auth()}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`
    assert.deepEqual(seen(await raw(after, get)), ['422 invalid_request', '200'], 'a refused body ends where it says')
  })

  it('answers completely when an unexpected body arrives', async () => {
    const bytes = Buffer.alloc(2_000_000, 'what was stored ')
    await server.admin.putObject({ params: { bucket: 'wire', key: 'long' }, body: bytes })
    const body = Buffer.alloc(300_000, ' ')
    const head = (at: string) =>
      `GET ${at} HTTP/1.1\r\n${auth()}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n`
    for (let i = 0; i < 5; i++)
      for (const at of ['/api/v1/buckets/wire/objects/long', '/openapi.json']) {
        const answer = await raw(head(at), body)
        const [, length] = /content-length: (\d+)/i.exec(answer) ?? []
        assert.equal(answer.length - answer.indexOf('\r\n\r\n') - 4, Number(length), at)
      }
    await server.admin.deleteObject({ params: { bucket: 'wire', key: 'long' } })
    // A client that asks first whether to send its body gets the response, and sends none.
    const asks = `GET /api/v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n`
    assert.deepEqual(seen(await raw(asks)), ['404 not_found'])
  })

  it('answers a GET whose body is announced and never sent', async () => {
    const unsent = 'Content-Length: 5\r\n\r\n'
    const head = `HTTP/1.1\r\n${auth()}${unsent}`
    const [found, missing, s3] = await Promise.all([
      raw(`GET /api/v1/buckets/wire ${head}`),
      raw(`GET /api/v1/buckets/wire/objects/none ${head}`),
      rawTo(server.running.s3Url, `GET /wire/key HTTP/1.1\r\nHost: x\r\n${unsent}`),
    ])
    assert.deepEqual([found, missing].flatMap(seen), ['200', '404 not_found'])
    assert.match(s3, /^HTTP\/1\.1 403 /)
  })

  it('answers a client that closes the connection behind a large body which is refused', async () => {
    const body = Buffer.alloc(6_000_000, 'x')
    const key = 'x'.repeat(2000)
    const refused = {
      '401 unauthenticated': `PUT /api/v1/buckets/wire/objects/a HTTP/1.1\r\nHost: x\r\n`,
      '404 not_found': `POST /api/v1/nothing HTTP/1.1\r\n${auth()}`,
      '422 invalid_request': `PUT /api/v1/buckets/wire/objects/${key} HTTP/1.1\r\n${auth()}`,
    }
    await server.records([], async () => {
      for (let i = 0; i < 20; i++)
        for (const [answer, head] of Object.entries(refused))
          assert.deepEqual(
            seen(await raw(`${head}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n`, body)),
            [answer],
            `attempt ${i + 1}`,
          )
      const last = `POST /api/v1/nothing HTTP/1.1\r\n${auth()}Content-Length: 1000\r\nConnection: close\r\n\r\n`
      const [, ...more] = seen(await raw(`${last}${'x'.repeat(1000)}${smuggled()}`))
      assert.doesNotMatch(String(more), /^20/, 'nothing behind the last request is read')
    })
  })

  it('speaks HTTP/1.0', async () => {
    const old = await raw('GET /healthz HTTP/1.0\r\n\r\n')
    assert.match(old, /^HTTP\/1\.1 200 /)
    assert.match(old, /connection: close/i)
    assert.match(await raw('GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', get), /^HTTP\/1\.1 200 .*200 OK/s)
    const list = await raw(`GET /api/v1/buckets HTTP/1.0\r\n${auth()}\r\n`)
    assert.doesNotMatch(list, /transfer-encoding/i)
  })

  it('limits heads: their size, the path, the number of headers', async () => {
    const long = `GET /api/v1/buckets?cursor=${'x'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`
    assert.deepEqual(seen(await raw(long)), ['431 headers_too_large'])
    const many = `GET /healthz HTTP/1.1\r\nHost: x\r\n${'a:b\r\n'.repeat(10_000)}\r\n`
    assert.deepEqual(seen(await raw(many)), ['431 headers_too_large'])
    for (const head of [long, many])
      assert.match(
        await rawTo(
          server.running.s3Url,
          head.replaceAll('a:b\r\n', 'a:bcdefgh\r\n').replace('x'.repeat(100), 'x'.repeat(20_000)),
        ),
        /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*<Code>RequestHeaderSectionTooLarge<\/Code><Message>/,
      )
    // Node itself would leave out a header beyond the two thousandth.
    const late = `PUT /api/v1/buckets/wire/objects/a HTTP/1.1\r\nHost: x\r\n${'a:b\r\n'.repeat(2100)}Host: y\r\n\r\n`
    assert.deepEqual(seen(await raw(late)), ['400 malformed'])
    const trailers = `${put('trailers')}Transfer-Encoding: chunked\r\n\r\n0\r\n${'a: b\r\n'.repeat(10_000)}\r\n`
    assert.doesNotMatch(String(seen(await raw(trailers))), /^20/)
    const segment = `GET /api/v1/buckets/${'x'.repeat(15_000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
    assert.deepEqual(seen(await raw(segment)), ['404 not_found'])
  })

  it('answers a head that is too large also where the client reads only once it has sent all', async () => {
    for (const url of [server.url, server.running.s3Url ?? '']) {
      const socket = connect(url)
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
      for (let i = 0; i < 40; i++)
        await new Promise<void>((written) => socket.write(`a: ${'x'.repeat(20_000)}\r\n`, () => written()))
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
      })
      await once(socket, 'close')
      assert.match(text, /^HTTP\/1\.1 4\d\d .*Connection: close/s, url)
    }
  })

  it('never confuses paths with each other or with files', async () => {
    const climb = [
      '..',
      '%2e%2e',
      '%2E%2E',
      '..%2f',
      '%2e%2e%2f',
      '%252e%252e%252f',
      '..%5c',
      '..\\',
      '....//',
      '%c0%ae%c0%ae/',
    ]
    for (const base of [
      '/',
      '/console/',
      '/console/assets/',
      '/docs/',
      '/docs/static/',
      '/redoc/',
      '/public/s/',
      '/api/v1/',
    ])
      for (const up of climb)
        for (const file of ['package.json', 'etc/passwd', 'server/main.ts']) {
          const path = `${base}${`${up}/`.repeat(6)}${file}`
          const { status, body } = await request({ url: server.url, path, token: server.adminToken })
          assert.doesNotMatch(body.toString(), /root:|"dependencies"|createApp|startWorkers/, path)
          assert.ok(status < 500 || body.toString().startsWith('The console has not been built'), `${path}: ${status}`)
        }
    for (const path of [
      '//evil.example/',
      '/\\evil.example',
      'http://evil.example/console',
      '/console//evil.example/',
    ]) {
      const { status, headers } = await request({ url: server.url, path })
      if (status >= 300 && status < 400) assert.equal(headers.location, '/console/', path)
    }
  })

  it('builds links from PUBLIC_BASE_URL, whatever host the request names', async () => {
    await server.admin.putObject({ params: { bucket: 'wire', key: 'linked' }, body: 'x' })
    const headers = {
      host: 'evil.example',
      forwarded: 'host=evil.example;proto=http',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      'x-forwarded-prefix': '/evil',
      'x-original-url': '/evil',
      'content-type': 'application/json',
    }
    const post = (path: string, body: object = {}) =>
      request({ url: server.url, path, method: 'POST', token: server.adminToken, headers, body: JSON.stringify(body) })
    const answers = [
      await post('/api/v1/share/wire/linked'),
      await post('/api/v1/buckets/wire/objects/presign', { key: 'linked' }),
      await post('/api/v1/buckets/wire/upload/init', { key: 'big', file_size: 1 }),
      await request({ url: server.url, path: '/', headers }),
      await request({ url: server.url, path: '/openapi.json', headers }),
    ]
    for (const answer of answers) {
      assert.ok(answer.status < 400, String(answer.status))
      assert.doesNotMatch(`${JSON.stringify(answer.headers)}${answer.body}`, /evil/)
    }
    assert.match(answers[0]?.json<{ url: string }>().url ?? '', /^https:\/\/files\.example\/below\/public\/s\//)
    server.secrets.add(answers[0]?.json<{ token: string }>().token ?? '')
  })

  it('logs one entry a line and sends one header a line, whatever names hold', async () => {
    const evil = 'x\r\nSet-Cookie: a=b\r\n{"level":60,"msg":"forged"}\u2028<script>alert(1)</script>'
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'x {"level":60}\t' }
    const body = `${new URLSearchParams({ username: evil, password: 'wrong one' })}`
    await request({ url: server.url, path: '/api/v1/auth/token', method: 'POST', headers, body })
    await server.admin.putObject({
      params: { bucket: 'wire', key: evil },
      body: 'x',
      headers: { 'content-type': 'text/html' },
    })
    const path = encodeURIComponent(evil)
    for (const at of [
      `/api/v1/buckets/wire/objects/${path}`,
      `/${path}`,
      `/api/v1/buckets/${path}`,
      `/console/${path}`,
    ]) {
      const answer = await request({ url: server.url, path: `${at}?download=1`, token: server.adminToken })
      assert.equal(answer.headers['set-cookie'], undefined, at)
      assert.equal(answer.headers['x-content-type-options'], 'nosniff', at)
      if (/^text\/html/.test(String(answer.headers['content-type'])) && !at.startsWith('/console'))
        assert.match(String(answer.headers['content-security-policy']), /sandbox/, at)
      if (at.startsWith('/console')) assert.doesNotMatch(answer.body.toString(), /alert\(1\)/)
    }
    for (const line of server.logged().trim().split('\n')) assert.notEqual(JSON.parse(line).msg, 'forged')
  })

  it('times out dripping heads and bodies, and lets uploads run as long as they progress', {
    timeout: 60_000,
  }, async () => {
    const slow = await startServer(engine, { REQUEST_TIMEOUT_SECONDS: '1' })
    try {
      await slow.admin.createBucket({ body: { name: 'slow' } })
      /** Writes the head, then a piece every 100 ms; returns the response and the duration. */
      const drip = async (head: string, piece: string, pieces = Number.POSITIVE_INFINITY) => {
        const socket = connect(slow.url)
        let text = ''
        socket.on('data', (chunk) => {
          text += chunk
        })
        const begun = performance.now()
        socket.write(head)
        let sent = 0
        const timer = setInterval(() => {
          if (sent++ < pieces) socket.write(piece)
        }, 100)
        await once(socket, 'close')
        clearInterval(timer)
        return { text, took: performance.now() - begun }
      }
      const bearer = `Host: x\r\nAuthorization: Bearer ${slow.adminToken}\r\nConnection: close\r\n`
      const json = `POST /api/v1/buckets HTTP/1.1\r\n${bearer}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`
      const upload = (length: number) =>
        `PUT /api/v1/buckets/slow/objects/drip HTTP/1.1\r\n${bearer}Content-Length: ${length}\r\n\r\n`
      const [head, body, stream, moving] = await Promise.all([
        drip('GET /healthz HTTP/1.1\r\nHost: x\r\n', 'X-A: b\r\n'),
        drip(json, ' '),
        drip(upload(1_000_000), 'x'),
        drip(upload(400 * 50), 'x'.repeat(400), 50),
      ])
      for (const [what, { text, took }] of Object.entries({ head, body, stream })) {
        assert.deepEqual(seen(text), ['408 request_timeout'], what)
        assert.ok(took < 20_000, `${what} took ${took} ms`)
      }
      assert.deepEqual(seen(moving.text), ['201'])
      assert.ok(moving.took > 4000, `${moving.took} ms, several times the limit`)
      assert.equal((await slow.admin.listObjects({ params: { bucket: 'slow' } })).items.length, 1)
      await until(async () => (await fetch(`${slow.url}/healthz`)).ok)
    } finally {
      await slow.stop()
    }
  })

  it('limits the number of connections', async () => {
    const few = await startServer(engine, { MAX_CONNECTIONS: '8' })
    try {
      const ofOne = Array.from({ length: 6 }, () => connect(few.url))
      const open = () => ofOne.filter((socket) => !socket.closed).length
      await until(() => open() <= 2)
      for (const socket of ofOne) socket.destroy()
      await until(() =>
        fetch(`${few.url}/healthz`, { headers: { connection: 'close' } }).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
    } finally {
      await few.stop()
    }
  })
})
