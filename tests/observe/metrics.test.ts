import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { CompiledQuery } from 'kysely'
import { backupMetrics } from '../../server/observe/backup-metrics.ts'
import { eventMetrics, poolMetrics, probeMetrics, snapshotMetrics } from '../../server/observe/instruments.ts'
import { queueMetrics } from '../../server/observe/shared-metrics.ts'
import { SEGMENT_BYTES } from '../../server/segments/layout.ts'
import { request } from '../support/http.ts'
import { parseMetrics, typesOf } from '../support/metrics.ts'
import { describeEngines, onS3, STORED, startServer, type TestServer } from '../support/server.ts'

const scrapeText = async (server: TestServer): Promise<string> => {
  const answer = await request({ url: server.running.url, path: '/metrics' })
  assert.equal(answer.status, 200)
  return answer.body.toString()
}
const scrape = async (server: TestServer) => parseMetrics(await scrapeText(server))

describeEngines('metrics', (engine, itOnce) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine, STORED)
    await server.admin.createBucket({ body: { name: 'metered-b', trash_days: 0 } })
  })
  after(() => server.stop())
  const put = (key: string, body: string) =>
    request({
      url: server.running.url,
      path: `/api/v1/buckets/metered-b/objects/${key}`,
      method: 'PUT',
      body,
      token: server.adminToken,
    })

  itOnce('reports what requests really did', async () => {
    await put('warm', 'up')
    const before = await scrape(server)
    const size = 100_000
    for (let i = 0; i < 3; i++) assert.equal((await put(`file-${i}`, 'x'.repeat(size))).status, 201)
    const at = '/api/v1/buckets/metered-b/objects/file-1'
    const got = await request({ url: server.running.url, path: at, token: server.adminToken })
    assert.equal(got.body.length, size)
    const part = { range: 'bytes=0-9' }
    await request({ url: server.running.url, path: at, token: server.adminToken, headers: part })
    await request({ url: server.running.url, path: at })
    await request({ url: server.running.url, path: '/api/v1/buckets/metered-b/objects/none', token: server.adminToken })
    const now = await scrape(server)
    const grown = (name: string) => (now.get(name) ?? 0) - (before.get(name) ?? 0)
    const route = 'route="/api/v1/buckets/{bucket}/objects/{key}"'
    assert.equal(grown(`strongroom_http_requests_total{method="PUT",${route},status="2xx"}`), 3)
    assert.equal(grown(`strongroom_http_requests_total{method="GET",${route},status="2xx"}`), 2)
    assert.equal(grown(`strongroom_http_requests_total{method="GET",${route},status="4xx"}`), 2)
    assert.equal(grown(`strongroom_http_request_duration_seconds_count{method="PUT",${route}}`), 3)
    assert.ok(grown(`strongroom_http_request_duration_seconds_sum{method="PUT",${route}}`) > 0)
    assert.equal(grown('strongroom_actions_total{action="upload"}'), 3)
    assert.equal(grown('strongroom_storage_written_bytes_total'), 3 * size)
    // A range is read in whole segments, which have the checksums that it is compared with.
    assert.equal(grown('strongroom_storage_read_bytes_total'), size + SEGMENT_BYTES)
    assert.equal(grown('strongroom_storage_operation_seconds_count{operation="put"}'), 3)
    assert.equal(grown('strongroom_storage_operation_seconds_count{operation="get"}'), 2)
    // Heads are counted as well.
    const [received, sent] = [grown('strongroom_http_received_bytes_total'), grown('strongroom_http_sent_bytes_total')]
    assert.ok(received > 3 * size && received < 3 * size + 20_000, `${received} received`)
    assert.ok(sent > size && sent < size + 60_000, `${sent} sent`)
    assert.ok(grown('strongroom_database_statement_seconds_count{kind="commit"}') >= 3)
    assert.ok(grown('strongroom_database_statement_seconds_count{kind="insert"}') >= 3)
    assert.equal(now.get('strongroom_http_requests_in_flight'), 1, 'the scrape itself')
    if (engine === 'sqlite') assert.ok(grown('strongroom_database_sync_seconds_count') >= 3)
    else {
      assert.ok((now.get('strongroom_database_connections{state="idle"}') ?? 0) > 0)
      assert.equal(now.get('strongroom_database_connections_max'), 20)
    }
    assert.ok((now.get('process_resident_memory_bytes') ?? 0) > 1e7)
    assert.ok(now.has('nodejs_eventloop_lag_p99_seconds'))
    const build = [...now.keys()].find((name) => name.startsWith('strongroom_build_info'))
    assert.match(build ?? '', new RegExp(`database="${engine}"`))
  })

  itOnce('has as many series after 200 paths as after a few, and no name of anything of users in them', async () => {
    const ask = (at: string, method = 'GET') =>
      request({ url: server.running.url, path: at, method, token: server.adminToken })
    const askAll = async (from: number, to: number) => {
      for (let i = from; i < to; i++) {
        await ask(`/api/v1/buckets/metered-b/objects/secret-key-${i}`)
        await ask(`/api/v1/buckets/hidden-bucket-${i}/browse`)
        await ask(`/hidden-path/${i}`)
        await ask(`/public/s/hidden-token-${i}-0123456789012345678901234567`)
        await ask(`/console/hidden-view-${i}`)
        await ask('/%zz')
        await ask(`/api/v1/x-${i}`, ['PROPFIND', 'MKCOL', 'LOCK'][i % 3])
      }
    }
    await askAll(0, 3)
    const few = await scrape(server)
    await askAll(3, 200)
    const text = await scrapeText(server)
    const many = parseMetrics(text)
    const added = [...many.keys()].filter((name) => !few.has(name) && !/^(process|nodejs)_/.test(name))
    assert.deepEqual(added, [])
    assert.doesNotMatch(text, /metered|hidden|secret-key|example\.com|admin@/)
    assert.ok((many.get('strongroom_http_requests_total{method="GET",route="unmatched",status="4xx"}') ?? 0) >= 200)
    assert.ok((many.get('strongroom_http_requests_total{method="other",route="unreadable",status="4xx"}') ?? 0) >= 200)
  })

  it('reports queue lengths and ages, at most ten seconds old', async () => {
    const { admin } = server
    await server.running.tick()
    await admin.createWebhook({ body: { name: 'x', url: 'https://8.8.8.8/', events: ['upload'] } })
    await admin.putObject({ params: { bucket: 'metered-b', key: 'queued' }, body: 'x' })
    await admin.initUpload({ params: { bucket: 'metered-b' }, body: { key: 'open' } })
    await admin.deleteObject({ params: { bucket: 'metered-b', key: 'queued' }, query: { permanent: true } })
    server.clock.advance(10_000)
    const first = await scrape(server)
    assert.equal(first.get('strongroom_webhook_deliveries{state="queued"}'), 1)
    assert.equal(first.get('strongroom_webhook_deliveries{state="in_flight"}'), 0)
    assert.equal(first.get('strongroom_webhook_oldest_ready_seconds'), 10)
    assert.equal(first.get('strongroom_open_uploads'), 1)
    assert.equal(first.get('strongroom_audit_unsealed_records'), 3)
    assert.equal(first.get('strongroom_audit_oldest_unsealed_seconds'), 10)
    const before = first.get('strongroom_collector_blobs{state="check"}') ?? 0

    await admin.putObject({ params: { bucket: 'metered-b', key: 'queued' }, body: 'x' })
    server.clock.advance(9999)
    assert.equal((await scrape(server)).get('strongroom_webhook_deliveries{state="queued"}'), 1)
    server.clock.advance(1)
    assert.equal((await scrape(server)).get('strongroom_webhook_deliveries{state="queued"}'), 2)

    await server.later(3_600_000)
    const later = await scrape(server)
    assert.ok((later.get('strongroom_collector_blobs{state="check"}') ?? 0) > before)
    await server.running.tick()
    server.clock.advance(10_000)
    const done = await scrape(server)
    assert.equal(done.get('strongroom_collector_blobs{state="check"}'), 0)
    assert.ok((done.get('strongroom_collector_removed_blobs_total') ?? 0) > 0)
    assert.equal(done.get('strongroom_audit_unsealed_records'), 0)
    assert.ok((done.get('strongroom_worker_runs_total{worker="blob-collector"}') ?? 0) >= 2)
    assert.equal(
      done.get('strongroom_worker_last_success_timestamp_seconds{worker="blob-collector"}'),
      (server.clock.now().getTime() - 10_000) / 1000,
    )

    const job = { kind: 'delete', source_bucket: 'metered-b', prefix: 'none/' } as const
    const { id } = await admin.createJob({ body: job })
    await server.running.tick()
    const asQueued = { status: 'queued', finished_at: null, leased_until: null } as const
    await server.database.transaction((tx) => tx.updateTable('jobs').set(asQueued).where('id', '=', id).execute())
    server.clock.advance(60_000)
    const waiting = await scrape(server)
    assert.equal(waiting.get('strongroom_jobs{state="queued"}'), 1)
    assert.ok((waiting.get('strongroom_jobs_oldest_ready_seconds') ?? 0) >= 60)
    await server.running.tick()
  })

  it('works without the database and the storage, and reports it', async () => {
    const rename = (from: 'jobs', to: string) =>
      server.database.transaction((tx) => tx.schema.alterTable(from).renameTo(to).execute())
    await rename('jobs', 'jobs_away')
    server.clock.advance(10_000)
    const away = await scrape(server)
    await rename('jobs_away' as 'jobs', 'jobs')
    assert.equal(away.get('strongroom_database_up'), 0)
    assert.deepEqual(
      Object.keys(queueMetrics).filter((name) => [...away.keys()].some((one) => one.startsWith(name))),
      [],
    )
    assert.ok((away.get('strongroom_database_failures_total') ?? 0) > 0)
    assert.ok((away.get('strongroom_actions_total{action="upload"}') ?? 0) > 0)
    server.clock.advance(10_000)
    assert.equal((await scrape(server)).get('strongroom_database_up'), 1)
    if (onS3) return
    const blobs = path.join(server.folder, 'blobs')
    fs.renameSync(blobs, `${blobs}-away`)
    server.clock.advance(10_000)
    const gone = await scrape(server)
    fs.renameSync(`${blobs}-away`, blobs)
    assert.deepEqual([gone.get('strongroom_storage_up'), gone.get('strongroom_database_up')], [0, 1])
  })

  if (engine === 'postgres')
    it('goes on while there is no database at all', async () => {
      const other = await startServer(engine, STORED)
      try {
        const name = new URL(other.env.DATABASE_URL ?? '').pathname.slice(1)
        await server.database.db.getExecutor().executeQuery(CompiledQuery.raw(`drop database ${name} with (force)`))
        assert.equal((await scrape(other)).get('strongroom_database_up'), 0)
      } finally {
        await other.stop()
      }
    })

  itOnce('has the metrics that its tables describe, and those of the process', async () => {
    server.clock.advance(10_000)
    const told = [...typesOf(await scrapeText(server))].filter(([name]) => !/^(process|nodejs)_/.test(name))
    const tables = {
      ...eventMetrics,
      ...snapshotMetrics,
      ...probeMetrics,
      ...queueMetrics,
      ...(engine === 'postgres' ? poolMetrics : {}),
    }
    assert.deepEqual(
      told.sort(),
      Object.entries(tables)
        .map(([name, { type }]) => [name, type])
        .sort(),
    )
  })
})

