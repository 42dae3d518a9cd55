/**
 * What a search by anything takes in a large bucket, and what its indexes cost uploads without tags: the same uploads in a
 * database without them, in CPU time of the service. `node bench/search.ts [--objects N] [--engine sqlite|postgres|both]
 * [--uploads N] [--rounds N]`.
 */
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { createClient } from '../client/derived.ts'
import { newId } from '../server/base/id.ts'
import { openDatabase } from '../server/db/open.ts'
import { createDatabase, startPostgres } from '../tests/support/postgres.ts'
import { spawnServer } from '../tests/support/process.ts'
import { cpuSeconds, median } from './load.ts'
import { buildService, COMPILED, serviceEnv, WHO } from './service.ts'

const { values: options } = parseArgs({
  options: {
    objects: { type: 'string', default: '1000000' },
    engine: { type: 'string', default: 'both' },
    uploads: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '5' },
  },
})
const [OBJECTS, UPLOADS, ROUNDS] = [options.objects, options.uploads, options.rounds].map(Number) as [
  number,
  number,
  number,
]
const BATCH = 2000
const CONNECTIONS = 8
const DAY = 86_400_000
const TYPES = ['image/jpeg', 'image/png', 'text/plain', 'application/pdf', 'video/mp4', 'application/octet-stream']
const INDEXES = ['objects_by_type', 'objects_by_large_size', 'objects_by_time', 'objects_by_writer']
const TRIGGERS = ['objects_words_added', 'objects_words_changed', 'objects_words_removed']

const QUERIES: readonly (readonly [what: string, q: string])[] = [
  ['a tag, in 1 % of the objects', 'tag:project=apollo'],
  ['a tag, in 20 objects', 'tag:rare=yes'],
  ['metadata, one object', 'meta:id=4711'],
  ['a tag and a type', 'tag:project=apollo type:image/*'],
  ['two tags, a type, a size and a time', 'tag:project=apollo tag:stage=final type:image/* size:>1MB modified:<1y'],
  ['a type alone', 'kind:document'],
  ['size alone, 1 in 10,000', 'size:>100MB'],
  ['time alone, the last day of two years', 'modified:<1d'],
  ['a tag and a part of the name', 'tag:project=apollo name:*777*'],
  ['what has no tag', '-tag:project'],
  ['nothing: two tags that no object has both', 'tag:project=apollo tag:other=yes'],
]

/** Rows of objects, one of each hundred with a tag, as uploads leave them. */
async function seed(databaseUrl: string, bucket: string): Promise<void> {
  const database = await openDatabase(databaseUrl)
  const { id } = await database.db
    .selectFrom('buckets')
    .select('id')
    .where('name', '=', bucket)
    .executeTakeFirstOrThrow()
  const blob_id = newId()
  await database.transaction((tx) => tx.insertInto('blobs').values({ id: blob_id, check_after: null }).execute())
  const now = Date.now()
  const every = Math.max(1, Math.floor(OBJECTS / 20))
  for (let at = 0; at < OBJECTS; at += BATCH)
    await database.transaction(
      (tx) =>
        tx
          .insertInto('objects')
          .values(
            Array.from({ length: Math.min(BATCH, OBJECTS - at) }, (_, n) => {
              const i = at + n
              const time = new Date(now - ((i * 7919) % OBJECTS) * ((730 * DAY) / OBJECTS)).toISOString()
              const tags = {
                ...(i % 100 === 7 && { project: 'apollo', stage: i % 300 === 7 ? 'final' : 'draft' }),
                ...(i % 100 === 8 && { other: 'yes' }),
                ...(i % every === 11 && { rare: 'yes' }),
              }
              return {
                bucket_id: id,
                key: `photos-${String(Math.floor(i / 1000)).padStart(5, '0')}/IMG_${String(i % 1000).padStart(4, '0')}.jpg`,
                blob_id,
                size: i % 10_000 === 3 ? 200 * 1024 ** 2 : i % 10 === 7 ? 2 * 1024 ** 2 : 4096,
                etag: 'd41d8cd98f00b204e9800998ecf8427e',
                sha256: null,
                content_type: TYPES[i % TYPES.length] ?? '',
                metadata: i % 10 === 1 ? JSON.stringify({ id: String(i) }) : '{}',
                tags: Object.keys(tags).length === 0 ? null : JSON.stringify(tags),
                created_at: time,
                last_modified: time,
                created_by: null,
              }
            }),
          )
          .execute(),
      { relaxed: true },
    )
  // As autovacuum does.
  if (databaseUrl.startsWith('postgres')) await database.transaction((tx) => sql`analyze`.execute(tx))
  await database.close()
}

