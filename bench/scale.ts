/**
 * What grows with the bucket: two services of one engine, one with 100,000 objects and one with `--objects`, take turns at
 * every operation, and the ratio of their medians is printed. `node bench/scale.ts [--objects N] [--engine
 * sqlite|postgres|both] [--folder F] [--only growth|inline] [--bodies N]`; `--only inline` measures a SQLite file with
 * `--bodies` bodies of 4 KiB in it: its WAL under uploads, and a backup beside them.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { type Client, createClient } from '../client/derived.ts'
import { databaseFile } from '../server/db/engine.ts'
import { openDatabase } from '../server/db/open.ts'
import { createDatabase, startPostgres } from '../tests/support/postgres.ts'
import { type ServerProcess, spawnServer, strongroom } from '../tests/support/process.ts'
import { serviceEnv, WHO } from './service.ts'

const { values: options } = parseArgs({
  options: {
    objects: { type: 'string', default: '10000000' },
    bodies: { type: 'string', default: '1000000' },
    engine: { type: 'string', default: 'both' },
    only: { type: 'string', default: '' },
    folder: { type: 'string', default: os.tmpdir() },
  },
})
const BUCKET = 'scale'
const SMALL = 100_000
/** Rows of one transaction while filling. */
const BATCH = 20_000
/** Batches between two checkpoints of SQLite. */
const CHECKPOINT_EVERY = 10
const BODY = 4096
const MB = 1e6
/** Objects directly in `wide/`; those of `move/`, `gone/` and `policy/`; all others are in folders of a hundred. */
const WIDE = 50_000
const FOLDER = 10_000
/** Operations, small and large in turns: fast ones, those of some ten milliseconds, and those of seconds. */
const MANY = 300
const SOME = 30
const FEW = 3
/** Part two: uploads at a time, and for how long. */
const UPLOADERS = 8
const UPLOADING_MS = 15_000

const folder = fs.mkdtempSync(path.join(options.folder, 'strongroom-bench-'))
const median = (numbers: readonly number[]): number => quantile(numbers, 0.5)
const quantile = (numbers: readonly number[], part: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * part)] ?? 0
try {
  if ('growth'.startsWith(options.only))
    for (const engine of ['sqlite', 'postgres']) if (['both', engine].includes(options.engine)) await growth(engine)
  if ('inline'.startsWith(options.only)) await inline()
} finally {
  fs.rmSync(folder, { recursive: true, force: true })
}

/** A service over its own folder and database. */
interface Side {
  env: Record<string, string>
  count: number
  server: ServerProcess
  client: Client
  token: string
  agent: http.Agent
  /** Bytes of the database before it was filled. */
  empty: number
}

/** Creates a service whose bucket has `count` objects with bodies of the given sizes. */
async function create(databaseUrl: string, count: number, sizes: readonly number[]): Promise<Side> {
  const env = {
    ...serviceEnv(fs.mkdtempSync(path.join(folder, 'data-')), databaseUrl),
    RATE_LIMIT_COSTLY: '0',
    NODE_OPTIONS: '--max-semi-space-size=4',
  }
  const server = await spawnServer(env)
  const { access_token } = await createClient({ baseUrl: server.url }).login({ body: WHO })
  await createClient({ baseUrl: server.url, token: access_token }).createBucket({
    body: { name: BUCKET, trash_days: 30 },
  })
  await server.kill('SIGTERM')
  const empty = await databaseBytes(databaseUrl)
  const began = performance.now()
  await fill(databaseUrl, count, sizes)
  const seconds = (performance.now() - began) / 1000
  console.log(`filled ${count} objects in ${seconds.toFixed(0)} s`)
  const started = await start(env)
  return { env, count, empty, agent: new http.Agent({ keepAlive: true }), ...started }
}

async function start(env: Record<string, string>): Promise<Pick<Side, 'server' | 'client' | 'token'>> {
  const server = await spawnServer(env)
  const { access_token: token } = await createClient({ baseUrl: server.url }).login({ body: WHO })
  return { server, token, client: createClient({ baseUrl: server.url, token }) }
}

/**
 * Fills the bucket with rows as uploads of inline bodies leave them, made by the engine itself, in batches. Bodies of one
 * size are alike, so that their hashes are right.
 */
