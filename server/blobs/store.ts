import { type SqlBool, sql } from 'kysely'
import { prepared } from '../db/prepare.ts'
import type { Db, NewRow, Row, Tx } from '../db/schema.ts'
import { FROZEN } from '../drivers/routing/store.ts'
import { isOfSnapshot } from './history/store.ts'

export const insertBlobs = (
  tx: Tx,
  ids: readonly string[],
  { storage_id, checkAfter }: { storage_id: number | null; checkAfter: Date },
) =>
  tx
    .insertInto('blobs')
    .values(ids.map((id) => ({ id, storage_id, check_after: checkAfter.toISOString() })))
    .execute()

export const setCheckAfter = async (tx: Tx, ids: readonly string[], checkAfter: Date): Promise<void> => {
  await check(tx, { ids, check_after: checkAfter.toISOString() })
}
const check = prepared(
  (tx: Tx, { ids, check_after }: { ids: readonly string[]; check_after: string }) =>
    tx.updateTable('blobs').set({ check_after }).where('id', 'in', ids),
  { blind: true },
)

/** Locks blobs that are due for a check, so that no second collector takes them. */
export const claimDue = async (tx: Tx, now: Date, limit: number): Promise<string[]> =>
  (
    await tx
      .selectFrom('blobs')
      .select('id')
      .where('check_after', '<=', now.toISOString())
      .orderBy('check_after')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute()
  ).map(({ id }) => id)

/** What is known of a blob's bytes, and how they are encrypted. */
export type BlobFacts = Pick<Row<'blobs'>, 'md5' | 'sha256' | 'checksums' | 'envelope' | 'service_key' | 'sums'> & {
  size: number
}

const insertInlineBlob = prepared(
  (tx: Tx, row: { id: string; check_after: string | null; inline: number } & BlobFacts) =>
    tx.insertInto('blobs').values(row),
  { blind: true },
)
const insertBody = prepared(
  (tx: Tx, row: { blob_id: string; bytes: Uint8Array }) => tx.insertInto('bodies').values(row),
  { blind: true },
)
/**
 * Inserts a blob with its bytes. Without `checkAfter` nothing will check it: what points at it commits in the same
 * transaction.
 */
export async function insertInline(
  tx: Tx,
  { id, bytes, checkAfter }: { id: string; bytes: Uint8Array; checkAfter?: Date },
  facts: BlobFacts,
): Promise<void> {
  await Promise.all([
    insertInlineBlob(tx, { id, check_after: checkAfter?.toISOString() ?? null, inline: 1, ...facts }),
    insertBody(tx, { blob_id: id, bytes }),
  ])
}

const describe = prepared(
  (tx: Tx, { id, ...facts }: { id: string } & BlobFacts) => tx.updateTable('blobs').set(facts).where('id', '=', id),
  { blind: true },
)
/** Which of these blobs are encrypted. */
export const findEncrypted = async (db: Db, ids: readonly string[]): Promise<string[]> =>
  ids.length === 0
    ? []
    : (
        await db.selectFrom('blobs').select('id').where('id', 'in', ids).where('envelope', 'is not', null).execute()
      ).map(({ id }) => id)

/** Notes how stored bytes are encrypted. */
export const noteEnvelope = (tx: Tx, id: string, columns: Pick<Row<'blobs'>, 'envelope' | 'service_key'>) =>
  tx.updateTable('blobs').set(columns).where('id', '=', id).execute()

/** Notes what is known of stored bytes; `sums`: the checksums of their segments, if they are not among the facts. */
export const noteFacts = async (
  tx: Tx,
  id: string,
  facts: BlobFacts,
  sums: readonly Omit<Row<'blob_sums'>, 'blob_id'>[] = [],
): Promise<void> => {
  await Promise.all([describe(tx, { id, ...facts }), insertSums(tx, id, sums)])
}
async function insertSums(tx: Tx, id: string, rows: readonly Omit<Row<'blob_sums'>, 'blob_id'>[]): Promise<void> {
  for (let i = 0; i < rows.length; i += PARTS)
    await tx
      .insertInto('blob_sums')
      .values(rows.slice(i, i + PARTS).map((row) => ({ blob_id: id, ...row })))
      .execute()
}

