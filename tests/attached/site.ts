import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { ProblemError } from '../../client/derived.ts'
import type { Scan } from '../../contract/scans.ts'
import type { Gateway } from '../support/ceph.ts'
import type { TestServer } from '../support/server.ts'

/** Where others keep their objects. */
export interface Place {
  endpoint: string
  bucket: string
  prefix: string
  access_key_id: string
  secret_access_key: string
}

/** A place on the tests' engine that is reached by this endpoint, such as a proxy's. */
export const placeOn = ({ url, credentials }: Gateway, endpoint: string, prefix = ''): Place => ({
  endpoint,
  bucket: new URL(url).hostname,
  prefix,
  access_key_id: credentials.accessKeyId,
  secret_access_key: credentials.secretAccessKey,
})

const DAY_MS = 86_400_000
const ended = ({ status }: Scan) => status !== 'queued' && status !== 'running'

/** Attached buckets, and what tests ask of them. */
export function siteOf(server: TestServer) {
  const { admin } = server
  let made = 0
  const lastScan = async (bucket: string): Promise<Scan> => {
    const { items } = await admin.listScans({ params: { bucket }, query: { limit: 1 } })
    return items[0] ?? assert.fail(`${bucket} was never scanned`)
  }
  /** Works on scans until the latest of a bucket has ended. */
  async function finishScan(bucket: string): Promise<Scan> {
    for (let ticks = 0; ticks < 20; ticks++) {
      await server.running.tick('attached-scans')
      const scan = await lastScan(bucket)
      if (ended(scan)) return scan
    }
    return assert.fail(`a scan of ${bucket} does not end`)
  }
  /** Scans a bucket once, from now on. */
  async function scan(bucket: string): Promise<Scan> {
    const { id } = await admin.startScan({ params: { bucket } })
    await finishScan(bucket)
    return admin.getScan({ params: { scan: id } })
  }
  return {
    /** Registers a storage. */
    async storage(place: Place): Promise<string> {
      const name = `engine-${++made}`
      server.secrets.add(place.secret_access_key)
      await admin.createStorage({ body: { name, ...place } })
      return name
    },
    /** Attaches what is on a storage, and does not scan yet. */
    async attach(storage: string, prefix?: string): Promise<string> {
      const name = `attached-${++made}`
      await admin.createBucket({
        body: { name, mode: 'read_only', storage, ...(prefix === undefined ? {} : { prefix }) },
      })
      return name
    },
    lastScan,
    finishScan,
    scan,
    /** Two scans with a day between them: afterwards what is gone has been removed. Confirms what is held. */
    async settle(bucket: string): Promise<Scan> {
      const confirmed = async (one: Scan): Promise<Scan> => {
        if (one.status !== 'held') return one
        await admin.confirmScan({ params: { scan: one.id } })
        return finishScan(bucket)
      }
      await confirmed(await scan(bucket))
      await server.later(DAY_MS + 1000)
      return confirmed(await scan(bucket))
    },
    /** Every object as lists show it: the key with its size and ETag. */
    async shown(bucket: string): Promise<Map<string, string>> {
      const found = new Map<string, string>()
      for (let cursor: string | undefined; ; ) {
        const page = await admin.listObjects({
          params: { bucket },
          query: { limit: 1000, ...(cursor === undefined ? {} : { cursor }) },
        })
        for (const { key, size, etag } of page.items) found.set(key, `${size} ${etag}`)
        if (page.next_cursor === null) return found
        cursor = page.next_cursor
      }
    },
    /** Keys whose objects are marked as missing, by the database. */
    async missing(bucket: string): Promise<string[]> {
      const { db } = server.database
      const rows = await db
        .selectFrom('objects')
        .innerJoin('buckets', 'buckets.id', 'objects.bucket_id')
        .innerJoin('external_blobs', 'external_blobs.blob_id', 'objects.blob_id')
        .select('objects.key')
        .where('name', '=', bucket)
        .where('missing_since', 'is not', null)
        .orderBy('objects.key')
        .execute()
      return rows.map(({ key }) => key)
    },
    /** Reads an object, and asserts that what comes belongs together. */
    read: (bucket: string, key: string, headers: Record<string, string> = {}) =>
      taken(() => admin.getObject({ params: { bucket, key }, headers })),
  }
}
export type Site = ReturnType<typeof siteOf>

export const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex')

/** What came of a read. `broken`: it broke off, so that nobody takes it for whole. */
export type Taken =
  | { kind: 'whole' | 'part' | 'unmodified'; bytes: Buffer; etag: string; range: string | null }
  | { kind: 'problem'; code: string; detail: string }
  | { kind: 'broken' }

/**
 * Takes the answer to a read. Fails if its length is not the one it says or, of a whole object with an MD5 as ETag, if
 * that is of other bytes.
 */
export async function taken(read: () => Promise<Response>): Promise<Taken> {
  let response: Response
  try {
    response = await read()
  } catch (error) {
    if (!(error instanceof ProblemError)) return { kind: 'broken' }
    return { kind: 'problem', code: error.code, detail: error.problem.detail }
  }
  const etag = (response.headers.get('etag') ?? '').replaceAll('"', '')
  const range = response.headers.get('content-range')
  let bytes: Buffer
  try {
    bytes = Buffer.from(await response.arrayBuffer())
  } catch {
    return { kind: 'broken' }
  }
  if (response.status === 304) return { kind: 'unmodified', bytes, etag, range }
  assert.equal(response.headers.get('content-length'), String(bytes.length))
  if (response.status === 206) return { kind: 'part', bytes, etag, range }
  if (/^[0-9a-f]{32}$/.test(etag)) assert.equal(md5(bytes), etag)
  return { kind: 'whole', bytes, etag, range }
}
