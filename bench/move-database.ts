/**
 * `strongroom move-database` from SQLite to PostgreSQL and back: `node bench/move-database.ts [--objects N] [--records N]
 * [--folder F]`. Objects have a blob and a body of 31 bytes in the database, and records are sealed by the service's own
 * code, so that `verify` and `audit verify` can check both databases afterwards. Each move is killed five times first, at
 * different places. Prints the longest tables, and time, CPU time and peak memory of each move.
 */
import { spawn } from 'node:child_process'
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { createClient } from '../client/derived.ts'
import { cliActor } from '../server/access/actors.ts'
import { newId } from '../server/base/id.ts'
import { readConfig } from '../server/config/config.ts'
import { createContext } from '../server/context.ts'
import { hashRow } from '../server/features/audit/hashes.ts'
import { currentKey } from '../server/features/audit/keys.ts'
import { sealAll } from '../server/features/audit/seal.ts'
import { createLog } from '../server/observe/log.ts'
import { withSystem } from '../server/process/with-system.ts'
import { createDatabase, startPostgres } from '../tests/support/postgres.ts'
import { bareEnv, MAIN, spawnServer, strongroom } from '../tests/support/process.ts'
import { makeRecord } from './audit.ts'
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
/** Lines of the command after which it is killed. */
const KILLED_AFTER = ['copied\tblobs', 'copied\tobjects', 'completed', 'compared\taudit_chain', 'compared\tbodies']
const USERS = 50

type Env = Record<string, string>

