// What a damaged disk does to those who read: files of a mirrored storage are changed, deleted, cut and swapped while clients
// read them all the time, and one scrub finds and repairs everything. Run by hand for many; tests/faults/damage.test.ts does a few.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { signFast } from '../s3/sign.ts'
import { STORED, startServer, type TestServer } from '../support/server.ts'
import type { Content } from './model.ts'
import { bytesOf, makeContent, makeNoise, PART, partsOf } from './noise.ts'
import { type Random, random } from './random.ts'

const KIB = 1024
const MIB = 1024 * KIB
/** Shares of the blobs to which each kind of damage is done; of the swapped ones, both are counted. */
const SHARES = { flipped: 0.03, deleted: 0.03, cut: 0.01, swapped: 0.01 } as const
type Damage = keyof typeof SHARES
/** Of how many blobs one is large, and how many of those came in parts. */
const ONE_LARGE_OF = 200
const READERS = 4
const AT_ONCE = 16
const BUCKET = 'damaged'
const DEFAULT = { storage: 'default' }

export interface Damaged {
  blobs: number
  bytes: number
  done: Record<Damage, number>
  /** Answers to clients who read all the time, and how many of those had other bytes than were written. */
  reads: number
  wrong: string[]
  /** Answers other than the bytes. Must be none, as one copy of each is whole. */
  refused: string[]
  /** Keys that were damaged and are not in the report, those that are there twice, and those that were not damaged. */
  unreported: string[]
  repeated: string[]
  invented: string[]
  /** Files of either copy that are not what was written, after one scrub and the copies that it has queued. */
  unhealed: string[]
  /** Damaged copies that a second scrub found. */
  foundAgain: number
  /** Seconds that the scrub, and making the copies took. */
  scrubSeconds: number
  healSeconds: number
}

/** Damages some of this many blobs; the same for the same seed, except for what is read when. */
export async function damageMany(seed: number, blobs: number): Promise<Damaged> {
  const disks = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-damage-'))
  const server = await startServer('sqlite', {
    ...STORED,
    S3_PORT: '0',
    STORAGE_FOLDERS: disks,
    SCRUB_DAYS: '30',
    SCRUB_MIB_PER_SECOND: '100000',
    MIRROR_TIMEOUT_SECONDS: '30',
    LOG_LEVEL: 'error',
  })
  try {
    return await run(server, disks, { chosen: random(seed), noise: makeNoise(seed), blobs })
  } finally {
    await server.stop()
    fs.rmSync(disks, { recursive: true, force: true })
  }
}

/** An object that was written, and where its bytes are. */
interface Written {
  key: string
  content: Content
  /** In both copies, relative to the storage: a file, or one of the files of its parts. */
  files: string[]
}

