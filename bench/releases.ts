/**
 * The hot paths of this checkout compared with those of an earlier one, each with a service and data of its own, in turns:
 * `node bench/releases.ts <folder of the other checkout, after npm ci> [--seconds N] [--rounds N] [--postgres] [--only upload] [--statements]`.
 * Prints how many requests a second both answer, and the CPU time that each takes for one; the ratios are medians of the
 * rounds'. With `--statements`, prints instead how many statements a request of each takes on PostgreSQL, which does not vary.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient } from '../client/derived.ts'
import type { Pair } from '../tests/s3/s3.ts'
import { signFast } from '../tests/s3/sign.ts'
import { createDatabase, startPostgres } from '../tests/support/postgres.ts'
import { MAIN, type ServerProcess, spawnServer } from '../tests/support/process.ts'
import { type Job, type Measured, median, runMeasured } from './load.ts'
import { flat, seedObjects } from './seed.ts'
import { serviceEnv, WHO } from './service.ts'
import { type Counted, countStatements } from './statements.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '9' },
    postgres: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    statements: { type: 'boolean', default: false },
  },
})
const [other] = positionals
if (other === undefined) throw new Error('Name the folder of the other checkout')

const BUCKET = 'bench'
const OBJECTS = 10_000
/** A bucket's path, what is asked of it, and the bytes that are sent. */
const PATHS: readonly (readonly [name: string, method: string, path: string, body?: number])[] = [
  ['4 KiB upload', 'PUT', 'objects/u/#', 4096],
  ['4 KiB download', 'GET', 'objects/small'],
  ['1 MiB download', 'GET', 'objects/large'],
  ['HEAD', 'HEAD', 'objects/small'],
  ['browse a folder', 'GET', 'browse?prefix=flat/'],
  ['list', 'GET', 'objects?limit=100'],
]

/** The same requests at the S3 endpoint, signed in their headers. */
const S3_PATHS: readonly (readonly [name: string, method: string, key: string, body?: number])[] = [
  ['S3 4 KiB PUT', 'PUT', 'u/#', 4096],
  ['S3 4 KiB GET', 'GET', 'small'],
  ['S3 HEAD', 'HEAD', 'small'],
]
/** Keys that uploads at the S3 endpoint take in turn: a signature is of one path. */
const SIGNED_KEYS = 64

const chosen = [...PATHS, ...S3_PATHS].filter(([name]) => name.includes(options.only))
/** Requests of a path before its statements are counted, and those whose are. */
const [WARM, MEASURED, SETTLE_MS] = [5, 21, 60]

interface Side {
  counted?: Counted
  service: ServerProcess
  url: string
  authorization: string
  s3: { url: string; pair: Pair }
}

const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
const postgres = options.postgres || options.statements ? await startPostgres() : undefined
const sides: Side[] = []
try {
  for (const main of [MAIN, path.join(path.resolve(other), 'server', 'main.ts')]) sides.push(await start(main))
  const [ours, theirs] = sides as [Side, Side]
  await (options.statements ? compareStatements(ours, theirs) : compareSpeed(ours, theirs))
} finally {
  for (const { service, counted } of sides) {
    await service.kill('SIGTERM')
    counted?.stop()
  }
  await postgres?.stop()
  fs.rmSync(folder, { recursive: true, force: true })
}

async function compareSpeed(ours: Side, theirs: Side): Promise<void> {
  const table: Record<string, object> = {}
  for (const what of chosen) {
    const [name] = what
    const rounds: { ours: Measured; theirs: Measured }[] = []
    // The first one warms both up.
    for (let i = 0; i <= Number(options.rounds); i++) {
      const measure = (side: Side) => runMeasured(jobOf(side, what), side.service.child.pid)
      if (i % 2 === 0) rounds.push({ ours: await measure(ours), theirs: await measure(theirs) })
      else rounds.push({ theirs: await measure(theirs), ours: await measure(ours) })
    }
    const counted = rounds.slice(1)
    const ratio = (value: (one: Measured) => number) =>
      median(counted.map((round) => value(round.ours) / value(round.theirs))).toFixed(3)
    const middle = (side: 'ours' | 'theirs', value: (one: Measured) => number) =>
      median(counted.map((round) => value(round[side])))
    table[name] = {
      ours: `${middle('ours', perSecond).toFixed(0)}/s, CPU ${middle('ours', cpuMs).toFixed(3)} ms`,
      other: `${middle('theirs', perSecond).toFixed(0)}/s, CPU ${middle('theirs', cpuMs).toFixed(3)} ms`,
      throughput: ratio(perSecond),
      CPU: ratio(cpuMs),
    }
    console.log(name, table[name])
  }
  console.log(`${os.cpus().length} cores, ${options.rounds} rounds of ${options.seconds} s`)
  console.table(table)
}

