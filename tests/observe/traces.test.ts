import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { request } from '../support/http.ts'
import { bareEnv } from '../support/process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { describeEngines, STORED, serverEnv, startServer, type TestServer } from '../support/server.ts'

interface Attribute {
  key: string
  value: { stringValue?: string; intValue?: number | string }
}
interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  status: { code?: number }
}
interface Export {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[]
}
const SERVER = 2
const ERROR = 2
const attributeOf = ({ attributes }: { attributes: Attribute[] }, key: string) => {
  const value = attributes.find((one) => one.key === key)?.value
  return value?.stringValue ?? Number(value?.intValue)
}

/** Takes exports of OTLP over HTTP. */
async function startCollector() {
  const exports: Export[] = []
  const seen: http.IncomingHttpHeaders[] = []
  const server = http.createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      assert.deepEqual([incoming.method, incoming.url], ['POST', '/otlp/v1/traces'])
      seen.push(incoming.headers)
      exports.push(JSON.parse(Buffer.concat(chunks).toString()) as Export)
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/otlp/`,
    exports,
    seen,
    spans: () => exports.flatMap((one) => one.resourceSpans.flatMap((r) => r.scopeSpans.flatMap((s) => s.spans))),
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

describeEngines('traces', (engine, itOnce) => {
  let server: TestServer
  let receiver: Receiver
  let collector: Awaited<ReturnType<typeof startCollector>>
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  const caller = '00f067aa0ba902b7'

  before(async () => {
    collector = await startCollector()
    receiver = await startReceiver()
    server = await startServer(engine, {
      ...STORED,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=a%20team',
      OTEL_SERVICE_NAME: 'strongroom-of-tests',
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.1',
    })
  })
  after(async () => {
    await receiver.stop()
    await collector.stop()
  })

  itOnce('are kept by the ratio, whatever callers ask for', async () => {
    const quiet = await startServer(engine, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER_ARG: '0',
    })
    const headers = { traceparent: `00-${'0'.repeat(31)}1-${caller}-01` }
    try {
      assert.equal((await request({ url: quiet.running.url, path: '/healthz', headers })).status, 200)
      assert.doesNotMatch(quiet.logged(), /"trace_id"/)
    } finally {
      await quiet.stop()
    }
    assert.deepEqual(collector.spans(), [])
  })

  it('lead from the caller’s span to the database and the storage, without user data', async () => {
    const { admin } = server
    await admin.createBucket({ body: { name: 'traced-bucket' } })
    await admin.createWebhook({ body: { name: 'x', url: receiver.url, events: ['upload'] } })
    const put = (traceparent: string, key: string) =>
      request({
        url: server.running.url,
        path: `/api/v1/buckets/traced-bucket/objects/${key}`,
        method: 'PUT',
        token: server.adminToken,
        headers: { traceparent },
        body: 'contents-of-a-file',
      })
    const { headers } = await put(`00-${trace}-${caller}-01`, 'traced-key')
    await put('00-00000000000000000000000000000000-00f067aa0ba902b7-01', 'traced-key-2')
    await put(`00-${'a'.repeat(32)}-${caller}-00`, 'traced-key-3')
    await server.running.tick()
    await server.database.transaction((tx) => tx.schema.alterTable('blob_removals').renameTo('away').execute())
    await assert.rejects(server.running.tick())
    await server.database.transaction((tx) =>
      tx.schema
        .alterTable('away' as 'blob_removals')
        .renameTo('blob_removals')
        .execute(),
    )
    const id = headers['x-request-id']
    const lines = server.logged().split('\n')
    assert.ok(lines.some((line) => line.includes(`"request_id":"${id}"`) && line.includes(`"trace_id":"${trace}"`)))
    await server.stop()

    const spans = collector.spans()
    const own = spans.filter((span) => span.traceId === trace)
    const root = own.find((span) => span.parentSpanId === caller)
    assert.equal(root?.name, 'PUT /api/v1/buckets/{bucket}/objects/{key}')
    assert.equal(root.kind, SERVER)
    assert.equal(attributeOf(root, 'http.response.status_code'), 201)
    assert.equal(attributeOf(root, 'strongroom.request_id'), id)
    const steps = own.filter((span) => span !== root)
    for (const step of steps) {
      assert.equal(step.parentSpanId, root.spanId)
      assert.ok(BigInt(step.startTimeUnixNano) >= BigInt(root.startTimeUnixNano) - 1_000_000n)
      assert.ok(BigInt(step.endTimeUnixNano) >= BigInt(step.startTimeUnixNano))
    }
    const names = steps.map((span) => span.name)
    for (const name of ['database select', 'database insert', 'database commit', 'storage put'])
      assert.ok(names.includes(name), `${name} is not among ${names}`)
    const insert = steps.find((span) => span.name === 'database insert') as Span
    assert.match(String(attributeOf(insert, 'db.query.text')), /^insert into "\w+" .*(\$1|\?)/)
    assert.equal(attributeOf(insert, 'db.system.name'), engine === 'sqlite' ? 'sqlite' : 'postgresql')
    assert.equal(attributeOf(steps.find((span) => span.name === 'storage put') as Span, 'strongroom.storage.bytes'), 18)
    assert.ok(!own.some((span) => span.name === 'webhook attempt'), 'what a request sets off is no part of it')

    assert.equal(spans.filter((span) => span.name === root.name).length, 2, 'the third was not to be traced')
    assert.ok(!spans.some((span) => /^[0a]+$/.test(span.traceId)))
    const failed = spans.find((span) => span.name === 'worker blob-collector')
    assert.equal(failed?.status.code, ERROR)
    assert.ok(spans.some((span) => span.parentSpanId === failed.spanId && span.status.code === ERROR))
    const attempts = spans.filter((span) => span.name === 'webhook attempt')
    assert.equal(attempts.length, 3)
    assert.equal(attributeOf(attempts[0] as Span, 'strongroom.webhook.outcome'), 'acknowledged')
    assert.ok(receiver.received.length === 3 && receiver.received.every((one) => !('traceparent' in one.headers)))

    const [resource] = collector.exports.flatMap((one) => one.resourceSpans.map((r) => r.resource))
    assert.equal(attributeOf(resource ?? { attributes: [] }, 'service.name'), 'strongroom-of-tests')
    assert.equal(collector.seen[0]?.['x-team'], 'a team')
    const text = JSON.stringify(collector.exports)
    assert.doesNotMatch(text, /traced-bucket|traced-key|contents-of|example\.com|eyJ|password of|127\.0\.0\.1/)
  })
})

it('a start without traces loads nothing of the SDK', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-otel-'))
  const at = (file: string) => JSON.stringify(path.join(import.meta.dirname, '../..', file))
  const code = `
    import { registerHooks } from 'node:module'
    const seen = []
    registerHooks({ resolve(name, context, next) {
      seen.push(name)
      return next(name, context)
    } })
    const { start } = await import(${at('server/process/start.ts')})
    const { readConfig } = await import(${at('server/config/config.ts')})
    const running = await start(readConfig(process.env), { timers: false })
    await running.stop()
    console.log(seen.includes('fastify'), seen.filter((name) => /opentelemetry.(sdk|exporter|resources|otlp)/.test(name)))`
  const env = { ...bareEnv, ...serverEnv(folder), LOG_LEVEL: 'silent' }
  const file = path.join(folder, 'listen.mjs')
  fs.writeFileSync(file, code)
  const out = execFileSync(process.execPath, [file], { env, encoding: 'utf8' })
  fs.rmSync(folder, { recursive: true, force: true })
  assert.match(out, /true \[\]/)
})
