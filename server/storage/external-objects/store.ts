// Objects whose bytes others keep: a row of `objects` with one of `external_blobs`.
import { type KeyOrder, sortKeyOf } from '../../base/key-order.ts'
import { inBatches } from '../../db/batches.ts'
import { changed, inserted } from '../../db/changes.ts'
import type { Db, ObjectRow, Row, Tx } from '../../db/schema.ts'

export type { ObjectRow }
export type ExternalRow = Row<'external_blobs'>

/** An object of an attached bucket, with what is known of its bytes. */
export interface ExternalObject {
  object: ObjectRow
  external: ExternalRow
}

const EXTERNAL_COLUMNS = [
  'external_blobs.version_id as external_version_id',
  'external_blobs.etag as external_etag',
  'external_blobs.key as external_key',
  'external_blobs.tags as external_tags',
  'external_blobs.storage_class as external_storage_class',
  'external_blobs.modified_at',
  'external_blobs.hydrated_at',
  'external_blobs.checked_at',
  'external_blobs.missing_since',
  'external_blobs.absences',
  'external_blobs.absent_in',
  'external_blobs.sort_key',
] as const

export const externalObjects = (db: Db) =>
  db
    .selectFrom('objects')
    .innerJoin('external_blobs', 'external_blobs.blob_id', 'objects.blob_id')
    .selectAll('objects')
    .select(EXTERNAL_COLUMNS)

export const toExternal = (
  row: Awaited<ReturnType<ReturnType<typeof externalObjects>['executeTakeFirstOrThrow']>>,
): ExternalObject => {
  const { external_version_id, external_etag, external_key, external_tags, external_storage_class, ...rest } = row
  const { modified_at, hydrated_at, checked_at, missing_since, absences, absent_in, sort_key, ...object } = rest
  const noted = { modified_at, hydrated_at, checked_at, missing_since, absences, absent_in, sort_key }
  const external = {
    ...noted,
    blob_id: object.blob_id,
    bucket_id: object.bucket_id,
    key: external_key,
    version_id: external_version_id,
    etag: external_etag,
    size: object.size,
    storage_class: external_storage_class,
    tags: external_tags,
  }
  return { object, external }
}

/** Objects after a key, up to another one or, with null, to the end, in an order of keys below the source's prefix. */
export const listExternal = async (
  db: Db,
  bucketId: string,
  { after, to, order, prefix }: { after: string | null; to: string | null; order: KeyOrder; prefix: string },
  limit: number,
): Promise<ExternalObject[]> => {
  if (order === 'segments') {
    // By one index alone, which has neither the objects' keys nor those of other buckets.
    let sorted = externalObjects(db).where('external_blobs.bucket_id', '=', bucketId).where('sort_key', 'is not', null)
    if (after !== null) sorted = sorted.where('sort_key', '>', sortKeyOf(prefix + after))
    if (to !== null) sorted = sorted.where('sort_key', '<=', sortKeyOf(prefix + to))
    return (await sorted.orderBy('sort_key').limit(limit).execute()).map(toExternal)
  }
  let query = externalObjects(db).where('objects.bucket_id', '=', bucketId)
  if (after !== null) query = query.where('objects.key', '>', after)
  if (to !== null) query = query.where('objects.key', '<=', to)
  return (await query.orderBy('objects.key').limit(limit).execute()).map(toExternal)
}

/** The objects under these keys. */
export const findExternal = async (db: Db, bucketId: string, keys: readonly string[]): Promise<ExternalObject[]> =>
  keys.length === 0
    ? []
    : (
        await externalObjects(db).where('objects.bucket_id', '=', bucketId).where('objects.key', 'in', keys).execute()
      ).map(toExternal)

/** The object that points at a blob. */
export const findExternalByBlob = async (db: Db, blobId: string): Promise<ExternalObject | undefined> => {
  const row = await externalObjects(db).where('objects.blob_id', '=', blobId).executeTakeFirst()
  return row && toExternal(row)
}

