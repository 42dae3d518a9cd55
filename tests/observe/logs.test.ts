import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { Writable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { AGENT_TOKEN_START, MCP_TOKEN_START, newTokenValue, TOKEN_START } from '../../server/access/tokens/value.ts'
import { createLog, redacted } from '../../server/observe/log.ts'
import { halfSent } from '../support/half-sent.ts'
import { request } from '../support/http.ts'
import { describeEngines, onS3, STORED, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

interface Line {
  level: number
  msg: string
  request_id?: string
  route?: string
  [field: string]: unknown
}
const MIB = 1024 ** 2
const WARN = 40
const INFO = 30
/** Every line has to be JSON by itself. */
const linesOf = (server: TestServer): Line[] =>
  server
    .logged()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
/** The line of a request, which is written when its answer has gone. */
async function lineOf(server: TestServer, id: unknown): Promise<Line> {
  const find = () => linesOf(server).find((line) => line.request_id === id && /request$/.test(line.msg))
  await until(() => find() !== undefined)
  return find() as Line
}

describeEngines('the log', (engine, itOnce) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine, { ...STORED, SLOW_REQUEST_MS: '2000' })
    await server.admin.createBucket({ body: { name: 'logs' } })
  })
  after(() => server.stop())
  const send = (path: string, options: Partial<Parameters<typeof request>[0]> = {}) =>
    request({ url: server.running.url, path, token: server.adminToken, ...options })

  it('has one line per request: who, what, how long, how much, and what it waited for', async () => {
    const path = '/api/v1/buckets/logs/objects/folder/a%20key.txt'
    const { headers } = await send(path, { method: 'PUT', body: 'x'.repeat(50_000) })
    const line = await lineOf(server, headers['x-request-id'])
    const { id } = await server.admin.me()
    assert.equal(line.level, INFO)
    assert.equal(line.msg, 'request')
    assert.equal(line.method, 'PUT')
    assert.equal(line.route, '/api/v1/buckets/{bucket}/objects/{key}')
    assert.equal(line.status, 201)
    assert.equal(line.user_id, id)
    assert.ok(Number(line.bytes_in) > 50_000 && Number(line.bytes_in) < 55_000)
    assert.ok(Number(line.bytes_out) > 200 && Number(line.bytes_out) < 5000)
    assert.ok(Number(line.statements) >= 4 && Number(line.database_ms) > 0 && Number(line.storage_ms) > 0)
    assert.ok(Number(line.ms) >= Number(line.storage_ms))
    const { headers: read } = await send(path)
    assert.ok(Number((await lineOf(server, read['x-request-id'])).bytes_out) > 50_000)
    const { headers: missing } = await send('/nothing/here', { method: 'DELETE' })
    assert.equal((await lineOf(server, missing['x-request-id'])).route, 'unmatched')
    for (const id of [headers, read, missing].map((one) => one['x-request-id']))
      assert.equal(linesOf(server).filter((one) => one.request_id === id).length, 1)
    assert.doesNotMatch(server.logged(), /a%20key|a key|nothing\/here/)
  })

  it('names the request in every line that is written on its behalf', async () => {
    await server.database.transaction((tx) => tx.schema.alterTable('jobs').renameTo('jobs_away').execute())
    const { headers, status } = await send('/api/v1/jobs')
    await server.database.transaction((tx) =>
      tx.schema
        .alterTable('jobs_away' as 'jobs')
        .renameTo('jobs')
        .execute(),
    )
    assert.equal(status, 500)
    const id = headers['x-request-id']
    await lineOf(server, id)
    const own = linesOf(server).filter((line) => line.request_id === id)
    assert.deepEqual(own.map((line) => line.level).sort(), [INFO, 50])
    if (!onS3) {
      // From a service, which knows nothing of requests.
      const blobs = path.join(server.folder, 'blobs')
      fs.renameSync(blobs, `${blobs}-away`)
      // An answer to a probe stands for a second.
      server.clock.advance(1001)
      const { headers: probe } = await send('/readyz')
      fs.renameSync(`${blobs}-away`, blobs)
      const told = linesOf(server).find((line) => line.msg === 'the storage is not ready')
      assert.equal(told?.request_id, probe['x-request-id'])
    }
    for (const line of linesOf(server))
      if (/request/.test(line.msg) || line.level === 50) assert.match(line.request_id ?? '', /^[0-9a-f-]{36}$/)
  })

  itOnce('stays one line of JSON for each entry whatever callers write', async () => {
    const nasty = 'x\n{"level":60,"msg":"forged"}\r\n\u2028\u0000\u001b[31m"\\'
    const before = linesOf(server).length
    const path = `/api/v1/buckets/logs/objects/${encodeURIComponent(nasty.replace('\u0000', ''))}`
    const headers = { 'user-agent': 'agent \u00ff"},{"level":60', 'x-meta-a': 'b"c' }
    const { headers: sent } = await send(path, { method: 'PUT', body: 'x', headers })
    await lineOf(server, sent['x-request-id'])
    // A denial quotes the key in its detail; the log of the process gets it by an error.
    const lines: string[] = []
    const to = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    })
    const log = createLog('info', to)
    log.error({ err: new Error(nasty), key: nasty, [nasty]: nasty }, nasty)
    assert.equal(lines.length, 1)
    assert.equal(lines[0]?.indexOf('\n'), (lines[0]?.length ?? 0) - 1)
    const line = JSON.parse(lines[0] ?? '') as Line & { err: { message: string } }
    assert.deepEqual([line.level, line.msg, line.key, line.err.message], [50, nasty, nasty, nasty])
    assert.equal(linesOf(server).length, before + 1)
    assert.equal(linesOf(server).filter(({ level }) => level === 60).length, 0)
  })

  itOnce('keeps tokens of links, signed URLs, uploads, logins and cookies out', async () => {
    const { admin, secrets } = server
    await admin.putObject({ params: { bucket: 'logs', key: 'shared' }, body: 'x' })
    const password = 'a password of a link'
    const share = await admin.shareObject({
      params: { bucket: 'logs', key: 'shared' },
      query: {},
      body: { password },
    })
    const signed = await admin.presignObject({ params: { bucket: 'logs' }, body: { key: 'shared' } })
    const upload = await admin.initUpload({ params: { bucket: 'logs' }, body: { key: 'parts', file_size: 10 } })
    const part = upload.urls[0] ?? ''
    for (const one of [password, share.token, new URL(signed.url).pathname.split('/').at(-1), part.split('/').at(-1)])
      secrets.add(one ?? '')
    secrets.add('cookie-value-of-a-session').add('wrong password of a login').add('refresh-token-value-1234567890')
    for (const path of [
      `/public/s/${share.token}`,
      `/api/v1/public/s/${share.token}?password=${encodeURIComponent(password)}`,
      `/public/s/${share.token}/%zz`,
      `/s/${share.token}`,
      `/s/${share.token}/nothing`,
      `/console/s/${share.token}`,
      new URL(signed.url).pathname,
      `${new URL(signed.url).pathname}x`,
      new URL(part).pathname,
      `/nothing?token=${share.token}&access_token=refresh-token-value-1234567890`,
    ])
      await send(path, { headers: { cookie: 'session=cookie-value-of-a-session' } })
    await send(new URL(part).pathname, { method: 'PUT', body: '0123456789' })
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ username: 'nobody@example.com', password: 'wrong password of a login' })
    await send('/api/v1/auth/token', { method: 'POST', headers: form, body: body.toString() })
    const json = { 'content-type': 'application/json' }
    const refresh = JSON.stringify({ refresh_token: 'refresh-token-value-1234567890' })
    await send('/api/v1/auth/refresh', { method: 'POST', headers: json, body: refresh })
    const { headers } = await send('/api/v1/auth/me')
    await lineOf(server, headers['x-request-id'])
    // That none of them is in the log is asserted when the server stops.
  })
})

