/**
 * Forks of a bucket, and of a folder of it, and a merge of what one of them has changed: how long each takes.
 * `node bench/forks.ts [--objects N] [--changes N]`.
 */
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { createClient } from '../client/derived.ts'
import { spawnServer } from '../tests/support/process.ts'
import { flat, seedObjects } from './seed.ts'
import { ALLOCATOR, buildService, COMPILED, serviceEnv, WHO } from './service.ts'

const { values: options } = parseArgs({
  options: { objects: { type: 'string', default: '1000000' }, changes: { type: 'string', default: '10000' } },
})
const OBJECTS = Number(options.objects)
const CHANGES = Number(options.changes)
const FOLDER = 1000
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
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
try {
  let client = await connect()
  await client.createBucket({ body: { name: BUCKET } })
  const seed = Buffer.alloc(4096, 'strongroom ')
  await client.putObject({ params: { bucket: BUCKET, key: '~seed' }, body: seed })
  for (let i = 0; i < FOLDER; i++)
    await client.putObject({ params: { bucket: BUCKET, key: `~folder/${i}` }, body: Buffer.from('x') })
  await server.kill('SIGTERM')
  await seedObjects(`sqlite:${file}`, BUCKET, flat(OBJECTS))
  server = await start()
  client = await connect()

  const rows: Record<string, object> = {}
  async function fork(name: string, from: { bucket: string; prefix?: string }): Promise<void> {
    const began = performance.now()
    let bucket = await client.createBucket({ body: { name, from } })
    while (bucket.fork?.state === 'filling') {
      await pause(50)
      bucket = await client.getBucket({ params: { bucket: name } })
    }
    const seconds = ((performance.now() - began) / 1000).toFixed(2)
    rows[`fork ${from.prefix ?? BUCKET}`] = { objects: bucket.object_count, seconds }
    console.log(name, rows)
  }
  await fork('of-a-folder', { bucket: BUCKET, prefix: '~folder/' })
  await fork('of-a-folder-again', { bucket: BUCKET, prefix: '~folder/' })
  await fork('whole', { bucket: BUCKET })

  await server.kill('SIGTERM')
  // As if it had been done through the service, which takes longer.
  await pause(1100)
  const database = new DatabaseSync(file)
  const moment = Date.now() * 1000
  database.function('strongroom_moment', (_floor) => BigInt(moment))
  database.function('strongroom_author', () => null)
  const id = database.prepare('select id from buckets where name = ?').get('whole')?.id as string
  const blob = database.prepare("select blob_id from objects where key = '~seed'").get()?.blob_id as string
  const some = `select key from objects where bucket_id = ? and key not like '~%' order by key limit ?`
  database
    .prepare(`update objects set blob_id = ?, etag = 'changed', moment = ? where bucket_id = ? and key in (${some})`)
    .run(blob, moment, id, id, CHANGES)
  database.close()
  server = await start()
  client = await connect()
  await pause(2500)
  for (const [name, dry_run] of [
    ['dry run', true],
    ['merge', false],
  ] as const) {
    let job = await client.createJob({ body: { kind: 'merge', source_bucket: 'whole', dry_run } })
    while (job.finished_at === null) {
      await pause(50)
      job = await client.getJob({ params: { id: job.id } })
    }
    if (job.status !== 'succeeded' || job.failed > 0) throw new Error(JSON.stringify(job))
    const seconds = (Date.parse(job.finished_at ?? '') - Date.parse(job.started_at ?? '')) / 1000
    rows[name] = { objects: job.total, seconds: seconds.toFixed(2) }
  }
  console.table(rows)
} finally {
  await server.kill('SIGTERM')
  fs.rmSync(folder, { recursive: true, force: true })
}
