import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { type Client, createClient } from '../client/derived.ts'
import { createDatabase, startPostgres } from '../tests/support/postgres.ts'
import { type ServerProcess, spawnServer } from '../tests/support/process.ts'
import { measureAudit } from './audit.ts'
import { type Job, type Measured, median, type Outcome, run, runMeasured } from './load.ts'
import { measureReplicas } from './replicas.ts'
import { flat, inFolders, seedObjects } from './seed.ts'
import { growthDuring, serviceEnv, WHO } from './service.ts'
import { measureWebhooks } from './webhooks.ts'

/**
 * Measures the hot paths beside their floors and prints a table of ratios. Floor and service take turns for several
 * short rounds, because the disk and the neighbours of a virtual machine change by the minute; a ratio is the median of
 * the rounds' ratios.
 */
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    postgres: { type: 'boolean', default: false },
    million: { type: 'string', default: '1000000' },
  },
})
const SECONDS = Number(options.seconds)
const ROUNDS = Number(options.rounds)
const CONNECTIONS = 16
/** Records of the audit log; the figures of a million take some minutes more. */
const AUDIT_ROWS = Number(process.env.AUDIT_ROWS ?? 100_000)
const BUCKET = 'bench'
const BY_NAME = 'browse a flat folder of 100 k'

interface Row {
  name: string
  ours: string
  floor: string
  ratio: string
  target: string
}
const rows: Row[] = []
const wanted = (name: string) => name.includes(options.only)

