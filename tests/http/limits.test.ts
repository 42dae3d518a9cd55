import assert from 'node:assert/strict'
import { it } from 'node:test'
import { api } from '../../contract/index.ts'
import { type RouteSpec, rateOf } from '../../contract/route.ts'
import { request } from '../support/http.ts'
import { describeOnce, startServer } from '../support/server.ts'

describeOnce('rate limits and origins', (engine) => {
  it('limits public requests by address, and costly ones by user', async () => {
    const server = await startServer(engine, {
      TRUSTED_PROXIES: 'loopback',
      RATE_LIMIT_PUBLIC: '5',
      RATE_LIMIT_COSTLY: '3',
    })
    try {
      await server.admin.createBucket({ body: { name: 'limits' } })
      await server.admin.putObject({ params: { bucket: 'limits', key: 'x' }, body: 'x' })
      const from = (ip: string, path = '/api/v1/public/s/none') =>
        request({ url: server.url, path, headers: { 'x-forwarded-for': ip } })
      const statuses = async (n: number, ask: () => Promise<{ status: number }>) =>
        (await Array.fromAsync({ length: n }, ask)).map(({ status }) => status)
      await server.records([], async () => {
        assert.deepEqual(await statuses(6, () => from('203.0.113.1')), [410, 410, 410, 410, 410, 429])
        const refused = await from('203.0.113.1')
        assert.equal(refused.json().code, 'rate_limited')
        assert.equal(refused.headers['retry-after'], '60')
        assert.equal((await from('203.0.113.2')).status, 410, 'another address')
        let n = 0
        assert.deepEqual(await statuses(6, () => from(`2001:db8::${++n}`)), [410, 410, 410, 410, 410, 429], 'one /64')
        assert.equal((await from('2001:db8:0:1::1')).status, 410, 'another /64')
        assert.equal((await from('203.0.113.1', '/healthz')).status, 200, 'health checks do not count')
        assert.equal((await from('203.0.113.1', '/api/v1/signed/none')).status, 403, 'nor do signed URLs')
      })
      const archive = (token: string) =>
        request({ url: server.url, path: '/api/v1/buckets/limits/objects/archive?prefix=x', token })
      const kim = await server.userWith({ bucket_pattern: 'limits', actions: ['read', 'list'] })
      assert.deepEqual(await statuses(4, () => archive(kim)), [200, 200, 200, 429])
      assert.equal((await archive(server.adminToken)).status, 200, 'another person')
      assert.equal((await server.as(kim).listBuckets()).items.length, 1, 'the rest is not limited')
      server.clock.advance(60_000)
      assert.equal((await archive(kim)).status, 200)
      assert.equal((await from('203.0.113.1')).status, 410)
    } finally {
      await server.stop()
    }
  })

  it('limits everything open to all, but health checks, signed URLs and reports of engines', () => {
    const unlimited = Object.entries<RouteSpec>(api)
      .filter(([, route]) => route.access === 'public' && rateOf(route) === 'none')
      .map(([name]) => name)
    assert.deepEqual(unlimited.sort(), [
      'getSigned',
      'getSignedFile',
      'headSigned',
      'healthz',
      'putPart',
      'putSharedPart',
      'putSigned',
      'readyz',
      'receiveEvents',
    ])
  })

  it('lets pages of other origins in only where CORS_ORIGINS names them, and never with cookies', async () => {
    const ask = (url: string, method: string, origin: string | undefined, more = {}, path = '/api/v1/auth/config') =>
      request({ url, path, method, headers: { ...(origin ? { origin } : {}), ...more } })
    const preflight = {
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization,if-match',
    }
    const allowed = (answer: { headers: Record<string, unknown> }) => answer.headers['access-control-allow-origin']
    const closed = await startServer(engine)
    const open = await startServer(engine, { CORS_ORIGINS: 'https://app.example, http://localhost:5173' })
    const wide = await startServer(engine, { CORS_ORIGINS: '*' })
    try {
      for (const method of ['GET', 'OPTIONS', 'POST'])
        for (const { url } of [closed, open])
          for (const origin of [
            'https://evil.example',
            'null',
            'https://app.example.evil',
            'https://app.example:444',
            undefined,
          ]) {
            const { headers } = await ask(url, method, origin, method === 'OPTIONS' ? preflight : {})
            assert.deepEqual(
              Object.keys(headers).filter((name) => name.startsWith('access-control')),
              [],
            )
          }
      const refused = await ask(closed.url, 'OPTIONS', 'https://app.example', preflight)
      assert.deepEqual([refused.status, refused.headers.vary], [405, undefined])

      const answer = await ask(open.url, 'OPTIONS', 'https://app.example', preflight)
      assert.equal(answer.status, 204)
      assert.equal(allowed(answer), 'https://app.example')
      assert.match(String(answer.headers['access-control-allow-methods']), /\bPUT\b/)
      assert.equal(answer.headers['access-control-allow-headers'], 'authorization,if-match')
      assert.match(String(answer.headers.vary), /origin/)
      const simple = await ask(open.url, 'GET', 'http://localhost:5173')
      assert.equal(allowed(simple), 'http://localhost:5173')
      assert.match(
        String(simple.headers['access-control-expose-headers']),
        /etag.*x-checksum-crc32\b.*x-checksum-sha256/,
      )
      const problem = await ask(open.url, 'GET', 'https://app.example', {}, '/api/v1/auth/me')
      assert.deepEqual([problem.status, allowed(problem)], [401, 'https://app.example'], 'a page may read refusals')
      assert.match(String((await ask(open.url, 'GET', undefined)).headers.vary), /origin/, 'caches keep them apart')
      for (const path of ['/console/', '/docs', '/', '/redoc'])
        assert.equal(allowed(await ask(open.url, 'GET', 'https://app.example', {}, path)), undefined, path)

      assert.equal(allowed(await ask(wide.url, 'GET', 'https://any.example')), '*')
      for (const { url } of [open, wide]) {
        const all = [
          await ask(url, 'GET', 'https://app.example'),
          await ask(url, 'OPTIONS', 'https://app.example', preflight),
        ]
        for (const { headers } of all) assert.equal(headers['access-control-allow-credentials'], undefined)
        const cookie = await request({
          url,
          path: '/api/v1/auth/refresh?session=cookie',
          method: 'POST',
          body: '{}',
          headers: {
            'content-type': 'application/json',
            origin: 'https://app.example',
            cookie: 'strongroom_refresh=x',
          },
        })
        assert.equal(cookie.status, 403, 'the cookie is for our own origin still')
      }
    } finally {
      for (const server of [closed, open, wide]) await server.stop()
    }
  })
})
