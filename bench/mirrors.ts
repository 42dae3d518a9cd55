import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Client, createClient } from '../client/derived.ts'
import { openDatabase } from '../server/db/open.ts'
import { type ServerProcess, spawnServer } from '../tests/support/process.ts'
import { cpuSeconds, type Job, median, type Outcome, run } from './load.ts'
import { ALLOCATOR, buildService, COMPILED, serviceEnv, WHO } from './service.ts'

/**
 * Measures a service whose bytes have a mirror and whose rows are shipped beside one without either, in turns, and verified reads
 * beside unverified ones: `node bench/mirrors.ts [--only text] [--seconds N] [--rounds N]`. The CPU time of an upload
 * includes that of its second copy and of shipping its rows, also after the last answer.
 */
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
  },
})
const [SECONDS, ROUNDS] = [Number(options.seconds), Number(options.rounds)]
const MIB = 1024 * 1024
const BUCKET = 'bench'
const DEFAULT = { storage: 'default' }
/** A key whose checksums nobody knows. */
const UNSUMMED = 'unsummed'

interface Side {
  service: ServerProcess
  client: Client
  job(method: string, key: string, body?: number): Job
}
interface Measuring {
  side: Side
  job: Job
}
const KINDS = ['with', 'without'] as const
type Kind = (typeof KINDS)[number]
interface Counted extends Outcome {
  cpuMs: number
}
const rows: Record<string, { with: string; without: string; ratio: string; CPU: string; target: string }> = {}
buildService()
const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
const sides: Side[] = []
try {
  const disks = path.join(folder, 'disks')
  fs.mkdirSync(disks)
  const mirrored = { STORAGE_FOLDERS: disks, BACKUP_URL: `file:${path.join(folder, 'backup')}` }
  const [plain, both] = [await start('plain', {}), await start('both', mirrored)]
  await both.client.createStorage({ body: { name: 'nas', kind: 'file', folder: path.join(disks, 'nas') } })
  await both.client.updateStorage({ params: DEFAULT, body: { mirror: { storage: 'nas', acknowledge: 'one' } } })
  await Promise.all([plain, both].map(fill))
  const size = (key: string) => (key.includes('1 MiB') ? MIB : 4096)
  for (const [name, target] of [
    ['PUT 4 KiB', '≥ 0.9'],
    ['PUT 1 MiB', '≥ 0.85'],
    ['GET 4 KiB', '≥ 0.98'],
    ['GET 1 MiB', '≥ 0.98'],
  ] as const) {
    const isPut = name.startsWith('PUT')
    const of = (side: Side): Measuring => ({
      side,
      job: isPut ? side.job('PUT', `${size(name)}/#`, size(name)) : side.job('GET', `of-${size(name)}`),
    })
    await compare(name, target, { with: of(both), without: of(plain) })
  }
  await forgetSums(plain)
  await compare('GET 1 MiB, verified or not', 'CPU ≤ 1.05', {
    with: { side: plain, job: plain.job('GET', `of-${MIB}`) },
    without: { side: plain, job: plain.job('GET', UNSUMMED) },
  })

  async function compare(name: string, target: string, of: Record<Kind, Measuring>): Promise<void> {
    if (!name.includes(options.only)) return
    const rounds: Record<Kind, Counted>[] = []
    // The first one warms both up.
    for (let i = 0; i <= ROUNDS; i++) {
      const found = {} as Record<Kind, Counted>
      for (const kind of i % 2 === 0 ? KINDS : KINDS.toReversed()) found[kind] = await measure(of[kind])
      rounds.push(found)
    }
    rounds.shift()
    const middle = (side: Kind) =>
      `${median(rounds.map((one) => one[side].perSecond)).toFixed(0)}/s, CPU ${median(rounds.map((one) => one[side].cpuMs)).toFixed(3)} ms`
    const ratio = (of: (one: Counted) => number) =>
      median(rounds.map((one) => of(one.with) / of(one.without))).toFixed(2)
    rows[name] = {
      with: middle('with'),
      without: middle('without'),
      ratio: ratio(({ perSecond }) => perSecond),
      CPU: ratio(({ cpuMs }) => cpuMs),
      target,
    }
    console.log(name, rows[name])
  }
} finally {
  for (const { service } of sides) await service.kill('SIGTERM')
  fs.rmSync(folder, { recursive: true, force: true })
}
console.log(`\n${os.cpus().length} cores, SQLite + files, mirror and backup place on the same disk, ${ROUNDS} rounds`)
console.table(rows)

async function start(name: string, more: Record<string, string>): Promise<Side> {
  const own = path.join(folder, name)
  fs.mkdirSync(own)
  const service = await spawnServer({ ...serviceEnv(own), ...ALLOCATOR, ...more }, ['serve'], COMPILED)
  const { access_token: token } = await createClient({ baseUrl: service.url }).login({ body: WHO })
  const headers = { authorization: `Bearer ${token}` }
  const side: Side = {
    service,
    client: createClient({ baseUrl: service.url, token }),
    job: (method, key, body = 0) => ({
      method,
      url: `${service.url}/api/v1/buckets/${BUCKET}/objects/${key}`,
      headers,
      body,
      seconds: SECONDS,
      connections: 16,
    }),
  }
  sides.push(side)
  return side
}

async function fill({ client }: Side): Promise<void> {
  await client.createBucket({ body: { name: BUCKET, trash_days: 0 } })
  for (const [key, size] of [
    ['of-4096', 4096],
    [`of-${MIB}`, MIB],
    [UNSUMMED, MIB],
  ] as const)
    await client.putObject({ params: { bucket: BUCKET, key }, body: Buffer.alloc(size, 'strongroom ') })
}

/** Takes the checksums of an object away, as an earlier release would have left it. */
async function forgetSums({ client }: Side): Promise<void> {
  const database = await openDatabase(serviceEnv(path.join(folder, 'plain')).DATABASE_URL)
  await database.transaction(async (tx) => {
    const { blob_id } = await tx
      .selectFrom('objects')
      .select('blob_id')
      .where('key', '=', UNSUMMED)
      .executeTakeFirstOrThrow()
    await tx.updateTable('blobs').set({ sums: null }).where('id', '=', blob_id).execute()
  })
  await database.close()
  await client.headObject({ params: { bucket: BUCKET, key: UNSUMMED } })
}

async function measure({ side: { service, client }, job }: Measuring): Promise<Counted> {
  const { pid } = service.child
  const before = cpuSeconds(pid)
  const outcome = await run(job)
  while (job.method === 'PUT' && ((await client.getStorage({ params: DEFAULT })).mirror?.copies_due ?? 0) > 0)
    await pause(100)
  const requests = outcome.perSecond * job.seconds
  return { ...outcome, cpuMs: ((cpuSeconds(pid) - before) * 1000) / requests }
}
