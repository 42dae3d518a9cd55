/**
 * Resident memory of a service on SQLite and files under a mixed load: small and large uploads and downloads, listings by
 * name and size, searches and audit queries over a bucket of a million objects, images; then idle. `npm run bench --
 * --only memory`, or `node bench/memory.ts [--minutes N] [--million N]`, prints a line each ten seconds, as a plot.
 */
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { createClient } from '../client/derived.ts'
import { spawnServer } from '../tests/support/process.ts'
import { type Job, run } from './load.ts'
import { inFolders, seedObjects } from './seed.ts'
import { ALLOCATOR, buildService, COMPILED, serviceEnv, WHO } from './service.ts'

const { values: options } = parseArgs({
  options: { minutes: { type: 'string', default: '2' }, million: { type: 'string', default: '1000000' } },
})
const EVERY_MS = 10_000
const MB = 1024 * 1024
const IDLE_MS = 60_000

const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
const databaseUrl = `sqlite:${path.join(folder, 'strongroom.db')}`
buildService()
const env = { ...serviceEnv(folder, databaseUrl), ...ALLOCATOR, BLOB_GRACE_SECONDS: '600' }
const server = await spawnServer(env, ['serve'], COMPILED)
try {
  const { access_token } = await createClient({ baseUrl: server.url }).login({ body: WHO })
  // The login's own token would expire before a long run ends.
  const login = createClient({ baseUrl: server.url, token: access_token })
  const { token } = await login.createToken({ body: { name: 'bench' } })
  const client = createClient({ baseUrl: server.url, token })
  for (const name of ['bench', 'million']) await client.createBucket({ body: { name, trash_days: 0 } })
  const put = (key: string, body: Uint8Array<ArrayBuffer>) =>
    client.putObject({ params: { bucket: 'bench', key }, query: {}, body })
  await put('small', Buffer.alloc(4096, 'strongroom '))
  await put('large', Buffer.alloc(MB, 'strongroom '))
  const plain = { create: { width: 2000, height: 1000, channels: 3 as const, background: '#778899' } }
  await put('image.jpg', Buffer.from(await sharp(plain).jpeg().toBuffer()))
  console.log(`started: ${Math.round(server.memory().rss / MB)} MB`)
  await seedObjects(databaseUrl, 'million', inFolders(Number(options.million)))

  const began = performance.now()
  const seconds = Number(options.minutes) * 60
  let peak = 0
  const sample = () => {
    const { rss } = server.memory()
    peak = Math.max(peak, rss)
    return rss
  }
  const show = () => {
    const rss = Math.round(sample() / MB)
    console.log(
      `${String(Math.round((performance.now() - began) / 1000)).padStart(5)} s ${rss} MB ${'#'.repeat(rss / 5)}`,
    )
  }
  const sampling = setInterval(sample, 250)
  const showing = setInterval(show, EVERY_MS)
  const objects = '/api/v1/buckets/bench/objects'
  const job = (method: string, at: string, body = 0): Promise<unknown> =>
    run({
      method,
      url: server.url + at,
      body,
      seconds,
      connections: 2,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body > 0 ? { 'content-type': 'application/octet-stream' } : {}),
      },
    } satisfies Job)
  await Promise.all([
    job('PUT', `${objects}/u/#`, 4096),
    job('GET', `${objects}/small`),
    // One key again and again, so that an hour does not fill the disk.
    job('PUT', `${objects}/v`, MB),
    job('GET', `${objects}/large`),
    job('GET', '/api/v1/buckets/million/browse?prefix=photos-0500/'),
    job('GET', '/api/v1/buckets/million/browse?prefix=photos-0000/&sort=size'),
    job('GET', '/api/v1/buckets/million/objects?search=_0042&limit=100'),
    job('GET', '/api/v1/audit?action=upload'),
    job('GET', '/api/v1/images/bench/image.jpg?w=400&format=webp'),
    everyKey(client),
  ])
  clearInterval(showing)
  show()
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
  const after = sample()
  clearInterval(sampling)
  console.log(`peak ${Math.round(peak / MB)} MB, ${Math.round(after / MB)} MB after a minute without requests`)

  /** Lists the large bucket from its beginning to its end, again and again. */
  async function everyKey(reader: typeof client): Promise<void> {
    let cursor: string | undefined
    while (performance.now() - began < seconds * 1000) {
      const page = await reader.listObjects({
        params: { bucket: 'million' },
        query: { limit: 1000, ...(cursor === undefined ? {} : { cursor }) },
      })
      cursor = page.next_cursor ?? undefined
    }
  }
} finally {
  await server.kill('SIGTERM')
  fs.rmSync(folder, { recursive: true, force: true })
}
