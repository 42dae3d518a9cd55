import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { createClient } from '../client/derived.ts'
import { type ServerProcess, spawnServer } from '../tests/support/process.ts'
import { type Job, type Measured, median, run, runMeasured } from './load.ts'
import { seedObjects } from './seed.ts'
import { ALLOCATOR, buildService, COMPILED, growthDuring, serviceEnv, WHO } from './service.ts'

/**
 * Measures requests of the S3 endpoint beside the same ones of the REST API, taking turns. `npm run bench` runs it last;
 * alone: `node bench/s3.ts [--only text] [--seconds N] [--rounds N] [--million N] [--each MiB]`; `each` is the size of
 * every one of 64 uploads at once.
 */
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    million: { type: 'string', default: '1000000' },
    each: { type: 'string', default: '128' },
  },
})
const SECONDS = Number(options.seconds)
const ROUNDS = Number(options.rounds)
const COUNT = Number(options.million)
const CONNECTIONS = 16
/** Keys that uploads take in turn: a signature is of one path. */
const KEYS = 64
const MIB = 1024 * 1024
const BUCKET = 'bench'

const AT_ONCE = '64 PUTs at once'
const NAMES = ['4 KiB GET', '4 KiB PUT', '64 MiB PUT', AT_ONCE, 'list', 'DeleteObjects of 1000']
const wanted = (name: string) => name.includes(options.only)
const rows: Record<string, { s3: string; rest: string; ratio: string; target: string }> = {}
function report(name: string, row: (typeof rows)[string]): void {
  rows[name] = row
  console.log(`${name}: ${row.s3} | REST ${row.rest} | ${row.ratio} ${row.target}`)
}

if (!NAMES.some(wanted)) process.exit()
buildService()
const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
let server: ServerProcess | undefined
try {
  const env = serviceEnv(folder)
  server = await spawnServer({ ...env, ...ALLOCATOR, S3_PORT: '0' }, ['serve'], COMPILED)
  await measure(server, env.DATABASE_URL)
} finally {
  await server?.kill('SIGTERM')
  fs.rmSync(folder, { recursive: true, force: true })
}
console.log(`\n${os.cpus().length} cores, ${CONNECTIONS} connections, SQLite + files`)
console.table(rows)