const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
const children: ChildProcess[] = []
/** The floors' processes by their URLs. */
const floors = new Map<string, number | undefined>()
const postgres = options.postgres ? await startPostgres() : undefined
const databaseUrl = postgres ? (await createDatabase(postgres.url)).url : `sqlite:${path.join(folder, 'strongroom.db')}`
let server: ServerProcess | undefined
try {
  server = await spawnServer({ ...serviceEnv(folder, databaseUrl), WEBHOOK_ALLOWED_CIDRS: '127.0.0.1' })
  const { access_token } = await createClient({ baseUrl: server.url }).login({ body: WHO })
  await measure(server, createClient({ baseUrl: server.url, token: access_token }), access_token)
} finally {
  await server?.kill('SIGTERM')
  for (const child of children) {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  await postgres?.stop()
  fs.rmSync(folder, { recursive: true, force: true })
}
console.log(
  `\n${os.cpus().length} cores, ${CONNECTIONS} connections, ${options.postgres ? 'PostgreSQL' : 'SQLite'} + files`,
)
console.table(Object.fromEntries(rows.map(({ name, ...row }) => [name, row])))
console.log('Beside other S3 servers: BENCH_RIVALS=NAME=PATH,… node bench/rivals.ts (bench/README.md)')

// Each in a process of its own, with a service of its own.
const alone = (file: string, ...args: string[]): number =>
  spawnSync(process.execPath, [path.join(import.meta.dirname, file), ...args], { stdio: 'inherit' }).status ?? 1
const images = ['--only', options.only, '--seconds', options.seconds, '--rounds', options.rounds]
process.exitCode =
  alone('images.ts', ...images) ||
  alone('s3.ts', ...images, '--million', options.million) ||
  (wanted('versions')
    ? alone('versions.ts', '--million', options.million, ...(options.postgres ? ['--postgres'] : []))
    : 0) ||
  (wanted('memory') ? alone('memory.ts', '--million', options.million) : 0) ||
  (wanted('console') ? alone('console.ts') : 0)

async function measure(service: ServerProcess, client: Client, token: string): Promise<void> {
  const authorization = `Bearer ${token}`
  const objects = `${service.url}/api/v1/buckets/${BUCKET}/objects`
  await client.createBucket({ body: { name: BUCKET, trash_days: 0 } })
  for (const [key, size] of Object.entries({ small: 4096, large: 1024 * 1024 }))
    await client.putObject({ params: { bucket: BUCKET, key }, query: {}, body: Buffer.alloc(size, 'strongroom ') })
  const job = (method: string, url: string, body = 0): Job => ({
    method,
    url,
    body,
    seconds: SECONDS,
    connections: CONNECTIONS,
    headers: { authorization, ...(body > 0 ? { 'content-type': 'application/octet-stream' } : {}) },
  })

  const put = await floor('put', folder)
  await compare('4 KiB upload, durable', job('PUT', `${objects}/u/#`, 4096), { ...job('PUT', put, 4096) }, 0.5)
  await compare('1 MiB upload, durable', job('PUT', `${objects}/v/#`, 1 << 20), job('PUT', put, 1 << 20))
  for (const [name, key, size, target] of [
    ['4 KiB download', 'small', 4096, 0.5],
    ['1 MiB download', 'large', 1 << 20, undefined],
  ] as const) {
    const file = path.join(folder, `floor-${key}`)
    fs.writeFileSync(file, Buffer.alloc(size, 'strongroom '))
    await compare(name, job('GET', `${objects}/${key}`), job('GET', await floor('get', file)), target)
  }
  if (wanted('4 KiB download beside uploads')) {
    const get = job('GET', `${objects}/small`)
    const seen: { alone: Outcome; beside: Outcome }[] = []
    for (let i = 0; i < ROUNDS; i++) {
      const alone = await run(get)
      const [beside] = await Promise.all([run(get), run({ ...job('PUT', `${objects}/w/#`, 4096), connections: 4 })])
      seen.push({ alone, beside })
    }
    const { alone, beside } = seen[ROUNDS >> 1] as (typeof seen)[number]
    const ratio = median(seen.map((one) => one.beside.perSecond / one.alone.perSecond)).toFixed(2)
    report('4 KiB download beside uploads', rate(beside, false), `alone ${rate(alone, false)}`, ratio, '')
  }
  await compare('HEAD', job('HEAD', `${objects}/small`), job('HEAD', await floor('head')), 0.4)
  if (wanted('webhook deliveries')) {
    const receiver = await floor('receive')
    const seen: { ours: number; theirs: number }[] = []
    await measureWebhooks({ databaseUrl, client, receiver, rounds: ROUNDS }, (ours, theirs) =>
      seen.push({ ours, theirs }),
    )
    const middle = (side: 'ours' | 'theirs') => `${Math.round(median(seen.map((one) => one[side])))}/s`
    const ratio = median(seen.map(({ ours, theirs }) => ours / theirs))
    report('webhook deliveries', middle('ours'), `raw POSTs ${middle('theirs')}`, ratio.toFixed(2), '')
  }
  if (wanted('browse')) await measureBrowse(service, client, (url) => job('GET', url))
  if (wanted('2 GiB')) await measureMemory(service, client, authorization)
  if (wanted('replicas'))
    for (const row of await measureReplicas(SECONDS, ROUNDS, CONNECTIONS))
      report(row.name, row.two, `one replica ${row.one}`, row.ratio.toFixed(2), '')
  if (wanted('audit'))
    for (const { name, ours, target } of await measureAudit(service, client, token, databaseUrl, AUDIT_ROWS))
      rows.push({ name, ours, floor: '', ratio: '', target })
}

/** Runs a floor server and gives its URL. */
async function floor(name: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'floors', `${name}.ts`), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, UV_THREADPOOL_SIZE: '16' },
  })
  children.push(child)
  const [chunk] = (await once(child.stdout as Readable, 'data')) as [Buffer]
  const url = `http://127.0.0.1:${(JSON.parse(chunk.toString()) as AddressInfo).port}/`
  floors.set(url, child.pid)
  return url
}

/** Runs a job and measures the CPU time of the process that serves it, in ms for each request. */
function rate({ perSecond, bytesPerSecond, medianMs, p99Ms }: Outcome, megabytes: boolean): string {
  const throughput = megabytes ? ` ${Math.round(bytesPerSecond / 1e6)} MB/s` : ''
  return `${Math.round(perSecond)}/s${throughput}, median ${medianMs.toFixed(1)}, p99 ${p99Ms.toFixed(1)} ms`
}

async function compare(name: string, ours: Job, theirs: Job, target?: number): Promise<void> {
  if (!wanted(name)) return
  const rounds: { ours: Measured; floor: Measured }[] = []
  for (let i = 0; i < ROUNDS; i++)
    rounds.push({
      floor: await runMeasured(theirs, floors.get(theirs.url)),
      ours: await runMeasured(ours, server?.child.pid),
    })
  const ratio = median(rounds.map((round) => round.ours.perSecond / round.floor.perSecond))
  const middle = rounds.toSorted((a, b) => a.ours.perSecond - b.ours.perSecond)[ROUNDS >> 1] as (typeof rounds)[number]
  const megabytes = name.startsWith('1 MiB')
  report(
    name,
    `${rate(middle.ours, megabytes)}, CPU ${middle.ours.cpuMs.toFixed(2)} ms`,
    `${rate(middle.floor, megabytes)}, CPU ${middle.floor.cpuMs.toFixed(2)} ms`,
    ratio.toFixed(2),
    target ? `≥ ${target}` : '',
  )
}