describe('who may read metrics', () => {
  const ask = async (server: TestServer, headers: Record<string, string> = {}, method = 'GET') =>
    (await request({ url: server.running.url, path: '/metrics', method, headers })).status
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  async function withServer(env: Record<string, string>, work: (server: TestServer) => Promise<void>): Promise<void> {
    const server = await startServer('sqlite', env)
    try {
      await work(server)
    } finally {
      await server.stop()
    }
  }

  it('this machine, if nothing indicates that the service is published and there is no proxy', () =>
    withServer({}, async (server) => {
      assert.equal(await ask(server), 200)
      assert.equal(await ask(server, {}, 'HEAD'), 200)
      assert.equal(await ask(server, { host: 'localhost:9999' }), 200)
      const elsewhere: Record<string, string>[] = [
        { 'x-forwarded-for': '203.0.113.5' },
        { 'x-real-ip': '203.0.113.5' },
        { forwarded: 'for=203.0.113.5' },
        { via: '1.1 proxy' },
        { 'x-forwarded-proto': 'https' },
        { host: 'files.example.com' },
        { host: '127.0.0.1.example.com' },
      ]
      for (const headers of elsewhere) assert.equal(await ask(server, headers), 401, JSON.stringify(headers))
      const away = { 'x-real-ip': '203.0.113.5' }
      assert.equal(await ask(server, { ...away, ...bearer(server.adminToken) }), 200)
      const { token } = await server.admin.createToken({ body: { name: 'prometheus' } })
      assert.equal(await ask(server, { ...away, ...bearer(token) }), 200)
      const stranger = await server.userWith({ bucket_pattern: '*', actions: ['read', 'list'] })
      await server.records([{ action: 'access_denied', result: 'denied' }], async () => {
        assert.equal(await ask(server, { ...away, ...bearer(stranger) }), 403)
      })
    }))

  it('not this machine, if a public base URL or trusted proxies are set', async () => {
    const published: Record<string, string>[] = [
      { PUBLIC_BASE_URL: 'https://files.example.com' },
      { TRUSTED_PROXIES: 'loopback' },
    ]
    for (const env of published)
      await withServer(env, async (server) => {
        assert.equal(await ask(server), 401)
        assert.equal(await ask(server, bearer(server.adminToken)), 200)
      })
  })

  it('whoever has METRICS_TOKEN, and administrators; the token allows nothing else', () =>
    withServer({ METRICS_TOKEN: 'a-token-for-prometheus' }, async (server) => {
      server.secrets.add('a-token-for-prometheus')
      assert.equal(await ask(server), 401)
      assert.equal(await ask(server, bearer('a-token-for-prometheuS')), 401)
      assert.equal(await ask(server, bearer('a-token-for-prometheus')), 200)
      assert.equal(await ask(server, bearer(server.adminToken)), 200)
      const me = { url: server.running.url, path: '/api/v1/auth/me', token: 'a-token-for-prometheus' }
      assert.equal((await request(me)).status, 401)
    }))

  it('anyone with METRICS=open, and no one with METRICS=off', async () => {
    const far = { 'x-forwarded-for': '203.0.113.5', host: 'files.example.com' }
    await withServer({ METRICS: 'open', PUBLIC_BASE_URL: 'https://files.example.com' }, async (server) =>
      assert.equal(await ask(server, far), 200),
    )
    await withServer({ METRICS: 'off' }, async (server) => {
      assert.equal(await ask(server), 404)
      assert.equal(await ask(server, bearer(server.adminToken)), 404)
    })
  })
})

describe('docs/observability.md and deploy/', () => {
  const root = path.join(import.meta.dirname, '../..')
  const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8')
  const tables = {
    ...eventMetrics,
    ...snapshotMetrics,
    ...probeMetrics,
    ...poolMetrics,
    ...backupMetrics,
    ...queueMetrics,
  }

  it('names only metrics that there are', () => {
    for (const file of ['docs/observability.md', 'deploy/prometheus-rules.yaml', 'deploy/grafana-dashboard.json'])
      for (const [name] of read(file).matchAll(/\bstrongroom_[a-z_]+\b/g))
        assert.ok(name.replace(/_(bucket|sum|count)$/, '') in tables || name in tables, `${file}: ${name}`)
  })
})
