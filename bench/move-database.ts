/**
 * `strongroom move-database` from SQLite to PostgreSQL and back, with rows that the engine itself makes in the source:
 * `node bench/move-database.ts [--objects N] [--records N] [--folder F]`. Every object has a blob and a body of 31 bytes
 * in the database, every record a link of the chain. Prints the longest tables, and time, CPU time and peak memory of each
 * move.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { createClient } from '../client/derived.ts'
import { createDatabase, startPostgres } from '../tests/support/postgres.ts'
import { spawnServer, strongroom } from '../tests/support/process.ts'
import { serviceEnv, WHO } from './service.ts'

const { values: options } = parseArgs({
  options: {
    objects: { type: 'string', default: '1000000' },
    records: { type: 'string', default: '1000000' },
    folder: { type: 'string', default: os.tmpdir() },
  },
})
/** Rows of one transaction while filling. */
const BATCH = 20_000
/** Tables that are printed. */
const LONGEST = 6

const folder = fs.mkdtempSync(path.join(options.folder, 'strongroom-bench-'))
const postgres = await startPostgres()
try {
  const source = path.join(folder, 'strongroom.db')
  const env = serviceEnv(folder, `sqlite:${source}`)
  await create(env)
  const began = performance.now()
  fill(source, Number(options.objects), Number(options.records))
  console.log(`filled in ${seconds(performance.now() - began)}, ${megabytes(fs.statSync(source).size)}`)
  const { url } = await createDatabase(postgres.url)
  await move('SQLite to PostgreSQL', env, url)
  const back = path.join(folder, 'back.db')
  await move('PostgreSQL to SQLite', { ...env, DATABASE_URL: url }, `sqlite:${back}`)
  console.log(`the SQLite file is ${megabytes(fs.statSync(back).size)}`)
} finally {
  await postgres.stop()
  fs.rmSync(folder, { recursive: true, force: true })
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}

/** A service with a bucket, which has stopped. */
async function create(env: Record<string, string>): Promise<void> {
  const server = await spawnServer(env)
  const { access_token } = await createClient({ baseUrl: server.url }).login({ body: WHO })
  await createClient({ baseUrl: server.url, token: access_token }).createBucket({ body: { name: 'moved' } })
  await server.kill('SIGTERM')
}

function fill(file: string, objects: number, records: number): void {
  const database = new DatabaseSync(file)
  database.exec('pragma synchronous = off; pragma cache_size = -262144')
  const bucket = database.prepare('select id, created_by from buckets').get()
  const time = "strftime('%Y-%m-%dT%H:%M:%fZ', 1735689600 + i * 31, 'unixepoch')"
  const id = (kind: string) =>
    `printf('0190%04x-%04x-7%03x-${kind}-%012x', i / 16777216, i / 256 % 65536, i % 256, i * 2654435761 & 281474976710655)`
  const hash = (n: number) => `printf('%064x', i * 2654435761 + ${n})`
  const numbers = (from: number, to: number) =>
    `with recursive n(i) as (select ${from} union all select i + 1 from n where i + 1 < ${to})`
  const key = "printf('photos-%04d/IMG_%04d_%08x.jpg', i / 1000, i % 1000, i * 2654435761 & 4294967295)"
  inBatches(database, objects, (from, to) => [
    `insert into blobs (id, inline, size, md5, sha256)
      ${numbers(from, to)} select ${id('8000')}, 1, 31, substr(${hash(0)}, 33), ${hash(0)} from n`,
    `insert into bodies (blob_id, bytes) ${numbers(from, to)} select ${id('8000')}, randomblob(31) from n`,
    `insert into objects (bucket_id, key, blob_id, size, etag, sha256, content_type, metadata, created_at, last_modified,
        created_by)
      ${numbers(from, to)} select '${bucket?.id}', ${key}, ${id('8000')}, 31, substr(${hash(0)}, 33), ${hash(0)},
        'image/jpeg', '{}', ${time}, ${time}, '${bucket?.created_by}' from n`,
  ])
  inBatches(database, records, (from, to) => [
    `insert into audit_sealed (id, time, action, result, status_code, actor_user_id, actor_email, actor_type, auth_method,
        session_id, actor_ip, user_agent, request_id, method, route, bucket, object_key, details, mac)
      ${numbers(from, to)} select ${id('9000')}, ${time}, 'upload', 'success', 200, '${bucket?.created_by}',
        '${WHO.username}', 'user', 'local', ${id('a000')}, '192.0.2.' || (i % 256), 'curl/8.0', ${id('b000')}, 'PUT',
        '/api/v1/buckets/{bucket}/objects/*', 'moved', ${key}, '{"size":31,"content_type":"image/jpeg"}',
        'k1.' || ${hash(1)} from n`,
    `insert into audit_chain (seq, audit_id, row_hash, chain_hash)
      ${numbers(from, to)} select i + 1000000, ${id('9000')}, ${hash(2)}, ${hash(3)} from n`,
  ])
  database.exec('pragma wal_checkpoint(truncate)')
  database.close()
}

function inBatches(database: DatabaseSync, count: number, statements: (from: number, to: number) => string[]): void {
  for (let from = 0; from < count; from += BATCH) {
    database.exec('begin')
    for (const one of statements(from, Math.min(count, from + BATCH))) database.exec(one)
    database.exec('commit')
  }
}

async function move(name: string, env: Record<string, string>, to: string): Promise<void> {
  const atEnd = "process.on('exit', () => process.stderr.write(JSON.stringify(process.resourceUsage())))"
  const began = performance.now()
  const { code, out, err } = await strongroom(['move-database', '--to', to], {
    ...env,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(atEnd)}`,
  })
  const took = performance.now() - began
  if (code !== 0) throw new Error(`The move ended with ${code}: ${err}`)
  const lines = out.split('\n').map((line) => line.split('\t'))
  console.log(`\n${name}`)
  for (const [stage, table, rows, time] of lines
    .filter((line) => line.length === 4)
    .toSorted((one, other) => Number.parseFloat(other[3] ?? '') - Number.parseFloat(one[3] ?? ''))
    .slice(0, 2 * LONGEST))
    console.log(`  ${stage} ${table}: ${rows}, ${time}`)
  const used: { userCPUTime: number; systemCPUTime: number; maxRSS: number } = JSON.parse(
    err.slice(err.lastIndexOf('{')),
  )
  const cpu = seconds((used.userCPUTime + used.systemCPUTime) / 1000)
  console.log(`  all: ${seconds(took)}, CPU of the command ${cpu}, peak memory ${megabytes(used.maxRSS * 1024)}`)
}
