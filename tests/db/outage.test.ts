// What requests are answered while PostgreSQL, or the S3 engine, cannot be reached.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { it } from 'node:test'
import { isDatabaseOutage, noteOutage } from '../../server/db/errors.ts'
import { isOutage } from '../../server/db/postgres/errors.ts'
import { MARK } from '../../server/drivers/driver.ts'
import { type Answer, request } from '../support/http.ts'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { onS3, STORED, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/** Busy, with nothing that tells of the inside. */
function assertBusy(answer: Answer, part: 'database' | 'storage', changes: boolean): void {
  const { code, detail, request_id, ...rest } = answer.json<{ [name: string]: unknown }>()
  assert.deepEqual([answer.status, code, answer.headers['retry-after']], [503, 'busy', '2'])
  const unknown = changes ? ' The change may or may not have been made.' : ''
  const what = part === 'storage' ? 'storage of this bucket' : part
  assert.equal(detail, `The ${what} cannot be reached at the moment. Try again.${unknown}`)
  assert.equal(typeof request_id, 'string')
  assert.deepEqual(rest, { status: 503, title: 'Busy' })
}

const calls = [
  ['GET', '/api/v1/buckets', undefined],
  ['GET', '/api/v1/buckets/box/objects/f', undefined],
  ['PUT', '/api/v1/buckets/box/objects/g', 'x'],
  ['DELETE', '/api/v1/buckets/box/objects/f', undefined],
] as const
const ask = (server: TestServer, method: string, path: string, body: string | undefined) => {
  const headers = body === undefined ? {} : { 'content-type': 'text/plain' }
  return request({ url: server.url, path, method, token: server.adminToken, headers, body })
}

it('answers 503 with Retry-After while PostgreSQL is down, whoever asks, and serves again after it', async (t) => {
  const postgres = await startPostgres()
  let started: TestServer | undefined
  t.after(async () => {
    await started?.stop()
    await postgres.stop()
  })
  const database = await createDatabase(postgres.url)
  const server = await startServer('postgres', { DATABASE_URL: database.url })
  started = server
  await server.admin.createBucket({ body: { name: 'box' } })
  await server.admin.putObject({ params: { bucket: 'box', key: 'f' }, body: 'here' })

  // Requests on their way when it goes, one after the other on many connections, until it is back.
  const seen = new Map<string, number>()
  let back = false
  const storm = Array.from({ length: 8 }, async (_, n) => {
    for (let i = 0; !back; i++) {
      const answer = await ask(server, 'PUT', `/api/v1/buckets/box/objects/${n}-${i}`, 'x')
      const what = answer.status === 201 ? '201' : `${answer.status} ${answer.json().code}`
      seen.set(what, (seen.get(what) ?? 0) + 1)
      if (answer.status === 503) assertBusy(answer, 'database', true)
    }
  })
  await until(() => (seen.get('201') ?? 0) > 20)
  const restarted = postgres.restart(1500)
  await until(() => (seen.get('503 busy') ?? 0) > 20)
  for (const [method, path, body] of calls)
    assertBusy(await ask(server, method, path, body), 'database', method !== 'GET')
  await restarted
  await until(async () => (await ask(server, 'GET', '/api/v1/buckets', undefined)).status === 200)
  back = true
  await Promise.all(storm)
  assert.deepEqual([...seen.keys()].sort(), ['201', '503 busy'])
  await server.admin.putObject({ params: { bucket: 'box', key: 'after' }, body: 'x' })

  const lines = server
    .logged()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  const said = lines.filter(({ msg }) => msg === 'the database cannot be reached')
  assert.ok(said.length > 20)
  assert.ok(said.every(({ level, err, reason }) => level === 40 && err === undefined && reason))
  assert.equal(lines.filter(({ msg }) => msg === 'unexpected error').length, 0)
})

it('knows an outage by what the driver and the server say', () => {
  const outage = (error: Error) => {
    noteOutage(error, isOutage)
    return isDatabaseOutage(new Error('outer', { cause: error }))
  }
  const coded = (code: string) => Object.assign(new Error('x'), { code })
  for (const code of ['57P01', '57P02', '57P03', '53300', '08000', '08006', '08P01', 'ECONNREFUSED', 'ECONNRESET'])
    assert.ok(outage(coded(code)), code)
  for (const said of [
    'Connection terminated',
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'Connection terminated due to connection timeout',
    'Client has encountered a connection error and is not queryable',
  ])
    assert.ok(outage(new Error(said)), said)
  for (const code of ['23505', '40001', '53100', '57014', 'ENOSPC', '42601']) assert.ok(!outage(coded(code)), code)
  // Of something else than the database.
  assert.ok(!isDatabaseOutage(coded('ECONNREFUSED')))
})

it('answers 503 while the S3 engine is down or has too much to do', {
  skip: onS3 && 'brings an engine of its own',
}, async (t) => {
  let mode: 'works' | 'slow down' = 'works'
  let mark: Buffer | undefined
  const engine = http.createServer(async (incoming, response) => {
    const body = await buffer(incoming)
    {
      if (mode === 'slow down') {
        response.writeHead(503, { 'content-type': 'application/xml' })
        return response.end('<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>')
      }
      if (incoming.url?.includes(MARK)) {
        if (incoming.method === 'PUT') mark = body
        response.writeHead(mark ? 200 : 404, { etag: '"0"' })
        return response.end(incoming.method === 'PUT' ? undefined : mark)
      }
      const absent = incoming.method === 'HEAD' || incoming.method === 'GET'
      const lists = /uploads|list-type/.test(incoming.url ?? '') && incoming.method === 'GET'
      const empty = incoming.url?.includes('uploads') ? 'ListMultipartUploadsResult' : 'ListBucketResult'
      response.writeHead(lists ? 200 : absent ? 404 : 200, { etag: '"0"', 'content-type': 'application/xml' })
      return response.end(lists ? `<${empty}></${empty}>` : undefined)
    }
  })
  engine.listen(0, '127.0.0.1')
  await once(engine, 'listening')
  const { port } = engine.address() as AddressInfo
  const server = await startServer('sqlite', {
    ...STORED,
    STORAGE_URL: `s3://bucket?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`,
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'a key of tests',
  })
  t.after(() => server.stop())
  await server.admin.createBucket({ body: { name: 'box' } })
  await server.admin.putObject({ params: { bucket: 'box', key: 'f' }, body: 'here' })
  const both = async () => {
    assertBusy(await ask(server, 'PUT', '/api/v1/buckets/box/objects/g', 'x'), 'storage', true)
    assertBusy(await ask(server, 'GET', '/api/v1/buckets/box/objects/f', undefined), 'storage', false)
  }
  mode = 'slow down'
  await both()
  engine.closeAllConnections()
  await new Promise((resolve) => engine.close(resolve))
  await both()
})