/**
 * Which of these blobs have their bytes on another storage, or are bytes that others keep; inline ones are on none.
 */
export const findElsewhere = async (
  db: Db,
  ids: readonly string[],
  storage: number | null,
): Promise<Pick<Row<'blobs'>, 'id' | 'md5' | 'envelope'>[]> =>
  ids.length === 0
    ? []
    : db
        .selectFrom('blobs')
        .select(['id', 'md5', 'envelope'])
        .where('id', 'in', ids)
        .where('inline', '=', 0)
        .where((e) => e.or([e('storage_id', 'is distinct from', storage), isExternal('blobs.id')]))
        .execute()

/** The MD5 and the checksums of a blob's bytes as its row has them; undefined without a row. */
export const findFacts = (db: Db, id: string): Promise<Pick<Row<'blobs'>, 'md5' | 'checksums'> | undefined> =>
  db.selectFrom('blobs').select(['md5', 'checksums']).where('id', '=', id).executeTakeFirst()

/** Whether the ids of blobs in a column say that others keep the bytes. */
export const isExternal = (column: string) =>
  sql<SqlBool>`(substr(${sql.ref(column)}, 15, 1) = '8' and substr(${sql.ref(column)}, 16, 1) >= '8')`

/** Notes of a blob what is known of another with the same bytes, and of its parts. */
export async function copyFacts(tx: Tx, from: string, to: string): Promise<void> {
  const { sums, ...facts } = await tx
    .selectFrom('blobs')
    .select(['size', 'md5', 'sha256', 'checksums', 'sums'])
    .where('id', '=', from)
    .executeTakeFirstOrThrow()
  // What was encrypted otherwise is stored as other bytes, of which is known already what they are.
  const copy = await tx.selectFrom('blobs').select('size').where('id', '=', to).executeTakeFirstOrThrow()
  const isAsStored = copy.size === null
  await tx
    .updateTable('blobs')
    .set({ ...facts, ...(isAsStored && { sums }) })
    .where('id', '=', to)
    .execute()
  await tx
    .insertInto('blob_parts')
    .columns(['blob_id', 'part_number', 'size', 'md5', 'checksum'])
    .expression((e) =>
      e
        .selectFrom('blob_parts')
        .select((f) => [f.val(to).as('blob_id'), 'part_number', 'size', 'md5', 'checksum'])
        .where('blob_id', '=', from),
    )
    .execute()
  if (isAsStored) await copySums(tx, from, to)
}

const copySums = (tx: Tx, from: string, to: string) =>
  tx
    .insertInto('blob_sums')
    .columns(['blob_id', 'start', 'size', 'sums'])
    .expression((e) =>
      e
        .selectFrom('blob_sums')
        .select((f) => [f.val(to).as('blob_id'), 'start', 'size', 'sums'])
        .where('blob_id', '=', from),
    )
    .execute()

/** Rows per statement; SQLite takes 32,766 values. */
const PARTS = 1000

/** Notes the parts that a blob's bytes came in. */
export async function insertParts(tx: Tx, rows: readonly NewRow<'blob_parts'>[]): Promise<void> {
  for (let i = 0; i < rows.length; i += PARTS)
    await tx
      .insertInto('blob_parts')
      .values(rows.slice(i, i + PARTS))
      .execute()
}

/** In order of part number; none if its bytes came as one. */
export const listParts = (db: Db, id: string): Promise<Row<'blob_parts'>[]> =>
  db.selectFrom('blob_parts').selectAll().where('blob_id', '=', id).orderBy('part_number').execute()

/** The tables whose rows point at blobs. */
const POINTING = ['objects', 'versions', 'trash', 'uploads', 'history_contents'] as const

/**
 * Deletes those of `ids` that nothing points at, and returns them. The foreign keys decide races: a reference made
 * meanwhile prevents the delete, a delete made first prevents the reference.
 */
export const deleteUnreferenced = (tx: Tx, ids: readonly string[]): Promise<{ id: string; inline: number }[]> =>
  tx
    .deleteFrom('blobs')
    .where('id', 'in', ids)
    .where((e) =>
      e.and(
        POINTING.map((table) =>
          e.not(e.exists(e.selectFrom(table).select('blob_id').whereRef(`${table}.blob_id`, '=', 'blobs.id'))),
        ),
      ),
    )
    .where((e) => e.not(isOfSnapshot))
    .returning(['id', 'inline'])
    .execute()

