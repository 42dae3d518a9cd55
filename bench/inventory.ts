/**
 * How long an inventory of a large bucket takes as Parquet, and what memory, while somebody uploads: `node bench/inventory.ts
 * [--objects N]`. The rows are counted in the files again.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { parquetMetadata } from 'hyparquet'
import { createClient } from '../client/derived.ts'
import { spawnServer } from '../tests/support/process.ts'
import { cpuSeconds } from './load.ts'
import { flat, seedObjects } from './seed.ts'
import { ALLOCATOR, buildService, COMPILED, serviceEnv, WHO } from './service.ts'

const { values: options } = parseArgs({ options: { objects: { type: 'string', default: '1000000' } } })
const OBJECTS = Number(options.objects)
const [BUCKET, TABLES] = ['large', 'tables']

buildService()
const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
const start = () => spawnServer({ ...serviceEnv(folder), ...ALLOCATOR, WORKERS: '1' }, ['serve'], COMPILED)
let server = await start()
const connect = async () => {
  const { access_token: token } = await createClient({ baseUrl: server.url }).login({ body: WHO })
  return createClient({ baseUrl: server.url, token })
}
try {
  let client = await connect()
  for (const name of [BUCKET, TABLES]) await client.createBucket({ body: { name } })
  await server.kill('SIGTERM')
  await seedObjects(`sqlite:${path.join(folder, 'strongroom.db')}`, BUCKET, flat(OBJECTS))
  server = await start()
  client = await connect()
  await pause(2000)

  const { id } = await client.createInventory({
    body: { name: 'all', bucket: BUCKET, destination: { bucket: TABLES, prefix: 'inv/' } },
  })
  let uploads = 0
  const upload = () =>
    client.putObject({ params: { bucket: BUCKET, key: `~later/${uploads++}` }, body: Buffer.from('x') })
  // What uploads take by themselves is not the inventory's.
  while (uploads < 500) await upload()
  fs.writeFileSync(`/proc/${server.child.pid}/clear_refs`, '5')
  const [rss, cpu, began] = [server.memory().rss, cpuSeconds(server.child.pid), performance.now()]
  const { id: run } = await client.runInventory({ params: { id } })
  const params = { id, run_id: run }
  const before = uploads
  let found = await client.getInventoryRun({ params })
  for (; found.finished_at === null; found = await client.getInventoryRun({ params })) {
    await upload()
    await pause(100)
  }
  const seconds = (performance.now() - began) / 1000
  if (found.status !== 'succeeded') throw new Error(found.reason ?? found.status)
  const { peak } = server.memory()
  let inFiles = 0
  for (const { key } of found.files.filter(({ of }) => of === 'objects')) {
    const body = await (await client.getObject({ params: { bucket: TABLES, key } })).arrayBuffer()
    inFiles += Number(parquetMetadata(body).num_rows)
  }
  console.table({
    inventory: {
      rows: found.rows,
      'rows in the files': inFiles,
      uploads: uploads - before,
      seconds: seconds.toFixed(1),
      'CPU, s': (cpuSeconds(server.child.pid) - cpu).toFixed(1),
      'MB before': (rss / 1e6).toFixed(0),
      'MB at the peak': (peak / 1e6).toFixed(0),
      'MB of files': (found.bytes / 1e6).toFixed(0),
    },
  })
} finally {
  await server.kill('SIGTERM')
  fs.rmSync(folder, { recursive: true })
}
