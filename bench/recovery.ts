/**
 * How long it takes from an empty folder to a service that answers, when only the backup place of a database with many objects is
 * left: `node bench/recovery.ts [--objects N]`.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient } from '../client/derived.ts'
import { spawnServer, strongroom } from '../tests/support/process.ts'
import { flat, seedObjects } from './seed.ts'
import { ALLOCATOR, buildService, COMPILED, serviceEnv, WHO } from './service.ts'

const { values: options } = parseArgs({ options: { objects: { type: 'string', default: '1000000' } } })
const OBJECTS = Number(options.objects)
const BUCKET = 'large'
/** Uploads after the base copy: what follows it has to be applied as well. */
const LATER = 2000

buildService()
const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
const place = path.join(folder, 'place')
fs.mkdirSync(place)
const old = path.join(folder, 'old')
const anew = path.join(folder, 'new')
const envOf = (data: string) => ({ ...serviceEnv(data), ...ALLOCATOR, WORKERS: '1', BACKUP_URL: `file:${place}` })
const start = (data: string) => spawnServer(envOf(data), ['serve'], COMPILED)
const seconds = (since: number): number => Math.round((performance.now() - since) / 100) / 10
async function connect(baseUrl: string) {
  const { access_token: token } = await createClient({ baseUrl }).login({ body: WHO })
  return createClient({ baseUrl, token })
}
try {
  let server = await spawnServer({ ...envOf(old), BACKUP_URL: 'off' }, ['serve'], COMPILED)
  await (await connect(server.url)).createBucket({ body: { name: BUCKET } })
  await server.kill('SIGTERM')
  await seedObjects(`sqlite:${old}/strongroom.db`, BUCKET, flat(OBJECTS))

  server = await start(old)
  let client = await connect(server.url)
  const beganShipping = performance.now()
  /** Resolves when the place has everything up to now. */
  async function shipped(): Promise<void> {
    const now = Date.now()
    for (;;) {
      const { moment } = await client.getBackup()
      if (moment !== null && Date.parse(moment) >= now) return
      await pause(200)
    }
  }
  await shipped()
  console.log(`first copy of ${OBJECTS} objects: ${seconds(beganShipping)} s, ${megabytes(place)} MB at the place`)
  const body = Buffer.alloc(4096, 'strongroom ')
  for (let i = 0; i < LATER; i += 16)
    await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        client.putObject({ params: { bucket: BUCKET, key: `later/${i + n}` }, body }),
      ),
    )
  await shipped()
  await server.kill('SIGKILL')

  // The bytes of larger objects are elsewhere; here it is only the mark of their storage.
  fs.cpSync(path.join(old, 'blobs'), path.join(anew, 'blobs'), { recursive: true })
  const began = performance.now()
  const { out, err, code } = await strongroom(['recover', '--from', `file:${place}`], envOf(anew))
  if (code !== 0) throw new Error(`recover: ${out}${err}`)
  console.log(out.trimEnd())
  console.log(`recover: ${seconds(began)} s`)
  server = await start(anew)
  client = await connect(server.url)
  const { total } = await client.browse({
    params: { bucket: BUCKET },
    query: { prefix: 'later/', limit: 1, offset: 0 },
  })
  console.log(`from an empty folder to an answer: ${seconds(began)} s (goal 120), ${total} later objects are there`)
  await server.kill('SIGTERM')
} finally {
  fs.rmSync(folder, { recursive: true, force: true })
}

function megabytes(where: string): number {
  const files = fs.readdirSync(where, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const bytes = files.reduce((sum, file) => sum + fs.statSync(path.join(file.parentPath, file.name)).size, 0)
  return Math.round(bytes / 1e6)
}
