/**
 * A bucket goes back to a moment since which a fifth of its objects was overwritten and a twentieth deleted: how long the dry run,
 * the rollback and its undo take, and how long a GET takes meanwhile. `node bench/rollback.ts [--objects N]`.
 */
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { createClient } from '../client/derived.ts'
import type { Job } from '../contract/jobs.ts'
import { spawnServer } from '../tests/support/process.ts'
import { flat, seedObjects } from './seed.ts'
import { ALLOCATOR, buildService, COMPILED, serviceEnv, WHO } from './service.ts'

const { values: options } = parseArgs({ options: { objects: { type: 'string', default: '1000000' } } })
const OBJECTS = Number(options.objects)
const BUCKET = 'large'

buildService()
const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
const file = path.join(folder, 'strongroom.db')
const start = () => spawnServer({ ...serviceEnv(folder), ...ALLOCATOR, WORKERS: '1' }, ['serve'], COMPILED)
let server = await start()
const connect = async () => {
  const { access_token: token } = await createClient({ baseUrl: server.url }).login({ body: WHO })
  return createClient({ baseUrl: server.url, token })
}
try {
  let client = await connect()
  await client.createBucket({ body: { name: BUCKET } })
  await client.createBucket({ body: { name: 'other' } })
  await client.putObject({ params: { bucket: 'other', key: 'read' }, body: Buffer.alloc(4096, 'strongroom ') })
  await server.kill('SIGTERM')
  await seedObjects(`sqlite:${file}`, BUCKET, flat(OBJECTS))
  // As if it had been done through the service, which takes longer.
  const to = new Date(Date.now() + 1000).toISOString()
  const database = new DatabaseSync(file)
  const moment = (Date.parse(to) + 1000) * 1000
  database.function('strongroom_moment', (_floor) => BigInt(moment))
  database.function('strongroom_author', () => null)
  const id = database.prepare('select id from buckets where name = ?').get(BUCKET)?.id as string
  const other = database.prepare("select blob_id from objects where key = 'read'").get()?.blob_id as string
  const overwritten = 'update objects set blob_id = ?, etag = ?, moment = ? where bucket_id = ? and rowid % 5 = 0'
  database.prepare(overwritten).run(other, 'overwritten', moment, id)
  database.prepare('delete from objects where bucket_id = ? and rowid % 20 = 1').run(id)
  database.close()
  server = await start()
  client = await connect()
  await new Promise((resolve) => setTimeout(resolve, 2500))

  /** How long GETs take while something goes on, in ms. */
  async function readsDuring(work: () => Promise<unknown>): Promise<number[]> {
    const took: number[] = []
    let isOver = false
    const working = work().finally(() => {
      isOver = true
    })
    while (!isOver) {
      const began = performance.now()
      await (await client.getObject({ params: { bucket: 'other', key: 'read' } })).arrayBuffer()
      took.push(performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await working
    return took.sort((a, b) => a - b)
  }
  const p99 = (sorted: readonly number[]) => `${(sorted[Math.floor(sorted.length * 0.99)] ?? 0).toFixed(1)} ms`
  const idle = await readsDuring(() => new Promise((resolve) => setTimeout(resolve, 3000)))
  const rows: Record<string, object> = { idle: { 'p99 of a GET': p99(idle) } }
  async function measure(name: string, body: Parameters<typeof client.createJob>[0]['body']): Promise<Job> {
    let job: Job | undefined
    const reads = await readsDuring(async () => {
      job = await client.createJob({ body })
      while (job.finished_at === null) {
        await new Promise((resolve) => setTimeout(resolve, 50))
        job = await client.getJob({ params: { id: job.id } })
      }
    })
    if (job?.status !== 'succeeded' || job.failed > 0) throw new Error(JSON.stringify(job))
    const seconds = (Date.parse(job.finished_at ?? '') - Date.parse(job.started_at ?? '')) / 1000
    rows[name] = { seconds: seconds.toFixed(1), keys: job.total, 'p99 of a GET': p99(reads) }
    console.log(name, rows[name])
    return job
  }
  const rollback = { kind: 'rollback', source_bucket: BUCKET, to } as const
  await measure('dry run', { ...rollback, dry_run: true })
  const { id: of } = await measure('rollback', rollback)
  await measure('its undo', { kind: 'restore', of })
  console.table(rows)
} finally {
  await server.kill('SIGTERM')
  fs.rmSync(folder, { recursive: true, force: true })
}