describe('slow requests', () => {
  it('are logged as warnings with what they waited for', async () => {
    const server = await startServer('sqlite', { ...STORED, SLOW_REQUEST_MS: '1' })
    const route = '/api/v1/auth/token'
    const login = linesOf(server).find((line) => line.route === route)
    assert.deepEqual([login?.level, login?.msg], [WARN, 'slow request'])
    assert.ok(Number(login?.ms) >= 1 && Number(login?.database_ms) > 0)
    const { body } = await request({ url: server.running.url, path: '/metrics' })
    assert.match(
      body.toString(),
      new RegExp(`strongroom_http_slow_requests_total\\{method="POST",route="${route}"\\} 1\n`),
    )
    await server.stop()
  })

  it('do not include those of slow clients', async (t) => {
    const server = await startServer('sqlite', { ...STORED, SLOW_REQUEST_MS: '700' })
    await server.admin.createBucket({ body: { name: 'slow' } })
    const real = performance.now.bind(performance)
    let later = 0
    t.mock.method(performance, 'now', () => real() + later)
    const request = {
      line: 'PUT /api/v1/buckets/slow/objects/x',
      headers: { Authorization: `Bearer ${server.adminToken}` },
      body: Buffer.alloc(MIB),
    }
    const blobs = path.join(server.folder, 'blobs')
    const written = () =>
      fs
        .readdirSync(blobs, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .reduce((sum, { parentPath, name }) => sum + fs.statSync(path.join(parentPath, name)).size, 0)
    const answer = await halfSent(server.url, request, async () => {
      await until(() => written() >= MIB / 4)
      // Behind a whole request it has read all that came, and waits for its client: a second, by its clock.
      await fetch(`${server.url}/healthz`)
      later += 1000
    })
    assert.equal(answer.status, 201)
    const find = () => linesOf(server).find(({ msg, method }) => method === 'PUT' && /request$/.test(msg))
    await until(() => find() !== undefined)
    const upload = find() as Line
    assert.ok(Number(upload.client_ms) >= 1000 && Number(upload.ms) > 1000, JSON.stringify(upload))
    assert.equal(upload.level, INFO)
    await server.stop()
  })
})

describe('redaction', () => {
  const line = (fields: object) => JSON.stringify({ level: 30, ...fields, msg: 'x' })

  it('removes credentials, wherever they appear', () => {
    const token = 'q7Jz0Vt3Xn9RkLwP2sBd8FhYc5GmAe1U4iToZxKvWyE'
    const cases: [object, string][] = [
      [{ url: `https://files.example.com/public/s/${token}` }, token],
      [{ url: `/api/v1/public/s/${token}/folder/file` }, token],
      [{ url: `https://files.example.com/s/${token}` }, token],
      [{ url: `/console/s/${token}?lang=en` }, token],
      [{ url: `/api/v1/signed/0a1b2c3d.${token}.${token}?download=1` }, token],
      [{ url: `/api/v1/parts/0a1b2c3d.${token}` }, token],
      [{ url: `https://files.example.com/console/setup#${token}` }, token],
      [{ url: `https://files.example.com/console/invitation#${token}` }, token],
      [{ url: `https://files.example.com/console/password-reset#${token}` }, token],
      [{ url: `https://s3/b/k?X-Amz-Algorithm=x&X-Amz-Credential=AKIA%2Fx&X-Amz-Signature=${token}` }, token],
      [{ url: 'https://s3/b/k?X-Amz-Security-Token=FwoGZXIvYXdzEBYaDH&a=1' }, 'FwoGZXIvYXdzEBYaDH'],
      [{ url: 'https://idp/callback?code=0.AXkA-code-of-a-login&state=stateful' }, 'code-of-a-login'],
      [{ body: 'username=a&password=hunter2-hunter2&x=1' }, 'hunter2'],
      [{ body: 'password=hunter2-hunter2' }, 'hunter2'],
      [{ err: { message: 'connect to postgres://strongroom:hunter2@db/strongroom failed' } }, 'hunter2'],
      [{ headers: { authorization: 'Basic aHVudGVyMjpodW50ZXIy' } }, 'aHVudGVyMjpodW50ZXIy'],
      [{ deep: [{ config: { headers: { Authorization: `Token ${token}` } } }] }, token],
      [{ headers: { cookie: `a=b; refresh=${token}` } }, token],
      [{ headers: { 'set-cookie': [`refresh=${token}; HttpOnly`, 'x'] } }, token],
      [{ text: `sent Bearer ${token} to it` }, token],
      [{ password: 'with "quotes" and \\ and \n' }, 'quotes'],
      [{ body: JSON.stringify({ new_password: 'with "quotes" in it', a: 1 }) }, 'quotes'],
      [{ client_secret: 'hunter2' }, 'hunter2'],
      [{ err: { secretAccessKey: 'hunter2' } }, 'hunter2'],
      ...[TOKEN_START, AGENT_TOKEN_START, MCP_TOKEN_START].map((start): [object, string] => {
        const value = newTokenValue(start)
        return [{ text: value }, value.slice(-20)]
      }),
      [{ text: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }, 'MfKQ9r8'],
      [{ METRICS_TOKEN: 'x', text: 'authorization=Bearer%20abcdefghijk' }, 'abcdefghijk'],
    ]
    for (const [fields, secret] of cases) {
      const text = redacted(line(fields))
      assert.ok(!text.includes(secret), text)
      assert.match(text, /\[redacted\]/)
      assert.equal((JSON.parse(text) as { msg: string }).msg, 'x', 'and the rest stays JSON')
    }
  })

  it('removes texts with any characters, and what is left of truncated ones', () => {
    const piece = fc.constantFrom('\\', '"', "'", '\n', ',', ':', '{', '}', ' ', 'x', 'ä', '\\"', '\u0007')
    const around = fc.array(piece, { maxLength: 12 }).map((all) => all.join(''))
    fc.assert(
      fc.property(around, around, fc.nat(40), (before, after, cut) => {
        const told = JSON.stringify({ a: 1, token: `${before}hunter2hunter2${after}`, b: 2 })
        for (const body of [told, told.slice(0, told.length - cut)]) {
          const text = redacted(line({ body }))
          assert.ok(!text.includes('hunter2'), text)
          assert.equal((JSON.parse(text) as { msg: string }).msg, 'x')
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('takes linear time', () => {
    const piece = fc.constantFrom(
      ...[
        '\\',
        '\\\\',
        '"',
        '\\"',
        '\\\\\\"',
        'token',
        '\\"token\\":\\"',
        '"token":[',
        '"token":"',
        ':',
        ' ',
        'x',
        '\n',
      ],
      ...['eyJ', '.', 'Bearer ', '/public/s/', 'a://', '@', 'code=', '-', '%', '&', 'svc_pat_', 'whsec_'],
    )
    const spent = () => {
      const { user, system } = process.threadCpuUsage()
      return (user + system) / 1000
    }
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), fc.array(piece, { maxLength: 3 }), (body, end) => {
        const unit = body.join('')
        const text = `{"x":"\\"token\\":\\"=@${unit.repeat(Math.ceil(20_000 / unit.length))}${end.join('')}`
        let least = Number.POSITIVE_INFINITY
        for (let i = 0; i < 3 && least > 200; i++) {
          const began = spent()
          redacted(text)
          least = Math.min(least, spent() - began)
        }
        assert.ok(least <= 200, `${least} ms for ${unit}`)
      }),
      { numRuns: 500 },
    )
  })

  it('leaves alone what helps', () => {
    for (const fields of [
      { err: { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:5432' } },
      { checkpoint: { signature: 'abcdefghijklmnopqrstuvwxyz', key_id: 'x' } },
      { route: '/api/v1/public/s/{token}', token_id: '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10' },
      { url: 'https://files.example.com/a/b?prefix=x&limit=10' },
      { address: '10.0.0.1', email: 'someone@example.com' },
    ])
      assert.equal(redacted(line(fields)), line(fields))
  })
})