/** A service of its own with a bucket; before it goes on, `prepare` gets its database for itself. */
async function open(postgres: string | undefined, prepare: (databaseUrl: string) => Promise<void>) {
  const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
  const databaseUrl = postgres ? (await createDatabase(postgres)).url : `sqlite:${folder}/strongroom.db`
  const env = { ...serviceEnv(folder, databaseUrl), WORKERS: '1' }
  let server = await spawnServer(env, ['serve'], COMPILED)
  const connect = async () => {
    const { access_token: token } = await createClient({ baseUrl: server.url }).login({ body: WHO })
    return { token, client: createClient({ baseUrl: server.url, token }) }
  }
  await (await connect()).client.createBucket({ body: { name: 'bench' } })
  await server.kill('SIGTERM')
  await prepare(databaseUrl)
  server = await spawnServer(env, ['serve'], COMPILED)
  const { token, client } = await connect()
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  let uploads = 0
  return {
    client,
    /** CPU time of the service for an upload of 4 KiB, in ms. */
    async uploadCost(): Promise<number> {
      const before = cpuSeconds(server.child.pid)
      const body = Buffer.alloc(4096)
      let left = UPLOADS
      const work = async () => {
        while (left-- > 0)
          await new Promise<void>((resolve, reject) => {
            const url = `${server.url}/api/v1/buckets/bench/objects/up/${uploads++}`
            const headers = { authorization: `Bearer ${token}`, 'content-length': body.length }
            http
              .request(url, { method: 'PUT', agent, headers }, (response) => {
                response
                  .resume()
                  .on('end', () =>
                    response.statusCode === 201 ? resolve() : reject(new Error(String(response.statusCode))),
                  )
              })
              .on('error', reject)
              .end(body)
          })
      }
      await Promise.all(Array.from({ length: CONNECTIONS }, work))
      return ((cpuSeconds(server.child.pid) - before) * 1000) / UPLOADS
    },
    async stop() {
      agent.destroy()
      await server.kill('SIGTERM')
      fs.rmSync(folder, { recursive: true })
    },
  }
}

async function searches(engine: string, url?: string): Promise<void> {
  const began = performance.now()
  const { client, stop } = await open(url, (databaseUrl) => seed(databaseUrl, 'bench'))
  console.log(`${engine}: ${OBJECTS} objects in ${Math.round((performance.now() - began) / 1000)} s`)
  for (const [what, q] of QUERIES) {
    const times: number[] = []
    let found = ''
    for (let i = 0; i < 30; i++) {
      const start = performance.now()
      const page = await client.searchObjects({ params: { bucket: 'bench' }, query: { q, limit: 100 } })
      times.push(performance.now() - start)
      found = `${page.items.length} of ${page.total}${page.total_exact ? '' : ' or more'}`
    }
    const sorted = times.toSorted((a, b) => a - b)
    console.log(
      `| ${what} | \`${q}\` | ${found} | ${median(times).toFixed(1)} ms | ${(sorted[27] ?? 0).toFixed(1)} ms |`,
    )
  }
  await stop()
}

async function uploads(engine: string, url?: string): Promise<void> {
  const indexed = await open(url, async () => {})
  const bare = await open(url, async (databaseUrl) => {
    const database = await openDatabase(databaseUrl)
    await database.transaction(async (tx) => {
      for (const name of INDEXES) await sql.raw(`drop index ${name}`).execute(tx)
      for (const name of TRIGGERS)
        await sql.raw(`drop trigger ${name}${engine === 'postgres' ? ' on objects' : ''}`).execute(tx)
    })
    await database.close()
  })
  const ratios: number[] = []
  for (let i = 0; i <= ROUNDS; i++) {
    const [one, other] = i % 2 ? [indexed, bare] : [bare, indexed]
    const [first, second] = [await one.uploadCost(), await other.uploadCost()]
    const [withIndexes, without] = i % 2 ? [first, second] : [second, first]
    // The first round warms up.
    if (i > 0) ratios.push(withIndexes / without)
    console.log(
      `${engine}, upload of 4 KiB: ${withIndexes.toFixed(3)} ms with the indexes, ${without.toFixed(3)} ms without`,
    )
  }
  console.log(`${engine}: ratio ${median(ratios).toFixed(3)} (${ratios.map((one) => one.toFixed(3)).join(', ')})`)
  await indexed.stop()
  await bare.stop()
}

buildService()
const engines = ['sqlite', 'postgres'].filter((engine) => ['both', engine].includes(options.engine))
for (const engine of engines) {
  const postgres = engine === 'postgres' ? await startPostgres() : undefined
  await searches(engine, postgres?.url)
  await uploads(engine, postgres?.url)
  await postgres?.stop()
}
