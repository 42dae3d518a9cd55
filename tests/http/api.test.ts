import assert from 'node:assert/strict'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { CompiledQuery } from 'kysely'
import { api } from '../../contract/index.ts'
import { bucketActions } from '../../contract/permissions.ts'
import { pathTemplate, type RouteSpec } from '../../contract/route.ts'
import { request } from '../support/http.ts'
import { allActions, describeEngines, onS3, STORED, startServer, type TestServer } from '../support/server.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

describeEngines('http', (engine, itOnce) => {
  let server: TestServer
  const send = (
    method: string,
    at: string,
    headers = {},
    body?: string,
    token: string | undefined = server.adminToken,
  ) => request({ url: server.url, path: at, method, token, headers, body })
  /** Writes bytes to a socket and returns everything received until it is closed or `enough` has arrived. */
  const raw = (bytes: string | Buffer, enough = /$^/): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(server.url)
      let text = ''
      const socket = net.connect(Number(port), hostname, () => socket.write(bytes))
      socket.on('data', (chunk) => {
        text += chunk
        if (enough.test(text)) socket.destroy()
      })
      socket.on('close', () => resolve(text))
      socket.on('error', reject)
    })

  before(async () => {
    server = await startServer(engine, STORED)
    await server.admin.createBucket({ body: { name: 'http', quota_gb: 1000 / 1024 ** 3 } })
  })
  after(() => server.stop())

  itOnce('answers every kind of bad input with a clear problem, and changes nothing', async () => {
    const cases: [string, string, object, string | undefined, number, string, string?][] = [
      ['POST', '/api/v1/buckets', { 'content-type': 'text/plain' }, '{"name":"abc"}', 415, 'unsupported_media_type'],
      ['POST', '/api/v1/buckets', JSON_TYPE, '{"name":', 400, 'malformed'],
      ['POST', '/api/v1/buckets', JSON_TYPE, '', 400, 'malformed'],
      ['POST', '/api/v1/buckets', JSON_TYPE, '[]', 422, 'invalid_request'],
      ['POST', '/api/v1/buckets', JSON_TYPE, '{}', 422, 'invalid_request', 'body.name'],
      ['POST', '/api/v1/buckets', JSON_TYPE, '{"name":"abc","x":1}', 422, 'invalid_request', 'body.x'],
      ['POST', '/api/v1/buckets', JSON_TYPE, '{"name":5}', 422, 'invalid_request', 'body.name'],
      ['POST', '/api/v1/buckets', JSON_TYPE, `{"name":"${'x'.repeat(70_000)}"}`, 413, 'too_large'],
      ['GET', '/api/v1/buckets?nope=1', {}, undefined, 422, 'invalid_request', 'query.nope'],
      ['GET', '/api/v1/buckets?limit=1&limit=2', {}, undefined, 422, 'invalid_request', 'query.limit'],
      ['GET', '/api/v1/buckets?limit=0', {}, undefined, 422, 'invalid_request', 'query.limit'],
      ['GET', '/api/v1/buckets?limit=x', {}, undefined, 422, 'invalid_request', 'query.limit'],
      ['GET', '/api/v1/buckets/NOT-A-NAME', {}, undefined, 422, 'invalid_request', 'params.bucket'],
      ['GET', '/api/v1/buckets?limit=%E0%A4%A', {}, undefined, 400, 'malformed'],
      ['GET', '/api/v1/usage?nope=1', {}, undefined, 422, 'invalid_request', 'query.nope'],
      ['POST', '/api/v1/buckets?nope=1', JSON_TYPE, '{"name":"abc"}', 422, 'invalid_request', 'query.nope'],
      ['GET', '/healthz?nope=1', {}, undefined, 422, 'invalid_request', 'query.nope'],
      ['GET', '/api/v1/nothing', {}, undefined, 404, 'not_found'],
      ['GET', '/nothing', {}, undefined, 404, 'not_found'],
      ['PUT', '/api/v1/buckets', {}, undefined, 405, 'method_not_allowed'],
      ['POST', '/api/v1/buckets/http/objects/key', {}, undefined, 405, 'method_not_allowed'],
      ['POST', '/docs', {}, undefined, 405, 'method_not_allowed'],
      ['GET', '/docs/%2e%2e/package.json', {}, undefined, 404, 'not_found'],
      ['GET', '/api/v1/buckets/%E0%A4%A', {}, undefined, 400, 'malformed'],
    ]
    await server.records([], async () => {
      for (const [method, at, headers, body, status, code, fault] of cases) {
        const answer = await send(method, at, headers, body)
        const what = `${method} ${at} ${body?.slice(0, 30)}`
        assert.equal(answer.status, status, what)
        assert.match(String(answer.headers['content-type']), /^application\/problem\+json/, what)
        const problem = answer.json<{ code: string; request_id: string; errors?: { path: string }[] }>()
        assert.equal(problem.code, code, what)
        assert.equal(problem.request_id, answer.headers['x-request-id'], what)
        if (fault)
          assert.ok(
            problem.errors?.some((one) => one.path === fault),
            `${what}: ${JSON.stringify(problem)}`,
          )
      }
    })
    assert.equal((await send('PUT', '/api/v1/buckets')).headers.allow, 'POST, GET, HEAD')
    // It is also the path of a record.
    assert.equal((await send('POST', '/api/v1/audit/verify')).headers.allow, 'GET, HEAD')
    // Fixed paths, which the router also reads as an id.
    for (const [method, path, allow] of [
      ['GET', '/api/v1/buckets/http/upload/abort', 'POST'],
      ['PATCH', '/api/v1/auth/second-factors/setup', 'POST'],
      ['DELETE', '/api/v1/webhooks/events', 'GET, HEAD'],
    ] as const) {
      const { status, headers } = await send(method, path)
      assert.deepEqual([status, headers.allow], [405, allow], path)
    }
    for (const path of ['/api/v1/users/no-id', '/api/v1/share/no-id/link'])
      assert.equal((await send('GET', path)).status, 422, path)
    assert.match(
      String((await send('POST', '/api/v1/buckets/http/objects/key')).headers.allow),
      /PUT.*GET.*HEAD.*DELETE/,
    )
  })

  itOnce('answers HEAD as GET without the body, for pages too (RFC 9110 section 9.3.2)', async () => {
    const asset = /\/console\/assets\/[^"]+\.js/.exec((await send('GET', '/console/login')).body.toString())?.[0] ?? ''
    await server.records([], async () => {
      for (const at of [
        '/',
        '/console',
        '/console/login',
        '/console/b/http?prefix=a',
        asset,
        '/console/assets/none.js',
        '/help',
        '/help/',
        '/help/s3.html',
        '/help/none',
        '/help/assets/none.js',
        '/docs',
        '/docs/swagger-ui.css',
        '/redoc',
        '/redoc/redoc.standalone.js',
        '/openapi.json',
        '/healthz',
        '/readyz',
        '/api/v1/buckets',
        '/api/v1/nothing',
      ]) {
        const [get, head] = [await send('GET', at), await send('HEAD', at)]
        assert.deepEqual([head.status, head.body.length], [get.status, 0], at)
        for (const name of ['content-type', 'content-length', 'location', 'cache-control', 'etag'])
          assert.equal(head.headers[name], get.headers[name], `${name} of ${at}`)
      }
    })
    assert.match(asset, /\.js$/)
  })

  it('rejects texts and times that no database can store, everywhere', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const user = (more: object) => JSON.stringify({ email: 'no@example.com', display_name: 'No', ...more })
    const cases: [string, string, object, string | undefined, string][] = []
    for (const bad of ['x\0', '\ud800x', 'x\udfff']) {
      cases.push(
        ['POST', '/api/v1/users', JSON_TYPE, user({ email: `${bad}@example.com` }), 'body.email'],
        ['POST', '/api/v1/users', JSON_TYPE, user({ display_name: bad }), 'body.display_name'],
        ['POST', '/api/v1/groups', JSON_TYPE, JSON.stringify({ name: bad }), 'body.name'],
        ['POST', '/api/v1/groups', JSON_TYPE, JSON.stringify({ name: 'n', description: bad }), 'body.description'],
        ['POST', '/api/v1/auth/refresh', JSON_TYPE, JSON.stringify({ refresh_token: bad }), 'body.refresh_token'],
      )
    }
    for (const name of ['email', 'ip', 'request_id', 'bucket', 'object_key_prefix'])
      cases.push(['GET', `/api/v1/audit?${name}=abc%00`, {}, undefined, `query.${name}`])
    for (const time of ['2026-13-01T00:00:00Z', '2026-02-30T00:00:00Z', '0000-01-01T00:00:00Z', '2026-01-01T23:59:60Z'])
      cases.push(['GET', `/api/v1/audit?from=${time}`, {}, undefined, 'query.from'])
    cases.push(
      ['POST', '/api/v1/auth/token', form, 'username=a%00b&password=wrong', 'body.username'],
      ['POST', '/api/v1/auth/token', form, 'username=a&username=b&password=wrong', 'body.username'],
      ['POST', '/api/v1/users', JSON_TYPE, user({ display_name: '  ' }), 'body.display_name'],
      ['GET', '/api/v1/buckets?cursor=WyJcdTAwMDAiXQ', {}, undefined, 'query.cursor'],
      ['GET', '/api/v1/buckets/http/objects/a%00', {}, undefined, 'params.key'],
    )
    await server.records([], async () => {
      for (const [method, at, headers, body, fault] of cases) {
        const answer = await send(method, at, headers, body)
        const { errors = [] } = answer.json<{ errors?: { path: string }[] }>()
        assert.equal(answer.status, 422, `${method} ${at} ${body}: ${answer.body}`)
        assert.deepEqual([...new Set(errors.map((one) => one.path))], [fault])
      }
    })
  })

  it('rejects foreign cursors', async () => {
    const cursor = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
    const id = '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10'
    for (const at of [
      `trash?cursor=${cursor('12', 'x')}`,
      `trash?cursor=${cursor('+275760-09-13T00:00:00.000Z', id)}`,
      `trash?cursor=${cursor('0000-01-01T00:00:00.000Z', id)}`,
      `browse?cursor=${cursor('k', '1e400')}`,
      `browse?cursor=${cursor('k', '-1')}`,
      `browse?sort=size&cursor=${cursor('k', '1e400')}`,
      `browse?sort=size&cursor=${cursor('1e400')}`,
      `browse?sort=size&cursor=${cursor('0x10')}`,
    ]) {
      const answer = await send('GET', `/api/v1/buckets/http/${at}`)
      assert.deepEqual(
        [answer.status, answer.json<{ errors?: { path: string }[] }>().errors?.map((one) => one.path)],
        [422, ['query.cursor']],
        at,
      )
    }
  })

  itOnce('reports all errors in a small body, and one in a large', async () => {
    const faults = async (at: string, body: string, token = server.adminToken) => {
      const answer = await send('POST', at, JSON_TYPE, body, token)
      const { errors = [] } = answer.json<{ errors?: { path: string; message: string }[] }>()
      return [answer.status, ...errors.map(({ path, message }) => `${path} ${message}`)]
    }
    assert.deepEqual(await faults('/api/v1/buckets', '{"name":5,"quota_gb":"x","y":1}'), [
      422,
      'body.y is unknown',
      'body.name must be string',
      'body.quota_gb must be number',
      'body.quota_gb must be null',
      'body.quota_gb must match a schema in anyOf',
    ])
    const job = (keys: string) => `{"kind":"delete","source_bucket":"http","keys":[${keys}]}`
    assert.deepEqual(await faults('/api/v1/jobs', job(`${'1,'.repeat(10_000)}1`)), [
      422,
      'body.keys must NOT have more than 10000 items',
    ])
    assert.deepEqual(await faults('/api/v1/jobs', job(`${'1,'.repeat(9000)}1`)), [422, 'body.keys.0 must be string'])
    assert.deepEqual(await faults('/api/v1/jobs', job(`${'1,'.repeat(200_000)}1`)), [
      422,
      'body has more than 120220 values',
    ])
    assert.deepEqual(await faults('/api/v1/jobs', '['.repeat(1000)), [422, 'body is nested deeper than 32'])
    assert.deepEqual(await faults('/api/v1/jobs', job('"\\\\\\"[[[[{,,,","[')), [400])
    assert.deepEqual(await faults('/api/v1/jobs', '{"__proto__":{"x":1}}'), [400])
    // Who may do nothing is not asked for a large body at all.
    const large = '1,'.repeat(40_000)
    const nobody = await server.userWith()
    await server.records([{ action: 'access_denied', result: 'denied' }], async () =>
      assert.deepEqual(await faults('/api/v1/jobs', job(`${large}1`), nobody), [403]),
    )
    const elsewhere = await server.userWith({ bucket_pattern: 'other', actions: ['list'] })
    await server.records([{ action: 'access_denied', result: 'denied' }], async () =>
      assert.deepEqual(await faults('/api/v1/buckets/http/objects/bulk-delete', `[${large}1]`, elsewhere), [403]),
    )
  })

  itOnce('returns nothing without credentials, and nothing administrative to non-administrators', async () => {
    const token = await server.userWith({ bucket_pattern: '*', actions: [...bucketActions] })
    for (const [name, route] of Object.entries<RouteSpec>(api)) {
      // What watches the service may be this machine: tests/observe/metrics.test.ts.
      if (route.access === 'public' || route.access === 'monitor') continue
      const at = pathTemplate(route)
        .replace('{bucket}', 'http')
        .replace('{key}', 'key')
        .replace('{id}', '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10')
      await server.records([], async () => {
        const answer = await request({ url: server.url, path: at, method: route.method })
        assert.equal(answer.status, 401, name)
        // Clients of the MCP server are told where to sign in.
        const challenge = name === 'callMcp' ? /^Bearer resource_metadata="[^"]+", scope="mcp"$/ : /^Bearer$/
        assert.match(String(answer.headers['www-authenticate']), challenge, name)
      })
      if (route.access !== 'admin') continue
      await server.records([{ action: 'access_denied', result: 'denied' }], async () => {
        assert.equal((await send(route.method, at, {}, undefined, token)).status, 403, name)
      })
    }
  })

  itOnce('answers invalid HTTP and oversized heads with a problem too', async () => {
    for (const [bytes, status, code] of [
      ['GARBAGE\r\n\r\n', 400, 'malformed'],
      [`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
      [
        'POST /api/v1/buckets HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
        400,
        'malformed',
      ],
    ] as const) {
      const text = await raw(bytes)
      assert.match(text, new RegExp(`^HTTP/1.1 ${status} `), text.slice(0, 100))
      assert.match(text, new RegExp(`"code":"${code}"`))
      assert.match(text, /X-Request-Id: \S+/i)
      assert.match(text, /x-content-type-options: nosniff\r/i)
      assert.match(text, /content-security-policy: default-src 'none'/i)
    }
  })

  itOnce('sends 100 Continue only when it wants the body', async () => {
    const put = (length: number, token = server.adminToken) =>
      `PUT /api/v1/buckets/http/objects/expected HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`
    assert.match(await raw(put(5), /100 Continue/), /^HTTP\/1.1 100 Continue/)
    const refused = await raw(put(5000))
    assert.match(refused, /^HTTP\/1.1 413 /)
    assert.match(refused, /connection: close/i)
    assert.match(await raw(put(5, 'nonsense')), /^HTTP\/1.1 401 /)
    const reader = await server.userWith({ bucket_pattern: 'http', actions: ['read'] })
    await server.records([{ action: 'access_denied', result: 'denied' }], async () => {
      assert.match(await raw(put(5, reader)), /^HTTP\/1.1 403 /)
    })
    const json =
      'POST /api/v1/auth/refresh HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n'
    assert.match(await raw(json, /100 Continue/), /^HTTP\/1.1 100 Continue/)
    const other = await send('GET', '/healthz', { expect: 'something' })
    assert.deepEqual([other.status, other.json().code], [417, 'expectation_failed'])
  })

  itOnce('answers a refused body without cutting the client off', async () => {
    const big = 'x'.repeat(3_000_000)
    const answer = await send('PUT', '/api/v1/buckets/http/objects/big', {}, big)
    assert.deepEqual([answer.status, answer.json().code], [413, 'quota_exceeded'])
    const chunked = await send('PUT', '/api/v1/buckets/http/objects/big', { 'transfer-encoding': 'chunked' }, big)
    assert.deepEqual([chunked.status, chunked.json().code], [413, 'quota_exceeded'])
    assert.equal((await server.stored()).length, 0)
  })

  itOnce('reads the rest of a form that it refuses half-way, and then answers the next request', async () => {
    const auth = `Host: x\r\nAuthorization: Bearer ${server.adminToken}\r\n`
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="big"\r\n\r\n'
    const length = part.length + 3_000_000
    const form = `POST /api/v1/buckets/http/objects HTTP/1.1\r\n${auth}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${length}\r\n\r\n${part}${'x'.repeat(3_000_000)}`
    const text = await raw(`${form}GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`, /HTTP\/1.1 200/)
    assert.deepEqual(text.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 413', 'HTTP/1.1 200'])
  })

  itOnce('carries the request id and the security headers everywhere', async () => {
    const ids = new Set<string>()
    for (const at of ['/healthz', '/api/v1/buckets', '/api/v1/nothing', '/docs', '/redoc', '/openapi.json']) {
      const { headers } = await send('GET', at)
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/)
      ids.add(String(headers['x-request-id']))
      assert.equal(headers['x-content-type-options'], 'nosniff', at)
      assert.equal(headers['x-frame-options'], 'DENY', at)
      assert.equal(headers['referrer-policy'], 'no-referrer', at)
      assert.match(String(headers['content-security-policy']), /default-src 'none'/, at)
      assert.equal(headers['x-powered-by'] ?? headers.server, undefined)
    }
    assert.equal(ids.size, 6)
    const { headers } = await send('POST', '/api/v1/buckets', JSON_TYPE, '{"name":"with-id"}')
    const [record] = (await allActions(server.database)).slice(-1)
    assert.equal(record?.request_id, headers['x-request-id'])
  })

  itOnce(
    'says whether it is alive and ready',
    { skip: onS3 && 'a folder can be moved away, an engine not' },
    async () => {
      assert.deepEqual((await send('GET', '/healthz', {}, undefined, '')).json(), { status: 'ok' })
      assert.deepEqual((await send('GET', '/readyz')).json(), {
        status: 'ready',
        database: { ok: true },
        storage: { ok: true },
      })
      const blobs = path.join(server.folder, 'blobs')
      fs.renameSync(blobs, `${blobs}-away`)
      assert.equal((await send('GET', '/readyz')).status, 200, 'what was found holds for a second')
      server.clock.advance(1000)
      const answer = await send('GET', '/readyz')
      fs.renameSync(`${blobs}-away`, blobs)
      assert.equal(answer.status, 503)
      assert.equal(answer.json<{ storage: { ok: boolean } }>().storage.ok, false)
      assert.doesNotMatch(answer.body.toString(), /ENOENT/)
      const before = server.logged().split('is not ready').length
      for (let i = 0; i < 20; i++) await send('GET', '/readyz')
      assert.equal(server.logged().split('is not ready').length, before, 'nobody looked again')
      server.clock.advance(1000)
      assert.equal((await send('GET', '/readyz')).status, 200)
    },
  )

  if (engine === 'postgres')
    it('is not ready without its database, and hides why', async () => {
      const other = await startServer(engine, STORED)
      try {
        const name = new URL(other.env.DATABASE_URL ?? '').pathname.slice(1)
        await server.database.db.getExecutor().executeQuery(CompiledQuery.raw(`drop database ${name} with (force)`))
        for (const [at, status] of [
          ['/healthz', 200],
          ['/readyz', 503],
          ['/api/v1/auth/me', 500],
        ] as const) {
          const answer = await request({ url: other.url, path: at, token: other.adminToken })
          assert.equal(answer.status, status, at)
          assert.doesNotMatch(answer.body.toString(), /strongroom_test|does not exist|terminat/)
        }
      } finally {
        await other.stop()
      }
    })

  it('hides what went wrong on our side, and logs it under the request id', async () => {
    await server.database.transaction((tx) => tx.schema.alterTable('shares').renameTo('shares_away').execute())
    const answer = await send('GET', '/api/v1/share')
    await server.database.transaction((tx) => tx.schema.alterTable('shares_away').renameTo('shares').execute())
    assert.deepEqual([answer.status, answer.json().code], [500, 'internal'])
    assert.doesNotMatch(answer.body.toString(), /shares/)
    const line = server
      .logged()
      .split('\n')
      .find((one) => one.includes(String(answer.headers['x-request-id'])) && one.includes('"level":50'))
    assert.match(line ?? '', /shares/)
    assert.doesNotMatch(server.logged(), new RegExp(server.adminToken.slice(-20)))
  })

  itOnce('uses only the path of an absolute-form target (RFC 9112 section 3.2.2)', async () => {
    const put = (target: string) =>
      raw(
        `PUT ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.adminToken}\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx`,
      )
    const key = 'absolute/b c'
    await server.records([{ action: 'upload', bucket: 'http', key }], async () => {
      assert.match(await put('http://x/api/v1/buckets/http/objects/absolute/b%20c?'), /^HTTP\/1.1 201 /)
      // Two parsers could read another host in it.
      assert.match(await put('http://any.example/api/v1/buckets/http/objects/absolute/b%20c?'), /^HTTP\/1.1 400 /)
    })
    const { items } = await server.admin.listObjects({ params: { bucket: 'http' }, query: { prefix: 'abs' } })
    assert.deepEqual(
      items.map((one) => one.key),
      [key],
    )
    await server.admin.deleteObject({ params: { bucket: 'http', key }, query: { permanent: true } })
    await server.records([], async () => {
      assert.match(await put('http://x'), /^HTTP\/1.1 404 /)
      assert.match(await put('ftp://any.example/api/v1/buckets/http/objects/x'), /^HTTP\/1.1 4\d\d /)
    })
    assert.match(await raw('GET HTTP://x?a=%zz HTTP/1.1\r\nHost: x\r\n\r\n', /\}/), /^HTTP\/1.1 400 /)
  })
})