/** Like `findExternal`, locked until the transaction ends, in key order. */
export async function lockExternal(
  tx: Tx,
  bucketId: string,
  keys: readonly string[],
): Promise<Map<string, ExternalObject>> {
  if (keys.length === 0) return new Map()
  await tx
    .selectFrom('objects')
    .select('key')
    .where('bucket_id', '=', bucketId)
    .where('key', 'in', keys)
    .orderBy('key')
    .forUpdate()
    .execute()
  return new Map((await findExternal(tx, bucketId, keys)).map((one) => [one.object.key, one]))
}

/** Inserts objects whose keys are free; what is known of others' bytes is left out as well. Returns those keys. */
export async function insertExternal(tx: Tx, storageId: number, all: readonly ExternalObject[]): Promise<Set<string>> {
  const free = new Set<string>()
  await insertExternals(tx, storageId, all)
  for (const some of inBatches(all)) {
    const rows = await tx
      .insertInto('objects')
      .values(some.map(({ object }) => inserted(object)))
      .onConflict((conflict) => conflict.columns(['bucket_id', 'key']).doNothing())
      .returning('key')
      .execute()
    for (const { key } of rows) free.add(key)
  }
  const left = all.flatMap(({ object }) => (free.has(object.key) ? [] : object.blob_id))
  if (left.length > 0) await deleteExternals(tx, left)
  return free
}

export async function insertExternals(
  tx: Tx,
  storageId: number,
  all: readonly Pick<ExternalObject, 'external'>[],
): Promise<void> {
  for (const some of inBatches(all)) {
    await tx
      .insertInto('blobs')
      .values(
        some.map(({ external: { blob_id: id, size } }) => ({ id, size, storage_id: storageId, check_after: null })),
      )
      .execute()
    await tx
      .insertInto('external_blobs')
      .values(some.map(({ external }) => external))
      .execute()
  }
}

/** Forgets bytes that nothing points at any more; those of others stay where they are. */
const deleteExternals = (tx: Tx, ids: readonly string[]) => tx.deleteFrom('blobs').where('id', 'in', ids).execute()

/** Has objects show other bytes than before; those before are forgotten. */
export async function replaceExternal(
  tx: Tx,
  storageId: number,
  pairs: readonly { before: ExternalObject; after: ExternalObject }[],
): Promise<void> {
  if (pairs.length === 0) return
  await insertExternals(
    tx,
    storageId,
    pairs.map(({ after }) => after),
  )
  for (const { after } of pairs) await describeExternal(tx, after.object)
  await deleteExternals(
    tx,
    pairs.map(({ before }) => before.object.blob_id),
  )
}

const describeExternal = (tx: Tx, { bucket_id, key, created_at: _kept, ...object }: ObjectRow) =>
  tx
    .updateTable('objects')
    .set({ ...object, ...changed() })
    .where('bucket_id', '=', bucket_id)
    .where('key', '=', key)
    .execute()

/** Has an object point at another blob with the same bytes, not encrypted; false if it points at something else by now. */
export const repoint = async (
  tx: Tx,
  { bucket_id, key, blob_id }: Pick<ObjectRow, 'bucket_id' | 'key' | 'blob_id'>,
  to: string,
): Promise<boolean> =>
  (
    await tx
      .updateTable('objects')
      .set({ blob_id: to, encryption: null })
      .where('bucket_id', '=', bucket_id)
      .where('key', '=', key)
      .where('blob_id', '=', blob_id)
      .returning('key')
      .execute()
  ).length > 0

/** Notes what was learned of an object whose bytes are the same. */
export async function describeAgain(
  tx: Tx,
  { object, external: { blob_id, ...known } }: ExternalObject,
): Promise<void> {
  await describeExternal(tx, object)
  await tx.updateTable('external_blobs').set(known).where('blob_id', '=', blob_id).execute()
}

/** Deletes objects with what was known of their bytes. */
export async function deleteExternal(tx: Tx, bucketId: string, all: readonly ExternalObject[]): Promise<void> {
  if (all.length === 0) return
  const keys = all.map(({ object }) => object.key)
  await tx.deleteFrom('objects').where('bucket_id', '=', bucketId).where('key', 'in', keys).execute()
  await deleteExternals(
    tx,
    all.map(({ object }) => object.blob_id),
  )
}