function report(name: string, ours: string, floor: string, ratio: string, target: string): void {
  rows.push({ name, ours, floor, ratio, target })
  console.log(`${name}: ${ours} | floor ${floor} | ${ratio} ${target}`)
}

async function measureBrowse(service: ServerProcess, client: Client, job: (url: string) => Job): Promise<void> {
  const counts = { 'size-1k': 1000, 'size-100k': 100_000, 'size-1m': Number(options.million) }
  for (const [name, count] of Object.entries(counts)) {
    await client.createBucket({ body: { name } })
    await seedObjects(databaseUrl, name, inFolders(count))
  }
  await client.createBucket({ body: { name: 'size-flat' } })
  await seedObjects(databaseUrl, 'size-flat', flat(100_000))
  const page = (bucket: string, query: string) => job(`${service.url}/api/v1/buckets/${bucket}/browse?${query}`)
  const base: Outcome[] = []
  const rounds = new Map<string, Outcome[]>()
  const pages = {
    'browse a folder, bucket of 100 k': page('size-100k', 'prefix=photos-0050/'),
    'browse a folder, bucket of 1 M': page(
      'size-1m',
      `prefix=photos-${options.million === '1000000' ? '0500' : '0000'}/`,
    ),
    'browse the top, bucket of 1 M (100 folders)': page('size-1m', ''),
    [BY_NAME]: page('size-flat', 'prefix=flat/'),
    'browse a flat folder of 100 k, offset 50,000': page('size-flat', 'prefix=flat/&offset=50000'),
    'browse a flat folder of 100 k by size': page('size-flat', 'prefix=flat/&sort=size'),
    'browse a flat folder of 100 k by time': page('size-flat', 'prefix=flat/&sort=modified'),
    'browse a flat folder of 100 k by size, offset 50,000': page('size-flat', 'prefix=flat/&sort=size&offset=50000'),
  }
  for (let i = 0; i < ROUNDS; i++) {
    base.push(await run(page('size-1k', 'prefix=photos-0000/')))
    for (const [name, one] of Object.entries(pages)) rounds.set(name, [...(rounds.get(name) ?? []), await run(one)])
  }
  for (const [name, outcomes] of rounds) {
    const isSorted = name.includes(' by ')
    const floor = isSorted ? (rounds.get(BY_NAME) ?? []) : base
    const ratio = median(outcomes.map((one, i) => (floor[i] as Outcome).perSecond / one.perSecond))
    const target = /1 M$| by \w+$/.test(name) ? '≤ 2 ×' : ''
    report(
      name,
      rate(outcomes[0] as Outcome, false),
      `${isSorted ? 'by name' : '1 k'}: ${rate(floor[0] as Outcome, false)}`,
      `${ratio.toFixed(2)} ×`,
      target,
    )
  }
}

/** Growth of the resident memory at its peak during one large upload and one large download. */
async function measureMemory(service: ServerProcess, client: Client, authorization: string): Promise<void> {
  const size = 2 * 1024 ** 3
  const growth = async (name: string, work: () => Promise<unknown>) => {
    const { mb, seconds } = await growthDuring(service, work)
    report(name, `${Math.round(size / 1e6 / seconds)} MB/s`, '', `${Math.round(mb)} MB of RSS`, '< 100 MB')
  }
  const chunk = Buffer.alloc(1 << 20, 'strongroom ')
  const source = () =>
    Readable.from(
      (function* () {
        for (let i = 0; i < 2048; i++) yield chunk
      })(),
      { objectMode: false },
    )
  const url = `${service.url}/api/v1/buckets/${BUCKET}/objects/huge`
  await growth('2 GiB upload', async () => {
    const request = http.request(url, { method: 'PUT', headers: { authorization, 'content-length': size } })
    const answered = once(request, 'response') as Promise<[http.IncomingMessage]>
    await pipeline(source(), request)
    const [response] = await answered
    response.resume()
    if (response.statusCode !== 201) throw new Error(`The upload answered ${response.statusCode}`)
  })
  await growth('2 GiB download', async () => {
    const response = await client.getObject({ params: { bucket: BUCKET, key: 'huge' } })
    if (!response.body) throw new Error('The download has no body')
    await pipeline(Readable.fromWeb(response.body as never), new PassThrough().resume())
  })
}