async function run(
  server: TestServer,
  disks: string,
  { chosen, noise, blobs }: { chosen: Random; noise: Buffer<ArrayBuffer>; blobs: number },
): Promise<Damaged> {
  const { admin } = server
  const [main, mirror] = [path.join(server.folder, 'blobs'), path.join(disks, 'nas')]
  await admin.createBucket({ body: { name: BUCKET, trash_days: 0 } })
  await admin.createStorage({ body: { name: 'nas', kind: 'file', folder: mirror } })
  await admin.updateStorage({ params: DEFAULT, body: { mirror: { storage: 'nas' } } })
  const contents = new Map<string, Content>()
  for (let i = 0; i < blobs; i++) {
    const isLarge = i % ONE_LARGE_OF === 0
    const size = isLarge ? chosen.int(2 * MIB, 7 * MIB) : Math.round(5 * KIB * 60 ** chosen.next())
    contents.set(`k${i}`, makeContent(noise, chosen, size, isLarge && chosen.chance(0.5)))
  }
  await each([...contents], ([key, content]) => upload(server, key, { noise, content }))
  await copyAll(server)
  const { complete, copies_due } = (await admin.getStorage({ params: DEFAULT })).mirror ?? {}
  if (!complete || copies_due !== 0) throw new Error(`The mirror lacks ${copies_due} copies`)
  const written = await findFiles(server, main, contents)

  const seen = { reads: 0, wrong: [] as string[], refused: [] as string[] }
  let over = false
  const url = new URL(server.running.s3Url ?? '')
  const pair = await admin.createAccessKey({ body: { name: 'readers' } })
  const readers = Array.from({ length: READERS }, async (_, i) => {
    const own = random(chosen.int(0, 2 ** 31))
    while (!over) {
      const { key, content } = own.pick(written) as Written
      const request = i % 2 === 0 ? overApi(server, key) : overS3(url, pair, { key, now: server.clock.now() })
      await readOnce(request, { key, whole: bytesOf(noise, content), chosen: own, seen })
      // The scrub waits while its process is busy.
      await pause(20)
    }
  })
  const done = damage(main, written, chosen)
  await pause(500)
  const began = performance.now()
  await server.running.tick('scrub')
  const scrubbed = performance.now()
  const { scrub } = await admin.getStorage({ params: DEFAULT })
  if (scrub?.checked !== blobs || scrub.finished_at === null)
    throw new Error(`The scrub has read ${scrub?.checked} of ${blobs}`)
  await copyAll(server)
  const healed = performance.now()
  over = true
  await Promise.all(readers)

  const records = await server.database.db
    .selectFrom('audit')
    .select('object_key')
    .where('action', 'in', ['heal', 'scrub_damaged', 'read_damaged'])
    .execute()
  const reported = records.map(({ object_key }) => object_key ?? '')
  const damaged = new Set(Object.values(done).flat())
  await server.later(31 * 24 * 3_600_000)
  await server.running.tick('scrub')
  const again = (await admin.listStorages()).items.map((one) => one.scrub?.damaged ?? 0)
  return {
    blobs,
    bytes: [...contents.values()].reduce((sum, { size }) => sum + size, 0),
    done: Object.fromEntries(Object.entries(done).map(([kind, keys]) => [kind, keys.length])) as Record<Damage, number>,
    ...seen,
    unreported: [...damaged].filter((key) => !reported.includes(key)),
    repeated: reported.filter((key, i) => reported.indexOf(key) !== i),
    invented: reported.filter((key) => !damaged.has(key)),
    unhealed: unlike([main, mirror], await findFiles(server, main, contents), noise),
    foundAgain: again.reduce((sum, count) => sum + count, 0),
    scrubSeconds: (scrubbed - began) / 1000,
    healSeconds: (healed - scrubbed) / 1000,
  }
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items.values()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of rest) await work(item)
    }),
  )
}

async function upload(
  { admin, url, adminToken }: TestServer,
  key: string,
  { noise, content }: { noise: Buffer<ArrayBuffer>; content: Content },
): Promise<void> {
  const params = { bucket: BUCKET }
  const bytes = bytesOf(noise, content)
  if (!content.etag.includes('-')) {
    await admin.putObject({ params: { ...params, key }, body: bytes })
    return
  }
  const parts = partsOf(bytes)
  const { upload_id, urls } = await admin.initUpload({
    params,
    body: { key, file_size: bytes.length, part_size: PART },
  })
  const headers = { authorization: `Bearer ${adminToken}` }
  const sent: { part_number: number; etag: string }[] = []
  for (const [i, body] of parts.entries()) {
    const answer = await fetch(url + new URL(urls[i] ?? '').pathname, { method: 'PUT', body, headers })
    await answer.arrayBuffer()
    sent.push({ part_number: i + 1, etag: answer.headers.get('etag') ?? '' })
  }
  await admin.completeUpload({ params, body: { upload_id, parts: sent } })
}

/** Makes all copies that are due. */
async function copyAll(server: TestServer): Promise<void> {
  for (let i = 0; i < 4; i++) {
    server.clock.advance(61_000)
    await server.running.tick('mirror-copies')
  }
  await server.later(0)
}

async function findFiles(
  { database }: TestServer,
  main: string,
  contents: ReadonlyMap<string, Content>,
): Promise<Written[]> {
  const rows = await database.db.selectFrom('objects').select(['key', 'blob_id']).orderBy('key').execute()
  return rows.map(({ key, blob_id }) => {
    const file = path.join(blob_id.slice(-2), blob_id)
    const parts = path.join(main, `${file}.d`)
    const files = fs.existsSync(parts)
      ? fs.readdirSync(parts).flatMap((name) => (name === 'manifest' ? [] : path.join(`${file}.d`, name)))
      : [file]
    return { key, content: contents.get(key) as Content, files }
  })
}

