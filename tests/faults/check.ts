import { sql } from 'kysely'
import type { Client, ProblemError } from '../../client/derived.ts'
import { type ActionName, auditOnly } from '../../contract/actions.ts'
import { type Database, openDatabase } from '../../server/db/open.ts'
import { openStorage } from '../../server/drivers/open.ts'
import { workDaysLater } from '../support/days-later.ts'
import type { Receiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import type { Snapshot } from './load.ts'
import type { Content, Path } from './model.ts'
import { sha256 } from './noise.ts'
import { configOf, type Pair } from './pair.ts'
import { BUCKETS, bucketOf, keyOf } from './worker.ts'

const AT_ONCE = 8
const MOST_TOLD = 20

/** Collects what must not be. */
export interface Faults {
  found: string[]
  expect(holds: boolean, text: () => string): void
}
export function faults(): Faults {
  const found: string[] = []
  return {
    found,
    expect(holds, text) {
      if (!holds) found.push(text())
    },
  }
}

/** Compares the service's state with what was acknowledged: objects and their bytes, trash, links, users, jobs, records. */
export async function checkModel(
  pair: Pair,
  admin: Client,
  snapshot: Snapshot,
  { found, expect }: Faults,
): Promise<void> {
  found.push(...snapshot.faults)
  const database = await openDatabase(pair.env.DATABASE_URL ?? '')
  try {
    await checkObjects(admin, snapshot, expect)
    await checkTrash(database, snapshot, expect)
    await checkThings(admin, snapshot, expect)
    await checkJobs(database, snapshot, expect)
    await checkRecords(database, snapshot, expect)
    if (!pair.postgres) {
      const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(database.db as never)
      expect(rows[0]?.integrity_check === 'ok', () => `SQLite: ${JSON.stringify(rows.slice(0, 5))}`)
      const broken = await sql`pragma foreign_key_check`.execute(database.db as never)
      expect(broken.rows.length === 0, () => `SQLite: ${broken.rows.length} foreign keys point nowhere`)
    }
  } finally {
    await database.close()
  }
}
type Expect = Faults['expect']

async function checkObjects(admin: Client, { objects }: Snapshot, expect: Expect): Promise<void> {
  const there = new Set<Path>()
  for (const { name } of Object.values(BUCKETS)) {
    let cursor: string | undefined
    let bytes = 0
    let count = 0
    do {
      const page = await admin.listObjects({ params: { bucket: name }, query: { limit: 1000, cursor } })
      for (const { key, etag, size } of page.items) {
        const path = `${name}/${key}`
        there.add(path)
        count++
        bytes += size
        const wanted = objects.get(path)
        expect(
          wanted !== undefined,
          () => `${path} is there and must not be: it was deleted, moved, or never acknowledged`,
        )
        if (wanted)
          expect(
            etag === wanted.etag && size === wanted.size,
            () => `${path} has ETag ${etag} instead of ${wanted.etag}`,
          )
      }
      cursor = page.next_cursor ?? undefined
    } while (cursor)
    const bucket = await admin.getBucket({ params: { bucket: name } })
    expect(
      bucket.used_bytes === bytes && bucket.object_count === count,
      () =>
        `${name} counts ${bucket.object_count} objects and ${bucket.used_bytes} bytes instead of ${count} and ${bytes}`,
    )
  }
  const all = [...objects]
  for (const [path] of all) expect(there.has(path), () => `lost: ${path} was acknowledged and is not there`)
  const work = async () => {
    for (let next = all.pop(); next; next = all.pop()) await checkBytes(admin, ...next, expect)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

async function checkBytes(admin: Client, path: Path, wanted: Content, expect: Expect): Promise<void> {
  try {
    const response = await admin.getObject({ params: { bucket: bucketOf(path), key: keyOf(path) } })
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect(sha256(bytes) === wanted.sha256, () => `lost: ${path} has other bytes (${bytes.length} of ${wanted.size})`)
  } catch (error) {
    expect(false, () => `lost: ${path} cannot be read: ${(error as Error).message}`)
  }
}

async function checkTrash({ db }: Database, { trash }: Snapshot, expect: Expect): Promise<void> {
  const rows = await db
    .selectFrom('trash')
    .innerJoin('buckets', 'buckets.id', 'trash.bucket_id')
    .select(['buckets.name', 'trash.key', 'trash.etag'])
    .execute()
  const there = Map.groupBy(rows, ({ name, key }) => `${name}/${key}`)
  for (const path of new Set([...there.keys(), ...trash.keys()])) {
    const has = (there.get(path) ?? []).map(({ etag }) => etag).sort()
    const wanted = (trash.get(path) ?? []).toSorted()
    expect(
      has.join() === wanted.join(),
      () => `the trash of ${path} has ${has.length} contents instead of ${wanted.length}`,
    )
  }
}

async function checkThings(admin: Client, { things, objects }: Snapshot, expect: Expect): Promise<void> {
  const there = new Set<string>()
  for (let cursor: string | undefined; ; ) {
    const page = await admin.listUsers({ query: { limit: 1000, cursor } })
    for (const { email } of page.items) there.add(`user ${email}`)
    if (!page.next_cursor) break
    cursor = page.next_cursor
  }
  for (let cursor: string | undefined; ; ) {
    const page = await admin.listGroups({ query: { limit: 1000, cursor } })
    for (const { name } of page.items) there.add(`group ${name}`)
    if (!page.next_cursor) break
    cursor = page.next_cursor
  }
  for (const [name, wanted] of things.expected)
    if (wanted !== null) expect(there.has(name) === wanted, () => `${name} ${wanted ? 'is lost' : 'is still there'}`)

  const links = [...things.links]
  const work = async () => {
    for (let next = links.pop(); next; next = links.pop()) {
      const [token, { path, active }] = next
      const wanted = objects.get(path)
      const outcome = await admin.openShare({ params: { token } }).then(
        async (response) => sha256(new Uint8Array(await response.arrayBuffer())),
        (error: ProblemError) => error.problem.status,
      )
      const right = active === null ? [410, 404, wanted?.sha256] : [active ? (wanted?.sha256 ?? 404) : 410]
      expect(right.includes(outcome), () => `a link to ${path} gives ${outcome} instead of ${right.join(' or ')}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

/** Jobs are over, and did each of their objects once. */
async function checkJobs({ db }: Database, { things }: Snapshot, expect: Expect): Promise<void> {
  const jobs = await db.selectFrom('jobs').select(['id', 'status', 'total', 'done', 'failed']).execute()
  expect(
    jobs.length === things.jobs.length,
    () => `there are ${jobs.length} jobs, of which ${things.jobs.length} were accepted`,
  )
  for (const { id, status, total, done, failed } of jobs)
    expect(status === 'succeeded' && total === done && failed === 0, () => `job ${id}: ${status}, ${done} of ${total}`)
  const left = await db.selectFrom('job_items').select('job_id').execute()
  expect(left.length === 0, () => `${left.length} items of jobs are left`)
}

/** One record for each acknowledged change of an object, and no other. */
async function checkRecords({ db }: Database, { records, things }: Snapshot, expect: Expect): Promise<void> {
  const rows = await db
    .selectFrom('audit')
    .select((e) => ['action', 'bucket', 'object_key', e.fn.countAll<number>().as('count')])
    .where('action', 'in', ['upload', 'copy', 'move', 'delete', 'restore'])
    .where('bucket', 'in', Object.keys(BUCKETS))
    .where('result', '=', 'success')
    .groupBy(['action', 'bucket', 'object_key'])
    .execute()
  const there = new Map(
    rows.map(({ action, bucket, object_key, count }) => [`${action} ${bucket}/${object_key}`, Number(count)]),
  )
  for (const name of new Set([...there.keys(), ...records.keys()])) {
    const [has, wanted] = [there.get(name) ?? 0, records.get(name) ?? 0]
    expect(has === wanted, () => `the audit log has ${has} records instead of ${wanted} of ${name}`)
  }
  for (const [action, { acknowledged, lost }] of things.actions) {
    const { count } = await db
      .selectFrom('audit')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('action', '=', action)
      .where('actor_type', '=', 'user')
      .where('result', '=', 'success')
      .executeTakeFirstOrThrow()
    const has = Number(count)
    expect(
      has >= acknowledged && has <= acknowledged + lost,
      () => `the audit log has ${has} records of ${action}: ${acknowledged} were acknowledged, ${lost} in doubt`,
    )
  }
}

/** One delivery for each record and matching endpoint, and all of them arrive. */
export async function checkDeliveries(pair: Pair, receiver: Receiver, { expect }: Faults): Promise<number> {
  const database = await openDatabase(pair.env.DATABASE_URL ?? '')
  const { db } = database
  try {
    const open = async () =>
      Number(
        (
          await db
            .selectFrom('webhook_deliveries')
            .select((e) => e.fn.countAll<number>().as('count'))
            .where('status', '!=', 'acknowledged')
            .executeTakeFirstOrThrow()
        ).count,
      )
    for (let i = 0; i < 9 && (await open()) > 0; i++)
      await until(async () => (await open()) === 0).catch(() => undefined)
    const left = await open()
    expect(left === 0, () => `${left} deliveries do not arrive`)

    const endpoints = await db.selectFrom('webhooks').selectAll().execute()
    // Ids tell the order of things whatever a clock that was put back says.
    const since =
      endpoints
        .map(({ id }) => id)
        .sort()
        .at(-1) ?? ''
    const records = await db
      .selectFrom('audit')
      .select(['id', 'action', 'bucket', 'object_key', 'details'])
      .where('result', '=', 'success')
      .execute()
    const deliveries = await db.selectFrom('webhook_deliveries').select(['id', 'audit_id', 'webhook_id']).execute()
    const byRecord = Map.groupBy(deliveries, ({ audit_id }) => audit_id)
    for (const record of records) {
      // Events from before the last endpoint existed were not sent to all.
      if (record.id <= since || auditOnly.has(record.action as ActionName)) continue
      const places = [{ bucket: record.bucket, key: record.object_key }]
      if (record.action === 'move') places.push(JSON.parse(record.details).source)
      const wanted = endpoints
        .filter(({ events, bucket, prefix }) => {
          const names = JSON.parse(events) as string[]
          if (!names.includes('*') && !names.includes(record.action)) return false
          return bucket === null || places.some((one) => one.bucket === bucket && one.key?.startsWith(prefix ?? ''))
        })
        .map(({ id }) => id)
        .sort()
      const has = (byRecord.get(record.id) ?? []).map(({ webhook_id }) => webhook_id).sort()
      expect(
        has.join() === wanted.join(),
        () => `${record.action} of ${record.object_key} has ${has.length} deliveries instead of ${wanted.length}`,
      )
    }
    const known = new Set(records.map(({ id }) => id))
    const astray = deliveries.filter(({ audit_id }) => !known.has(audit_id)).length
    expect(astray === 0, () => `${astray} deliveries have no record`)
    const received = new Set(receiver.received.map(({ headers }) => String(headers['x-svc-delivery'])))
    const missed = deliveries.filter(({ id }) => !received.has(id)).length
    expect(missed === 0, () => `${missed} deliveries are acknowledged and were not received`)
    return deliveries.length
  } finally {
    await database.close()
  }
}

/** The commands that an administrator would run. */
export async function checkCommands(pair: Pair, { expect }: Faults): Promise<void> {
  const verify = await pair.command('verify', '--deep')
  expect(verify.code === 0, () => `strongroom verify --deep: ${short(verify.output)}`)
  const audit = await pair.command('audit', 'verify')
  expect(audit.code === 0, () => `strongroom audit verify: ${short(audit.output)}`)
}
const short = (text: string): string => text.split('\n').slice(0, MOST_TOLD).join('\n')

/**
 * Runs the workers days later, when open uploads and everything nothing points at are over: only what objects and trash
 * are made of may be left, in rows and in bytes. The servers must have ended. Gives how many were left over.
 */
export async function checkLeftovers(pair: Pair, { expect }: Faults): Promise<number> {
  const config = configOf(pair)
  await workDaysLater(config)
  const database = await openDatabase(pair.env.DATABASE_URL ?? '')
  const storage = await openStorage(config)
  try {
    const { db } = database
    const used = new Set(
      [
        ...(await db.selectFrom('objects').select('blob_id').execute()),
        ...(await db.selectFrom('trash').select('blob_id').execute()),
      ].map(({ blob_id }) => blob_id),
    )
    const rows = (await db.selectFrom('blobs').select('id').execute()).map(({ id }) => id)
    const stored = (await Array.fromAsync(storage.list())).map(({ id }) => id)
    const orphans = new Set([...rows, ...stored].filter((id) => !used.has(id)))
    expect(orphans.size === 0, () => `${orphans.size} blobs that nothing points at: ${[...orphans].slice(0, 5)}`)
    for (const table of ['uploads', 'upload_parts', 'blob_removals'] as const) {
      const left = await db.selectFrom(table).selectAll().execute()
      const open = table === 'uploads' ? left.filter((row) => 'completed_at' in row && row.completed_at === null) : left
      expect(open.length === 0, () => `${open.length} rows are left in ${table}`)
    }
    const usage = await db.selectFrom('bucket_usage').select('reserved').execute()
    const reserved = usage.reduce((sum, row) => sum + Number(row.reserved), 0)
    expect(reserved === 0, () => `${reserved} bytes stay reserved`)
    return orphans.size
  } finally {
    await storage.close()
    await database.close()
  }
}
