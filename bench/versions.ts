/**
 * A bucket whose thousand keys have a thousand versions each, beside one that keeps none: what lists, reads and writes
 * cost. `npm run bench -- --only versions [--postgres]`.
 */
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { createClient } from '../client/derived.ts'
import { encodeCursor } from '../server/base/cursor.ts'
import { newId } from '../server/base/id.ts'
import { openDatabase } from '../server/db/open.ts'
import { createDatabase, startPostgres } from '../tests/support/postgres.ts'
import { spawnServer } from '../tests/support/process.ts'
import { median } from './load.ts'
import { flat, seedObjects } from './seed.ts'
import { serviceEnv, WHO } from './service.ts'

const { values: options } = parseArgs({
  options: { postgres: { type: 'boolean', default: false }, million: { type: 'string', default: '1000000' } },
})
const KEYS = 1000
const ROUNDS = 60
const EACH = Math.floor(Number(options.million) / KEYS)

const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
const postgres = options.postgres ? await startPostgres() : undefined
const databaseUrl = postgres ? (await createDatabase(postgres.url)).url : `sqlite:${path.join(folder, 'strongroom.db')}`
const server = await spawnServer(serviceEnv(folder, databaseUrl))
try {
  const { access_token: token } = await createClient({ baseUrl: server.url }).login({ body: WHO })
  const client = createClient({ baseUrl: server.url, token })
  await client.createBucket({ body: { name: 'plain' } })
  await client.createBucket({ body: { name: 'versions', versioning: 'enabled' } })
  for (const bucket of ['plain', 'versions']) await seedObjects(databaseUrl, bucket, flat(KEYS))
  await seedVersions()

  const [key] = flat(1)
  const at = (bucket: string) => ({ bucket, key: key ?? '' })
  const [, first] = (await client.listVersions({ params: { bucket: 'versions' }, query: { key, limit: 2 } })).items
  const written = (bucket: string) => client.putObject({ params: { bucket, key: 'written' }, query: {}, body: 'x' })
  const page = (bucket: string, query: object) => client.listVersions({ params: { bucket }, query })
  const middle = encodeCursor(['flat/IMG_0000500.jpg', ''])
  const plain = {
    browse: () => client.browse({ params: { bucket: 'plain' }, query: {} }),
    list: () => page('plain', { limit: 100 }),
    upload: () => written('plain'),
  }
  const rows: [name: string, ours: () => Promise<unknown>, base: () => Promise<unknown>, of: string][] = [
    ['browse', () => client.browse({ params: { bucket: 'versions' }, query: {} }), plain.browse, 'browse without'],
    ['first 100 versions', () => page('versions', { limit: 100 }), plain.list, 'versions without'],
    ['versions of a key', () => page('versions', { key, limit: 100 }), plain.list, 'versions without'],
    [
      'versions from the middle',
      () => page('versions', { limit: 100, cursor: middle }),
      plain.list,
      'versions without',
    ],
    ['upload over an object', () => written('versions'), plain.upload, 'upload without'],
    [
      'restore a version',
      () =>
        client.restoreVersion({
          params: { bucket: 'versions' },
          body: { key: key ?? '', version_id: first?.version_id ?? '' },
        }),
      plain.upload,
      'upload without',
    ],
    ['head of a version', () => head('versions', first?.version_id), () => head('plain'), 'head without'],
  ]
  async function head(bucket: string, version_id?: string) {
    const query = version_id === undefined ? {} : { version_id }
    return client.headObject({ params: at(bucket), query })
  }
  for (const [name, ours, base, of] of rows) {
    const times: { ours: number[]; base: number[] } = { ours: [], base: [] }
    for (let i = 0; i < ROUNDS; i++)
      for (const [side, work] of [
        ['base', base],
        ['ours', ours],
      ] as const) {
        const began = performance.now()
        await work()
        times[side].push(performance.now() - began)
      }
    const [a, b] = [median(times.ours), median(times.base)]
    console.log(name, `${a.toFixed(2)} ms`, `${of} ${b.toFixed(2)} ms`, `ratio ${(a / b).toFixed(2)}`)
  }
} finally {
  await server.kill('SIGTERM')
  await postgres?.stop()
  fs.rmSync(folder, { recursive: true, force: true })
}

/** Puts versions of the seeded objects straight into the table. */
async function seedVersions(): Promise<void> {
  const database = await openDatabase(databaseUrl)
  const { db } = database
  const objects = await db
    .selectFrom('objects')
    .innerJoin('buckets', 'buckets.id', 'objects.bucket_id')
    .selectAll('objects')
    .where('name', '=', 'versions')
    .execute()
  for (let round = 0; round < EACH; round += 1)
    await database.transaction(
      (tx) =>
        tx
          .insertInto('versions')
          .values(objects.map((row) => ({ ...row, version_id: newId(), noncurrent_at: row.last_modified })))
          .execute(),
      { relaxed: true },
    )
  const bytes = objects.length * EACH * 4096
  const [{ bucket_id } = { bucket_id: '' }] = objects
  await database.transaction((tx) =>
    tx
      .updateTable('bucket_usage')
      .set((e) => ({ bytes: e('bytes', '+', bytes), version_bytes: bytes }))
      .where('bucket_id', '=', bucket_id)
      .execute(),
  )
  await database.transaction((tx) => sql`analyze`.execute(tx))
  await database.close()
}