const folder = fs.mkdtempSync(path.join(options.folder, 'strongroom-bench-'))
const postgres = await startPostgres()
try {
  const source = path.join(folder, 'strongroom.db')
  const env = serviceEnv(folder, `sqlite:${source}`)
  const began = performance.now()
  await create(env)
  fillObjects(source, Number(options.objects))
  await fillRecords(env, Number(options.records))
  console.log(`filled in ${seconds(performance.now() - began)}, ${megabytes(fs.statSync(source).size)}`)
  await verify(env)
  const { url } = await createDatabase(postgres.url)
  await move('SQLite to PostgreSQL', env, url)
  const back = path.join(folder, 'back.db')
  await move('PostgreSQL to SQLite', { ...env, DATABASE_URL: url }, `sqlite:${back}`)
  console.log(`  the SQLite file is ${megabytes(fs.statSync(back).size)}`)
  compare(source, back)
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
async function create(env: Env): Promise<void> {
  const server = await spawnServer(env)
  const { access_token } = await createClient({ baseUrl: server.url }).login({ body: WHO })
  await createClient({ baseUrl: server.url, token: access_token }).createBucket({ body: { name: 'moved' } })
  await server.kill('SIGTERM')
}

function fillObjects(file: string, count: number): void {
  const database = new DatabaseSync(file)
  database.exec('pragma synchronous = off; pragma cache_size = -262144')
  const { id, created_by } = database.prepare('select id, created_by from buckets').get() as {
    id: string
    created_by: string
  }
  const blobs = database.prepare('insert into blobs (id, inline, size, md5, sha256) values (?, 1, ?, ?, ?)')
  const bodies = database.prepare('insert into bodies (blob_id, bytes) values (?, ?)')
  const objects = database.prepare(
    `insert into objects (bucket_id, key, blob_id, size, etag, sha256, content_type, metadata, created_at, last_modified,
      created_by) values ('${id}', ?, ?, ?, ?, ?, 'image/jpeg', '{}', ?, ?, '${created_by}')`,
  )
  let bytes = 0
  for (let from = 0; from < count; from += BATCH) {
    database.exec('begin')
    for (let i = from; i < Math.min(count, from + BATCH); i++) {
      const body = randomBytes(31)
      const [blob, md5, sha256] = [newId(), hash('md5', body), hash('sha256', body)]
      const time = new Date(Date.UTC(2025, 0, 1) + i * 31_000).toISOString()
      const key = `photos-${String(Math.floor(i / 1000)).padStart(4, '0')}/IMG_${String(i % 1000).padStart(4, '0')}.jpg`
      blobs.run(blob, body.length, md5, sha256)
      bodies.run(blob, body)
      objects.run(key, blob, body.length, md5, sha256, time, time)
      bytes += body.length
    }
    database.exec('commit')
  }
  database
    .prepare('insert into bucket_usage (bucket_id, shard, bytes, objects, trash_bytes) values (?, 0, ?, ?, 0)')
    .run(id, bytes, count)
  database.exec('pragma wal_checkpoint(truncate)')
  database.close()
}

async function fillRecords(env: Env, count: number): Promise<void> {
  const config = readConfig({ ...env, LOG_LEVEL: 'error' })
  await withSystem(config, createLog('error', undefined), { storage: false }, async (system) => {
    const ctx = createContext(system, cliActor)
    const users = Array.from({ length: USERS }, () => newId())
    for (let from = 0; from < count; from += BATCH) {
      await system.database.transaction(
        async (tx) => {
          const key = await currentKey(tx, config, system.now())
          for (let i = from; i < Math.min(count, from + BATCH); i += 1000) {
            const rows = Array.from({ length: Math.min(1000, count - i) }, (_, j) => makeRecord(i + j, count, users))
            const signed = rows.map((row) => ({ ...row, mac: key.mac(hashRow(row)) }))
            await tx.insertInto('audit_recent').values(signed).execute()
          }
        },
        { relaxed: true },
      )
      await sealAll(ctx)
    }
  })
}

/** Fails unless both checks find nothing. */
async function verify(env: Env): Promise<void> {
  for (const command of [
    ['verify', '--deep'],
    ['audit', 'verify'],
  ]) {
    const began = performance.now()
    const { code, out, err } = await strongroom(command, env)
    if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${out}${err}`)
    const last = out.trim().split('\n').at(-1)
    console.log(`  strongroom ${command.join(' ')}: ${last} ${seconds(performance.now() - began)}`)
  }
}

/** Fails unless every table of both files has the same rows. */
function compare(one: string, other: string): void {
  const database = new DatabaseSync(one, { readOnly: true })
  database.prepare('attach ? as other').run(other)
  const tables = database
    .prepare(
      `select name from main.sqlite_schema where type = 'table'
        and name not glob 'sqlite_*' and name not glob 'object_search*' and name not glob 'kysely_*'`,
    )
    .all()
    .map(({ name }) => String(name))
  for (const table of tables)
    for (const [here, there] of [
      ['main', 'other'],
      ['other', 'main'],
    ] as const) {
      const query = `select count(*) as n from (select * from ${here}."${table}" except select * from ${there}."${table}")`
      const n = database.prepare(query).get()?.n
      if (n !== 0) throw new Error(`${n} rows of ${table} are in ${here} and not in ${there}`)
    }
  database.close()
  console.log(`  every row of ${tables.length} tables is the same as before both moves`)
}

/** Moves, after moves that were killed, and checks the target. */
async function move(name: string, env: Env, to: string): Promise<void> {
  console.log(`\n${name}`)
  const args = ['move-database', '--to', to]
  for (const line of KILLED_AFTER) {
    const child = spawn(process.execPath, [MAIN, ...args], { env: { ...bareEnv, ...env } })
    const ended = once(child, 'exit')
    for await (const printed of createInterface({ input: child.stdout })) {
      if (printed.startsWith(line)) child.kill('SIGKILL')
    }
    const [code, signal] = await ended
    if (signal !== 'SIGKILL') throw new Error(`The move ended with ${code} before it was killed after "${line}"`)
    const { code: refused, err } = await strongroom(['serve'], { ...env, DATABASE_URL: to })
    if (refused === 0 || !err.includes('was not finished')) throw new Error(`A service serves half a database: ${err}`)
  }
  console.log(`  killed after ${KILLED_AFTER.map((line) => line.replace('\t', ' ')).join(', ')}`)
  const atEnd = "process.on('exit', () => process.stderr.write(JSON.stringify(process.resourceUsage())))"
  const began = performance.now()
  const { code, out, err } = await strongroom(args, {
    ...env,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(atEnd)}`,
  })
  const took = performance.now() - began
  if (code !== 0) throw new Error(`The move ended with ${code}: ${err}`)
  const lines = out.split('\n').map((line) => line.split('\t'))
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
  await verify({ ...env, DATABASE_URL: to })
}