async function measure(service: ServerProcess, databaseUrl: string): Promise<void> {
  const { access_token: token } = await createClient({ baseUrl: service.url }).login({ body: WHO })
  const client = createClient({ baseUrl: service.url, token })
  for (const name of [BUCKET, 'many']) await client.createBucket({ body: { name, trash_days: 0 } })
  await client.putObject({ params: { bucket: BUCKET, key: 'small' }, body: Buffer.alloc(4096, 'strongroom ') })
  const key = await client.createAccessKey({ body: { name: 'bench' } })
  const s3 = new S3Client({
    endpoint: /S3 clients.*: (http:\S+)/.exec(service.log())?.[1] ?? '',
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: key.access_key_id, secretAccessKey: key.secret_access_key },
  })
  const job = (method: string, urls: readonly string[], more: Partial<Job> = {}): Job => ({
    method,
    url: urls[0] ?? '',
    urls,
    headers: {},
    body: 0,
    seconds: SECONDS,
    connections: CONNECTIONS,
    ...more,
  })
  const headers = { authorization: `Bearer ${token}` }
  const rest = (query: string) => `${service.url}/api/v1/buckets/${query}`
  const presigned = (command: GetObjectCommand | PutObjectCommand | ListObjectsV2Command) =>
    getSignedUrl(s3, command as GetObjectCommand, { expiresIn: 3600 })

  async function compare(name: string, target: string, ours: Job, theirs: Job): Promise<void> {
    if (!wanted(name)) return
    const rounds: { ours: Measured; theirs: Measured }[] = []
    for (let i = 0; i < ROUNDS; i++)
      rounds.push({
        theirs: await runMeasured(theirs, service.child.pid),
        ours: await runMeasured(ours, service.child.pid),
      })
    const ratio = median(rounds.map((round) => round.ours.perSecond / round.theirs.perSecond))
    const middle = rounds.toSorted((a, b) => a.ours.perSecond - b.ours.perSecond)[ROUNDS >> 1]
    if (middle) report(name, { s3: said(middle.ours), rest: said(middle.theirs), ratio: ratio.toFixed(2), target })
  }

  const signedGet = await presigned(new GetObjectCommand({ Bucket: BUCKET, Key: 'small' }))
  await compare(
    '4 KiB GET',
    '≥ 0.9',
    job('GET', [signedGet]),
    job('GET', [rest(`${BUCKET}/objects/small`)], { headers }),
  )
  const keys = Array.from({ length: KEYS }, (_, i) => `put-${i}`)
  const signedPuts = await Promise.all(keys.map((Key) => presigned(new PutObjectCommand({ Bucket: BUCKET, Key }))))
  const puts = keys.map((one) => rest(`${BUCKET}/objects/${one}`))
  for (const [name, body, connections, target] of [
    ['4 KiB PUT', 4096, CONNECTIONS, '≥ 0.85'],
    ['64 MiB PUT', 64 * MIB, 2, '≥ 0.95'],
  ] as const)
    await compare(
      name,
      target,
      job('PUT', signedPuts, { body, connections }),
      job('PUT', puts, { body, connections, headers: { ...headers, 'content-type': 'application/octet-stream' } }),
    )

  if (wanted(AT_ONCE)) {
    const each = Number(options.each)
    // Each connection sends one, however long that takes.
    const atOnce = job('PUT', signedPuts, { body: each * MIB, connections: KEYS, seconds: 0.2 })
    const { mb, seconds } = await growthDuring(service, () => run(atOnce))
    report(`${AT_ONCE}, ${each} MiB each`, {
      s3: `${Math.round((KEYS * each * MIB) / 1e6 / seconds)} MB/s`,
      rest: '',
      ratio: `${Math.round(mb)} MB of RSS`,
      target: '≤ 67 MB',
    })
  }

  if (!NAMES.slice(4).some(wanted)) return
  const named = (i: number) => `folder-${String(Math.floor(i / 1000)).padStart(5, '0')}/${String(i).padStart(8, '0')}`
  await seedObjects(
    databaseUrl,
    'many',
    (function* () {
      for (let i = 0; i < COUNT; i++) yield named(i)
    })(),
  )
  const list = async (more: object) => presigned(new ListObjectsV2Command({ Bucket: 'many', ...more }))
  const browse = (query: string) => job('GET', [rest(`many/browse?${query}`)], { headers, connections: 1 })
  for (const [name, target, input, query] of [
    ['list of 1000, the first', 'median ≤ 15 ms', {}, 'prefix=folder-00000/&limit=1000'],
    [
      'list of 1000, in the middle',
      'median ≤ 15 ms',
      { StartAfter: named(COUNT / 2) },
      'prefix=folder-00000/&limit=1000',
    ],
    ['list by delimiter, of 1000 folders', '', { Delimiter: '/' }, 'limit=1000'],
    ['list of one', '', { MaxKeys: 1, Prefix: named(COUNT / 2) }, 'prefix=folder-00000/&limit=1'],
  ] as const)
    await compare(name, target, job('GET', [await list(input)], { connections: 1 }), browse(query))

  if (wanted('list of all')) {
    const began = performance.now()
    let found = 0
    for (let token: string | undefined; ; ) {
      const page = await s3.send(new ListObjectsV2Command({ Bucket: 'many', ContinuationToken: token }))
      found += page.KeyCount ?? 0
      token = page.NextContinuationToken
      if (!page.IsTruncated) break
    }
    const seconds = (performance.now() - began) / 1000
    report('list of all', { s3: `${found} in ${seconds.toFixed(1)} s`, rest: '', ratio: '', target: '≤ 25 s for 1 M' })
  }
  if (wanted('DeleteObjects of 1000')) {
    const times: { ours: number; theirs: number }[] = []
    for (let i = 0; i < ROUNDS * 2; i += 2) {
      const thousand = (n: number) => Array.from({ length: 1000 }, (_, k) => named(n * 1000 + k))
      const theirs = await timed(() => client.bulkDelete({ params: { bucket: 'many' }, body: { keys: thousand(i) } }))
      const Objects = thousand(i + 1).map((Key) => ({ Key }))
      const ours = await timed(() => s3.send(new DeleteObjectsCommand({ Bucket: 'many', Delete: { Objects } })))
      times.push({ ours, theirs })
    }
    const of = (side: 'ours' | 'theirs') => `${median(times.map((one) => one[side])).toFixed(0)} ms`
    const ratio = median(times.map(({ ours, theirs }) => ours / theirs))
    report('DeleteObjects of 1000', {
      s3: of('ours'),
      rest: of('theirs'),
      ratio: `${ratio.toFixed(2)} ×`,
      target: '≤ 1.5 ×',
    })
  }
}

function said({ perSecond, medianMs, cpuMs }: Measured): string {
  const rate = perSecond < 100 ? perSecond.toFixed(1) : Math.round(perSecond)
  return `${rate}/s, median ${medianMs.toFixed(1)} ms, CPU ${cpuMs.toFixed(2)} ms`
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