/** Damages files of one copy in all ways; returns the keys by how. */
function damage(root: string, written: readonly Written[], chosen: Random): Record<Damage, string[]> {
  const rest = written.map((one) => ({ one, at: chosen.next() })).sort((a, b) => a.at - b.at)
  const take = (share: number) =>
    rest.splice(0, Math.max(2, 2 * Math.round((written.length * share) / 2))).map(({ one }) => ({
      key: one.key,
      file: path.join(root, chosen.pick(one.files) as string),
    }))
  const keys = (all: readonly { key: string }[]) => all.map(({ key }) => key)
  const [flipped, deleted, cut, swapped] = [
    take(SHARES.flipped),
    take(SHARES.deleted),
    take(SHARES.cut),
    take(SHARES.swapped),
  ]
  for (const { file } of flipped) {
    const bytes = fs.readFileSync(file)
    for (let i = chosen.int(1, 5); i > 0; i--) {
      const at = chosen.int(0, bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << chosen.int(0, 8))
    }
    const fd = fs.openSync(file, 'r+')
    fs.writeSync(fd, bytes)
    fs.closeSync(fd)
  }
  for (const { file } of deleted) fs.rmSync(file)
  for (const { file } of cut) fs.truncateSync(file, chosen.int(0, fs.statSync(file).size))
  for (let i = 0; i < swapped.length; i += 2) {
    const [one, two] = [swapped[i]?.file ?? '', swapped[i + 1]?.file ?? '']
    fs.renameSync(one, `${one}.swap`)
    fs.renameSync(two, one)
    fs.renameSync(`${one}.swap`, two)
  }
  return { flipped: keys(flipped), deleted: keys(deleted), cut: keys(cut), swapped: keys(swapped) }
}

interface Request {
  url: string
  headers: Record<string, string>
}
const overApi = ({ url, adminToken }: TestServer, key: string): Request => ({
  url: `${url}/api/v1/buckets/${BUCKET}/objects/${key}`,
  headers: { authorization: `Bearer ${adminToken}` },
})

function overS3(
  { href, host }: URL,
  pair: Parameters<typeof signFast>[0],
  { key, now }: { key: string; now: Date },
): Request {
  const at = `/${BUCKET}/${key}`
  const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }
  const { host: _, ...signed } = signFast(pair, { method: 'GET', host, path: at, query: '', headers }, '', now)
  return { url: new URL(at, href).href, headers: signed }
}

/** Reads all of an object, or a range of it, and compares. */
async function readOnce(
  { url, headers }: Request,
  {
    key,
    whole,
    chosen,
    seen,
  }: { key: string; whole: Uint8Array; chosen: Random; seen: Pick<Damaged, 'reads' | 'wrong' | 'refused'> },
): Promise<void> {
  const start = chosen.chance(0.5) ? chosen.int(0, whole.length) : undefined
  const end = start === undefined ? whole.length : Math.min(whole.length, start + chosen.int(1, 200_000))
  seen.reads++
  try {
    const answer = await fetch(url, {
      headers: { ...headers, ...(start !== undefined && { range: `bytes=${start}-${end - 1}` }) },
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (!answer.ok) seen.refused.push(`${key}: ${answer.status} ${bytes.toString().slice(0, 200)}`)
    else if (!bytes.equals(whole.subarray(start ?? 0, end))) seen.wrong.push(key)
  } catch (error) {
    seen.refused.push(`${key}: ${(error as Error).message}`)
  }
}

/** Keys whose bytes at one of these places are not those that were written. */
function unlike(roots: readonly string[], written: readonly Written[], noise: Buffer<ArrayBuffer>): string[] {
  return written.flatMap(({ key, content, files }) =>
    roots.flatMap((root) => {
      const hash = createHash('sha256')
      try {
        const whole = path.join(root, (files[0] as string).replace(/\.d\/.*$/, ''))
        const all = fs.existsSync(whole) ? [whole] : files.map((file) => path.join(root, file)).sort(byNumber)
        for (const file of all) hash.update(fs.readFileSync(file))
      } catch {
        return [`${key} in ${root}`]
      }
      const is = hash.digest('hex')
      return is === createHash('sha256').update(bytesOf(noise, content)).digest('hex') ? [] : [`${key} in ${root}`]
    }),
  )
}
const byNumber = (a: string, b: string) => Number.parseInt(path.basename(a), 10) - Number.parseInt(path.basename(b), 10)

/** One run; prints what came of it. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { blobs: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
  })
  const found = await damageMany(Number(values.seed), Number(values.blobs))
  const faults = ['wrong', 'refused', 'unreported', 'repeated', 'invented', 'unhealed'] as const
  for (const kind of faults) for (const text of found[kind].slice(0, 10)) process.stdout.write(`${kind}: ${text}\n`)
  const counts = Object.fromEntries(faults.map((kind) => [kind, found[kind].length]))
  process.stdout.write(`${JSON.stringify({ seed: Number(values.seed), ...found, ...counts }, null, 2)}\n`)
  process.exitCode = faults.some((kind) => found[kind].length > 0) || found.foundAgain > 0 ? 1 : 0
}
if (import.meta.main) await main()