async function fill(databaseUrl: string, count: number, sizes: readonly number[]): Promise<void> {
  const database = await openDatabase(databaseUrl)
  const file = databaseFile(databaseUrl)
  const sqlite = file !== undefined
  const pad = (number: string, width: number) =>
    sqlite ? `printf('%0${width}d', ${number})` : `lpad((${number})::text, ${width}, '0')`
  const hex = (number: string, width: number) =>
    sqlite ? `printf('%0${width}x', ${number})` : `lpad(to_hex(${number}), ${width}, '0')`
  const time = sqlite
    ? (seconds: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${seconds}, 'unixepoch')`
    : (seconds: string) => `to_timestamp(${seconds})`
  const quote = (bytes: Buffer) => (sqlite ? `x'${bytes.toString('hex')}'` : `'\\x${bytes.toString('hex')}'::bytea`)
  const scattered = 'i * 2654435761'
  const id = [
    `'0190' || ${hex('i / 16777216', 4)}`,
    hex('i / 256 % 65536', 4),
    `'7' || ${hex('i % 256', 3)}`,
    "'8000'",
    hex(`(${scattered}) & 281474976710655`, 12),
  ].join(" || '-' || ")
  const name = hex(`(${scattered}) & 4294967295`, 8)
  const rest = `(i - ${WIDE + 3 * FOLDER})`
  const key = `case
    when i < ${WIDE} then 'wide/IMG_' || ${pad('i', 7)} || '_' || ${name} || '.jpg'
    when i < ${WIDE + FOLDER} then 'move/' || ${pad('i % 100', 2)} || '/' || ${name} || '.txt'
    when i < ${WIDE + 2 * FOLDER} then 'gone/' || ${name} || '.txt'
    when i < ${WIDE + 3 * FOLDER} then 'policy/' || ${name} || '.log'
    else 'archive/' || ${pad(`${rest} / 1000000`, 4)} || '/' || ${pad(`${rest} / 10000 % 100`, 2)} || '/'
      || ${pad(`${rest} / 100 % 100`, 2)} || '/scan-' || ${pad(`${rest} % 100`, 2)} || '-' || ${name} || '.pdf' end`
  const bodies = sizes.map((size, n) => {
    const bytes = Buffer.alloc(size, `strongroom ${n} `)
    const hash = (algorithm: string) => `'${createHash(algorithm).update(bytes).digest('hex')}'`
    return `(${n}, ${size}, ${quote(bytes)}, ${hash('md5')}, ${hash('sha256')})`
  })
  const rows = (from: number, to: number) => `with recursive n(i) as (${
    sqlite
      ? `select ${from} union all select i + 1 from n where i + 1 < ${to}`
      : `select generate_series(${from}::bigint, ${to - 1})`
  }), b(n, size, bytes, md5, sha256) as (values ${bodies.join(', ')}),
    r as (select i, ${id} as id, ${time('1735689600 + i * 7919 % 31536000')} as at, size, bytes, md5, sha256
      from n join b on b.n = i % ${sizes.length})`
  const head = await database.db.selectFrom('buckets').select(['id', 'created_by']).executeTakeFirstOrThrow()
  for (let from = 0; from < count; from += BATCH) {
    const to = Math.min(count, from + BATCH)
    await database.transaction(
      async (tx) => {
        for (const statement of [
          `insert into blobs (id, check_after, inline, size, md5, sha256) ${rows(from, to)}
            select id, null, 1, size, md5, sha256 from r order by i`,
          `insert into bodies (blob_id, bytes) ${rows(from, to)} select id, bytes from r order by i`,
          `insert into objects (bucket_id, key, blob_id, size, etag, sha256, content_type, metadata, created_at,
              last_modified, created_by) ${rows(from, to)}
            select '${head.id}', ${key}, id, size, md5, sha256, 'application/octet-stream', '{}', at, at,
              '${head.created_by}' from r order by i`,
          `insert into bucket_usage (bucket_id, shard, bytes, objects, trash_bytes) ${rows(from, to)}
            select '${head.id}', 0, sum(size), count(*), 0 from r where true
            on conflict (bucket_id, shard) do update set
              bytes = bucket_usage.bytes + excluded.bytes, objects = bucket_usage.objects + excluded.objects`,
        ])
          await sql.raw(statement).execute(tx)
      },
      { relaxed: true },
    )
    // The service's own checkpoints come after many small commits, and these are few and large.
    if (sqlite && (from / BATCH) % CHECKPOINT_EVERY === 0) checkpoint(file)
  }
  await database.close()
  // As autovacuum would have done by the time so many had been uploaded.
  if (!sqlite) await onPostgres(databaseUrl, 'vacuum analyze')
}

/** Copies the WAL into the database and empties it. */
function checkpoint(file: string): void {
  const database = new DatabaseSync(file, { timeout: 10_000 })
  database.exec('pragma wal_checkpoint(truncate)')
  database.close()
}

/** Runs one statement outside any transaction; its first row. */
async function onPostgres(databaseUrl: string, statement: string): Promise<{ [column: string]: unknown } | undefined> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query(statement)).rows[0]
  } finally {
    await client.end()
  }
}

/** Bytes of the database: of SQLite the file alone, once the WAL has been copied into it. */
async function databaseBytes(databaseUrl: string): Promise<number> {
  const file = databaseFile(databaseUrl)
  if (file !== undefined) return fs.statSync(file).size
  return Number((await onPostgres(databaseUrl, 'select pg_database_size(current_database()) as bytes'))?.bytes)
}

/** Sends one request and reads its whole answer; the time in ms. Throws unless it succeeded. */
async function send({ server, token, agent }: Side, method: string, at: string, body?: Buffer): Promise<number> {
  const began = performance.now()
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body ? { 'content-type': 'application/octet-stream', 'content-length': body.length } : {}),
  }
  const request = http.request(`${server.url}/api/v1/${at}`, { method, headers, agent })
  request.end(body)
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  response.resume()
  await once(response, 'end')
  if ((response.statusCode ?? 500) >= 300) throw new Error(`${method} ${at} answered ${response.statusCode}`)
  return performance.now() - began
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function growth(engine: string): Promise<void> {
  const large = Number(options.objects)
  const postgres = engine === 'postgres' ? await startPostgres() : undefined
  const sizes = Array.from({ length: 16 }, (_, i) => 4 * i + 1)
  const sides: Side[] = []
  const rows: { [name: string]: { [column: string]: string } } = {}
  const report = (name: string, values: readonly number[], show: (value: number) => string) => {
    const [one = 0, other = 0] = values
    rows[name] = { '100 k': show(one), [`${large / 1e6} M`]: show(other), growth: `${(other / one).toFixed(2)} ×` }
    console.log(`${engine}: ${name}: ${show(one)} | ${show(other)} | ${(other / one).toFixed(2)} ×`)
  }
  const ms = (value: number) => (value < 1000 ? `${value.toFixed(2)} ms` : `${(value / 1000).toFixed(1)} s`)
  /** Both sides in turns, first the one and then the other. `work` gives its time, or is timed. */
  const compare = async (name: string, times: number, work: (side: Side, turn: number) => Promise<number>) => {
    const seen = sides.map((): number[] => [])
    for (let turn = 0; turn < times; turn++)
      for (const i of turn % 2 === 0 ? [0, 1] : [1, 0]) seen[i]?.push(await work(sides[i] as Side, turn))
    report(name, seen.map(median), ms)
  }
  try {
    for (const count of [SMALL, large]) {
      const file = `sqlite:${path.join(folder, `${count}.db`)}`
      sides.push(await create(postgres ? (await createDatabase(postgres.url)).url : file, count, sizes))
    }
    await compare('start-up', FEW, async (side) => {
      await side.server.kill('SIGTERM')
      side.agent.destroy()
      side.agent = new http.Agent({ keepAlive: true })
      const began = performance.now()
      side.server = await spawnServer(side.env)
      const took = performance.now() - began
      const { access_token: token } = await createClient({ baseUrl: side.server.url }).login({ body: WHO })
      Object.assign(side, { token, client: createClient({ baseUrl: side.server.url, token }) })
      return took
    })
    const bytes = await Promise.all(
      sides.map(async ({ env, empty, count }) => ((await databaseBytes(env.DATABASE_URL ?? '')) - empty) / count),
    )
    report('database, bytes an object', bytes, (value) => value.toFixed(0))

    const body = Buffer.alloc(BODY, 'strongroom ')
    const at = `buckets/${BUCKET}`
    await compare('upload 4 KiB', MANY, (side, i) => send(side, 'PUT', `${at}/objects/new/${i}-quartz`, body))
    const wide = new Map<Side, Pages>()
    for (const side of sides) {
      wide.set(side, await walk(side))
    }
    const some = (side: Side, i: number) => wide.get(side)?.keys[(i * 37) % 1000] ?? ''
    await compare('GET', MANY, (side, i) => send(side, 'GET', `${at}/objects/${some(side, i)}`))
    await compare('HEAD', MANY, (side, i) => send(side, 'HEAD', `${at}/objects/${some(side, i)}`))
    for (const [name, times, query] of [
      ['browse the top', MANY, () => 'browse?limit=100'],
      ['browse, first page of a folder', MANY, () => 'browse?prefix=wide/&limit=100'],
      ['browse, a cursor halfway', MANY, (side) => `browse?prefix=wide/&limit=100&cursor=${wide.get(side)?.cursor}`],
      ['browse a folder by date', SOME, () => 'browse?prefix=wide/&limit=100&sort=modified'],
      ['browse a folder by size', SOME, () => 'browse?prefix=wide/&limit=100&sort=size'],
      ['search, rare', MANY, () => 'objects?search=quartz&limit=100'],
      ['search, in half of the small bucket', MANY, () => 'objects?search=IMG_&limit=100'],
      ['search, a file name of common parts', SOME, (side) => `objects?search=${wide.get(side)?.rare}&limit=100`],
      ['search, no match', SOME, () => 'objects?search=nowhere&limit=100'],
    ] as [string, number, (side: Side) => string][])
      await compare(name, times, (side) => send(side, 'GET', `${at}/${query(side)}`))

    await compare('move a folder of 10 k', FEW + 1, (side, i) => {
      const [prefix, dest_prefix] = i % 2 === 0 ? ['move/', 'moved/'] : ['moved/', 'move/']
      const body = { kind: 'move' as const, source_bucket: BUCKET, prefix, dest_bucket: BUCKET, dest_prefix }
      return timed(() => finishJob(side, body))
    })
    const deleted = new Map<Side, string>()
    await compare('delete 10 k into the trash', 1, (side) =>
      timed(async () =>
        deleted.set(side, await finishJob(side, { kind: 'delete', source_bucket: BUCKET, prefix: 'gone/' })),
      ),
    )
    await compare('list the trash', MANY, (side) => send(side, 'GET', `${at}/trash?limit=100`))
    await compare('restore 10 k', 1, (side) =>
      timed(() => finishJob(side, { kind: 'restore', of: deleted.get(side) ?? '' })),
    )
    const rule = { bucket_patterns: [BUCKET], older_than_days: 1 }
    await compare('policy preview, whole bucket (reads 100 k)', FEW, (side) =>
      timed(() => side.client.previewPolicy({ body: rule })),
    )
    const policies = new Map<Side, string>()
    for (const side of sides) {
      const body = { ...rule, name: 'scale', prefix: 'policy/', cron: null, enabled: true }
      policies.set(side, (await side.client.createPolicy({ body })).id)
    }
    await compare('policy dry run, a folder of 10 k', FEW, (side) =>
      timed(() => dryRun(side, policies.get(side) ?? '')),
    )
    report(
      'memory of the service, MB',
      sides.map(({ server }) => server.memory().rss / MB),
      (value) => value.toFixed(0),
    )
    const took: number[] = []
    for (const { env } of sides)
      took.push(
        await timed(async () => {
          const { code, out, err } = await strongroom(['verify'], env)
          console.log((out || err).trim())
          if (code !== 0) throw new Error(`verify ended with ${code}: ${err}`)
        }),
      )
    report('verify', took, ms)
  } finally {
    for (const { server } of sides) await server.kill('SIGTERM')
    await postgres?.stop()
  }
  console.log(`\n${os.cpus().length} cores, ${engine}, one connection, medians`)
  console.table(rows)
}

interface Pages {
  keys: string[]
  cursor: string
  /** The name of one file, of which every trigram but those of its last part is in most keys. */
  rare: string
}

/** The first thousand keys of the wide folder, the cursor of its middle, and a name of a deeper one. */
async function walk({ client }: Side): Promise<Pages> {
  let keys: string[] | undefined
  let cursor: string | undefined
  for (let seen = 0; seen < WIDE / 2; seen += 1000) {
    const page = await client.browse({
      params: { bucket: BUCKET },
      query: { prefix: 'wide/', limit: 1000, ...(cursor === undefined ? {} : { cursor }) },
    })
    keys ??= page.objects.map(({ key }) => key)
    cursor = page.next_cursor ?? ''
  }
  const prefix = 'archive/0000/00/50/'
  const { objects } = await client.browse({ params: { bucket: BUCKET }, query: { prefix, limit: 1 } })
  return { keys: keys ?? [], cursor: cursor ?? '', rare: objects[0]?.key.slice(prefix.length) ?? '' }
}

/** Starts a job and waits for its end; its id. Throws unless all of it succeeded. */
async function finishJob({ client }: Side, body: Parameters<Client['createJob']>[0]['body']): Promise<string> {
  const { id } = await client.createJob({ body })
  for (;;) {
    const { status, done, failed } = await client.getJob({ params: { id } })
    if (status === 'succeeded' && failed === 0 && done === FOLDER) return id
    if (status !== 'queued' && status !== 'running')
      throw new Error(`The job ended: ${status}, ${done} done, ${failed} failed`)
    await pause(20)
  }
}

async function dryRun({ client }: Side, id: string): Promise<void> {
  const run = await client.runPolicy({ params: { id }, body: { dry_run: true } })
  for (;;) {
    const { status, matched } = await client.getPolicyRun({ params: { id, run_id: run.id } })
    if (status === 'succeeded' && matched === FOLDER) return
    if (status !== 'queued' && status !== 'running') throw new Error(`The dry run ended: ${status}, ${matched} matched`)
    await pause(20)
  }
}

/** Uploads at full speed into a database that holds many bodies: alone, beside checkpoints, and beside a backup. */
async function inline(): Promise<void> {
  const count = Number(options.bodies)
  const file = path.join(folder, 'inline.db')
  const side = await create(`sqlite:${file}`, count, Array(16).fill(BODY))
  const rows: { [name: string]: string } = {}
  const report = (name: string, value: string) => {
    rows[name] = value
    console.log(`inline: ${name}: ${value}`)
  }
  try {
    const held = (await databaseBytes(side.env.DATABASE_URL ?? '')) - side.empty
    report('database, bytes an object', `${(held / count).toFixed(0)}, of which ${BODY} are the body`)
    const wal = () => fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
    const show = (name: string, { times, seconds, peak }: Uploads) => {
      const [p50, p99, worst] = [0.5, 0.99, 1].map((part) => quantile(times, part - 1e-9).toFixed(1))
      const rate = `${Math.round(times.length / seconds)}/s, p50 ${p50}, p99 ${p99}, slowest ${worst} ms`
      report(name, `${rate}, WAL at most ${(peak / MB).toFixed(0)} MB`)
    }
    show('uploads of 4 KiB', await uploadsWhile(side, wal, () => pause(UPLOADING_MS)))

    const checkpoints: number[] = []
    const beside = await uploadsWhile(side, wal, async () => {
      const database = new DatabaseSync(file, { timeout: 10_000 })
      const began = performance.now()
      while (performance.now() - began < UPLOADING_MS) {
        await pause(500)
        const before = performance.now()
        database.prepare('pragma wal_checkpoint(passive)').get()
        checkpoints.push(performance.now() - before)
      }
      database.close()
    })
    const [p50, worst] = [0.5, 1].map((part) => quantile(checkpoints, part - 1e-9).toFixed(0))
    show('uploads of 4 KiB, a checkpoint each 500 ms', beside)
    report('such a checkpoint', `p50 ${p50} ms, slowest ${worst} ms`)

    let seconds = 0
    const copy = path.join(folder, 'copy.db')
    const during = await uploadsWhile(side, wal, async () => {
      seconds = (await timed(() => backup(side, copy))) / 1000
    })
    report('backup beside uploads', `${seconds.toFixed(1)} s, ${(fs.statSync(copy).size / MB).toFixed(0)} MB`)
    show('uploads of 4 KiB beside the backup', during)
    fs.rmSync(copy)
    report('backup, idle', `${((await timed(() => backup(side, copy))) / 1000).toFixed(1)} s`)
    report('WAL afterwards', `${(wal() / MB).toFixed(0)} MB`)
  } finally {
    await side.server.kill('SIGTERM')
  }
  console.log(`\n${os.cpus().length} cores, SQLite, ${count} bodies of ${BODY} bytes, ${UPLOADERS} uploads at a time`)
  console.table(rows)
}

interface Uploads {
  /** Of each upload, in ms. */
  times: number[]
  seconds: number
  /** Most bytes of the WAL. */
  peak: number
}

/** Uploads bodies for as long as `work` takes. */
async function uploadsWhile(side: Side, wal: () => number, work: () => Promise<unknown>): Promise<Uploads> {
  const times: number[] = []
  const body = Buffer.alloc(BODY, 'strongroom ')
  const began = performance.now()
  let peak = 0
  let done = false
  const sampling = setInterval(() => {
    peak = Math.max(peak, wal())
  }, 50)
  const uploader = async (n: number) => {
    for (let i = 0; !done; i++)
      times.push(await send(side, 'PUT', `buckets/${BUCKET}/objects/new/${began}/${n}-${i}`, body))
  }
  const uploading = Promise.all(Array.from({ length: UPLOADERS }, (_, n) => uploader(n)))
  try {
    await Promise.race([work(), uploading])
  } finally {
    done = true
    await uploading
    clearInterval(sampling)
  }
  return { times, peak, seconds: (performance.now() - began) / 1000 }
}

async function backup({ env }: Side, target: string): Promise<void> {
  const { code, err } = await strongroom(['backup', target], env)
  if (code !== 0) throw new Error(`backup ended with ${code}: ${err}`)
}