/** How many statements a request takes, one at a time: the fewest of several, because both also work in the background. */
async function compareStatements(ours: Side, theirs: Side): Promise<void> {
  const table: Record<string, object> = {}
  for (const [name, method, at, body = 0] of chosen) {
    const counts: number[] = []
    for (const side of [ours, theirs]) {
      const { counted } = side
      const each: number[] = []
      for (let i = 0; i < WARM + MEASURED; i++) {
        const job = jobOf(side, [name, method, at, body])
        const before = counted?.count() ?? 0
        const { host, ...signed } = job.signed?.[i % job.signed.length] ?? {}
        const answer = await fetch(job.urls?.[i % job.urls.length] ?? job.url.replace('#', String(i)), {
          method,
          headers: { ...job.headers, ...signed },
          ...(body > 0 ? { body: Buffer.alloc(body, 'strongroom ') } : {}),
        })
        if (!answer.ok) throw new Error(`${name}: ${answer.status}`)
        await answer.arrayBuffer()
        // What no response waits for belongs to the request too.
        await pause(SETTLE_MS)
        if (i >= WARM) each.push((counted?.count() ?? 0) - before)
      }
      counts.push(Math.min(...each))
    }
    table[name] = { ours: counts[0], other: counts[1] }
  }
  console.table(table)
}

function perSecond(one: Measured): number {
  return one.perSecond
}
function cpuMs(one: Measured): number {
  return one.cpuMs
}

async function start(main: string): Promise<Side> {
  const own = fs.mkdtempSync(path.join(folder, 'service-'))
  const databaseUrl = postgres ? (await createDatabase(postgres.url)).url : `sqlite:${path.join(own, 'strongroom.db')}`
  const counted = options.statements ? await countStatements(databaseUrl) : undefined
  const env = { ...serviceEnv(own, counted?.url ?? databaseUrl), S3_PORT: '0' }
  const service = await spawnServer(env, ['serve'], main)
  const { access_token: token } = await createClient({ baseUrl: service.url }).login({ body: WHO })
  const client = createClient({ baseUrl: service.url, token })
  await client.createBucket({ body: { name: BUCKET, trash_days: 0 } })
  for (const [key, size] of Object.entries({ small: 4096, large: 1024 * 1024 }))
    await client.putObject({ params: { bucket: BUCKET, key }, query: {}, body: Buffer.alloc(size, 'strongroom ') })
  await seedObjects(databaseUrl, BUCKET, flat(OBJECTS))
  return {
    ...(counted && { counted }),
    service,
    url: `${service.url}/api/v1/buckets/${BUCKET}/`,
    authorization: `Bearer ${token}`,
    s3: {
      url: /S3 clients.*: (http:\S+)/.exec(service.log())?.[1] ?? '',
      pair: await client.createAccessKey({ body: { name: 'bench' } }),
    },
  }
}

function jobOf(side: Side, [name, method, at, body = 0]: (typeof chosen)[number]): Job {
  const { url, authorization, s3 } = side
  if (name.startsWith('S3 ')) {
    const keys = at.includes('#') ? Array.from({ length: SIGNED_KEYS }, (_, i) => at.replace('#', String(i))) : [at]
    const { host } = new URL(s3.url)
    const paths = keys.map((key) => `/${BUCKET}/${key}`)
    const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }
    return {
      url: '',
      urls: paths.map((path) => `${s3.url}${path}`),
      method,
      body,
      connections: 16,
      seconds: Number(options.seconds),
      headers: {},
      signed: paths.map((path) => signFast(s3.pair, { method, host, path, query: '', headers })),
    }
  }
  const type: Record<string, string> = body > 0 ? { 'content-type': 'application/octet-stream' } : {}
  return {
    url: `${url}${at}`,
    method,
    body,
    connections: 16,
    seconds: Number(options.seconds),
    headers: { authorization, ...type },
  }
}