/** What is known of those of these blobs whose bytes are on others' storages, but ours to remove. */
export const findTakenOver = (tx: Tx, ids: readonly string[]) =>
  tx
    .selectFrom('external_blobs')
    .innerJoin('buckets', 'buckets.id', 'external_blobs.bucket_id')
    .innerJoin('blobs', 'blobs.id', 'external_blobs.blob_id')
    .select(['blob_id', 'bucket_id', 'key', 'version_id', 'etag', 'external_blobs.size', 'modified_at'])
    .select((e) => e.ref('blobs.storage_id').$notNull().as('storage_id'))
    .where('blob_id', 'in', ids)
    .where('mode', 'in', FROZEN)
    .execute()

export type TakenOver = Row<'external_removals'>

export const queueTakenOver = (tx: Tx, rows: readonly Omit<TakenOver, 'queued_at'>[], now: Date) =>
  tx
    .insertInto('external_removals')
    .values(rows.map((row) => ({ ...row, queued_at: now.toISOString() })))
    .execute()

/** Whether an order comes after one, oldest first. */
const isAfter = (one: { queued_at: string; blob_id: string } | undefined) =>
  one ? sql<SqlBool>`(queued_at, blob_id) > (${one.queued_at}, ${one.blob_id})` : sql<SqlBool>`true`

/** Orders to remove what was taken over after one, oldest first, of storages that are on. */
export const listTakenOver = (db: Db, after: TakenOver | undefined, limit: number): Promise<TakenOver[]> =>
  db
    .selectFrom('external_removals')
    .innerJoin('storages', 'storages.id', 'external_removals.storage_id')
    .selectAll('external_removals')
    .where('disabled_at', 'is', null)
    .where(isAfter(after))
    .orderBy('queued_at')
    .orderBy('blob_id')
    .limit(limit)
    .execute()

/** Puts orders that were refused behind all others. */
export const deferTakenOver = (tx: Tx, ids: readonly string[], now: Date) =>
  tx.updateTable('external_removals').set({ queued_at: now.toISOString() }).where('blob_id', 'in', ids).execute()

export const deleteTakenOver = (tx: Tx, ids: readonly string[]) =>
  tx.deleteFrom('external_removals').where('blob_id', 'in', ids).execute()

/** Marks blobs found in use: they need no further check until something releases them. */
export const settle = (tx: Tx, ids: readonly string[]) =>
  tx.updateTable('blobs').set({ check_after: null }).where('id', 'in', ids).execute()

export const queueRemovals = (tx: Tx, ids: readonly string[], now: Date) =>
  tx
    .insertInto('blob_removals')
    .values(ids.map((blob_id) => ({ blob_id, queued_at: now.toISOString() })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()

export type Removal = Row<'blob_removals'>

/** Orders to remove bytes after one, oldest first. */
export const findRemovals = (db: Db, after: Removal | undefined, limit: number): Promise<Removal[]> =>
  db
    .selectFrom('blob_removals')
    .selectAll()
    .where(isAfter(after))
    .orderBy('queued_at')
    .orderBy('blob_id')
    .limit(limit)
    .execute()

export const deleteRemovals = (tx: Tx, ids: readonly string[]) =>
  tx.deleteFrom('blob_removals').where('blob_id', 'in', ids).execute()

/** Of which of these blobs it is known what they are: not of those whose id is only reserved. */
export const findComplete = async (db: Db, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const rows = await db.selectFrom('blobs').select('id').where('id', 'in', ids).where('size', 'is not', null).execute()
  return new Set(rows.map(({ id }) => id))
}

/** Which of these ids have a row that keeps or deletes their bytes. */
export const findKnown = async (db: Db, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const kept = await db.selectFrom('blobs').select('id').where('id', 'in', ids).execute()
  const queued = await db.selectFrom('blob_removals').select('blob_id as id').where('blob_id', 'in', ids).execute()
  return new Set([...kept, ...queued].map(({ id }) => id))
}
