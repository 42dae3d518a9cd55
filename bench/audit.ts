import { createHmac } from 'node:crypto'
import fs from 'node:fs'
import { type Kysely, sql } from 'kysely'
import { type Client, urlOf } from '../client/derived.ts'
import { api } from '../contract/index.ts'
import { newId } from '../server/base/id.ts'
import { openDatabase } from '../server/db/open.ts'
import type { Row, Schema } from '../server/db/schema.ts'
import type { ServerProcess } from '../tests/support/process.ts'

const BATCH = 1000
const ROUNDS = 20
const USERS = 50

export interface AuditRow {
  name: string
  ours: string
  target: string
}

/**
 * Fills the audit log with `count` records, waits until the service has sealed them, and measures each filter's first
 * page, the exports and verifying. The records have no valid MAC, since only the service has the key: verifying calls
 * each of them forged, at the same cost as calling it genuine.
 */
export async function measureAudit(
  service: ServerProcess,
  client: Client,
  token: string,
  databaseUrl: string,
  count: number,
): Promise<AuditRow[]> {
  const rows: AuditRow[] = []
  const report = (name: string, ours: string, target = '') => {
    rows.push({ name, ours, target })
    console.log(`${name}: ${ours} ${target}`)
  }
  const database = await openDatabase(databaseUrl)
  const users = Array.from({ length: USERS }, () => newId())
  const began = performance.now()
  for (let i = 0; i < count; i += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - i) }, (_, j) => makeRecord(i + j, count, users))
    await database.transaction((tx) => tx.insertInto('audit_recent').values(batch).execute(), { relaxed: true })
  }
  const waiting = async () => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from audit_recent`.execute(
      database.db as Kysely<Schema>,
    )
    return Number(rows[0]?.n)
  }
  const left = await waiting()
  const sealing = performance.now()
  while ((await waiting()) > 0) await new Promise((resolve) => setTimeout(resolve, 200))
  const seconds = (performance.now() - sealing) / 1000
  report('audit: inserted while it seals', `${Math.round(count / ((sealing - began) / 1000))} rows/s`)
  if (left > 20_000) report('audit: sealed', `${Math.round(left / seconds)} rows/s`)
  await database.close()

  const filters: { [name: string]: object } = {
    'no filter': {},
    'action, common': { action: ['upload'] },
    'action, rare': { action: ['delete_bucket'] },
    'three actions': { action: ['upload', 'delete', 'login'] },
    bucket: { bucket: 'bucket-7' },
    'object_key_prefix, common': { object_key_prefix: '2026/' },
    'object_key_prefix, only old ones': { object_key_prefix: '2019/' },
    'object_key_prefix, rare': { object_key_prefix: '2026/0042/IMG_0004' },
    user_id: { user_id: users[3] },
    email: { email: 'user3@example.com' },
    'result, common': { result: 'success' },
    'result, rare': { result: 'denied' },
    'auth_method, common': { auth_method: 'local' },
    'auth_method, rare': { auth_method: 'cli' },
    token_id: { token_id: users[5] },
    ip: { ip: '10.0.0.7' },
    request_id: { request_id: 'request-77' },
    'from, to': { from: '2026-01-02T00:00:00Z', to: '2026-01-03T00:00:00Z' },
    'nothing found': { email: 'nobody@example.com' },
  }
  for (const [name, query] of Object.entries(filters)) {
    const times: number[] = []
    let total = 0
    for (let i = 0; i < ROUNDS; i++) {
      const at = performance.now()
      total = (await client.listAudit({ query })).total
      times.push(performance.now() - at)
    }
    times.sort((a, b) => a - b)
    const [median, p95] = [times[ROUNDS >> 1] ?? 0, times[Math.floor(ROUNDS * 0.95)] ?? 0]
    report(
      `audit of ${count}: ${name}`,
      `median ${median.toFixed(1)}, p95 ${p95.toFixed(1)} ms (${total})`,
      'p95 < 200 ms',
    )
  }
  let from: number | undefined
  let checked = 0
  let forged = 0
  let slowest = 0
  const probing = new AbortController()
  const probe = (async () => {
    while (!probing.signal.aborted) {
      const at = performance.now()
      await fetch(`${service.url}/healthz`)
      slowest = Math.max(slowest, performance.now() - at)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  const at = performance.now()
  do {
    const found = await client.verifyAudit({ query: { seconds: 60, ...(from === undefined ? {} : { from }) } })
    checked += found.checked
    forged += found.fault_count
    from = found.next_seq ?? undefined
  } while (from !== undefined)
  const took = (performance.now() - at) / 1000
  probing.abort()
  await probe
  report(
    `audit: verify ${checked}`,
    `${took.toFixed(1)} s, ${Math.round(checked / took)} rows/s, other requests took at most ${Math.round(slowest)} ms`,
  )
  if (forged < count) throw new Error(`verify found only ${forged} of ${count} forged records`)
  // The first export fills V8’s young generation (and SQLite’s cache of 64 MiB); what then grows is what a long one needs.
  for (const [format, query, target] of [
    ['ndjson, a tenth, the first', { format: 'ndjson' as const, action: ['delete'] }, ''],
    ['ndjson', { format: 'ndjson' as const }, '< 64 MB'],
    ['csv', { format: 'csv' as const }, '< 64 MB'],
  ] as const) {
    fs.writeFileSync(`/proc/${service.child.pid}/clear_refs`, '5')
    const before = service.memory().rss
    const at = performance.now()
    const response = await fetch(urlOf(service.url, api.exportAudit, { query }), {
      headers: { authorization: `Bearer ${token}` },
    })
    let bytes = 0
    for await (const chunk of response.body ?? []) bytes += chunk.length
    const took = (performance.now() - at) / 1000
    const mb = (service.memory().peak - before) / 1e6
    report(
      `audit: export of ${count} as ${format}`,
      `${Math.round(bytes / 1e6)} MB in ${took.toFixed(1)} s, ${Math.round(mb)} MB of RSS`,
      target,
    )
  }
  return rows
}

/** The `i`th of `count` records, with a MAC by a key that no service has. */
export function makeRecord(i: number, count: number, users: readonly string[]): Row<'audit'> {
  // Over a year; the first tenth are of years before.
  const time = new Date(Date.UTC(2026, 0, 1) + (i - count / 10) * (31_536_000_000 / count)).toISOString()
  const action = i % 10_000 === 77 ? 'delete_bucket' : i % 10 === 1 ? 'delete' : i % 10 === 2 ? 'login' : 'upload'
  const who = i % USERS
  const folder = i < count / 10 ? '2019' : '2026'
  return {
    id: newId(),
    time,
    action,
    result: i % 5000 === 9 ? 'denied' : 'success',
    status_code: null,
    error_code: null,
    actor_user_id: users[who] ?? null,
    actor_email: `user${who}@example.com`,
    actor_type: 'user',
    auth_method: i % 20_000 === 3 ? 'cli' : i % 3 === 0 ? 'pat' : 'local',
    token_id: i % 3 === 0 ? (users[who] ?? null) : null,
    session_id: newId(),
    actor_ip: `10.0.0.${i % 200}`,
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36',
    request_id: `request-${i}`,
    method: 'PUT',
    route: '/api/v1/buckets/{bucket}/objects/{key}',
    bucket: `bucket-${i % 20}`,
    object_key: `${folder}/${String(i % 1000).padStart(4, '0')}/IMG_${String(i).padStart(7, '0')}.jpg`,
    resource_type: null,
    resource_id: null,
    details: `{"size":${i},"etag":"d41d8cd98f00b204e9800998ecf8427e","content_type":"image/jpeg","replaced":false}`,
    mac: `00000000.${createHmac('sha256', 'bench').update(String(i)).digest('base64url')}`,
  }
}
