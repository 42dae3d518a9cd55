import { eraseBlobs, findEncrypted, releaseBlobs } from '../../blobs/collector.ts'
import { keepCopies } from '../../blobs/copy.ts'
import { noteHistory } from '../../blobs/history/note.ts'
import type { Recoded } from '../../blobs/recode.ts'
import type { Step, Upkeep } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import type { StorageId } from '../../drivers/blobs.ts'
import { holdKmsKey } from '../../encryption/kms/hold.ts'
import { bucketMissing, countUsage, holdAnyBucket } from '../buckets/service.ts'
import { assertWritable } from '../buckets/writable.ts'
import { findStorageNames, holdStorage } from '../storages/use.ts'
import { type ContentRow, type ContentTable, countContents, listContents, type Position, tables } from './contents.ts'
import * as migrationStore from './migration/store.ts'

/**
 * Step: has a bucket's new bytes go to a prepared storage, recorded as `update_bucket`; false if they do already. Returns
 * with how many rows point at contents of the bucket.
 */
export async function switchStorage(
  step: Step,
  name: string,
  storage: string,
): Promise<{ turned: boolean; contents: number }> {
  const { tx, record } = step
  const row = await migrationStore.lockBucket(tx, name)
  if (!row) throw bucketMissing(name)
  assertWritable(row)
  const to = await holdStorage(tx, storage)
  const contents = await countContents(tx, row.id)
  if (to === row.storage_id) return { turned: false, contents }
  const from = (await findStorageNames(tx, [row])).get(row.storage_id)
  await migrationStore.setStorage(tx, row.id, to)
  record({ name: 'update_bucket', bucket: name, details: { before: { storage: from }, after: { storage } } })
  return { turned: true, contents }
}

/** A copy of a blob; and how it is encrypted, and the blob was, if that is not the same. */
type Copied = { id: string; encryption?: never } | Pick<Recoded, 'id' | 'encryption' | 'before'>

/**
 * Step: has all that points at blobs in a bucket point at their copies instead. The blobs are left to the collector, which
 * deletes those that nothing else points at after the grace period.
 */
export async function pointAtCopies(
  step: Upkeep,
  bucketId: string,
  copies: ReadonlyMap<string, Copied>,
): Promise<void> {
  await keepCopies(step, new Map([...copies].map(([from, { id }]) => [from, id])))
  const bucket = await holdAnyBucket(step.tx, bucketId)
  const change = { encrypted_bytes: 0, encrypted_objects: 0 }
  for (const [from, to] of copies) {
    await holdKmsKey(step.tx, to.encryption ?? null)
    const { objects, bytes } = await migrationStore.replaceBlob(step.tx, bucketId, from, to)
    const sign = to.encryption === undefined ? 0 : Number(to.encryption !== null) - Number(to.before !== null)
    change.encrypted_objects += sign * objects
    change.encrypted_bytes += sign * bytes
  }
  if (bucket && (change.encrypted_bytes !== 0 || change.encrypted_objects !== 0))
    await countUsage(step.tx, bucket, change)
  // Of what only snapshots keep, nothing else points at the copy either.
  await noteHistory(
    step,
    [...copies.values()].map(({ id }) => id),
  )
  const originals = [...copies.keys()]
  await releaseBlobs(step, originals)
  // Those have the key of their copies too: what is purged later must not stay readable by them.
  await eraseBlobs(step, await findEncrypted(step.tx, originals))
}

/** Most that is copied before what points at it is changed. */
const MOST_BLOBS = 64
const MOST_BYTES = 256 * 1024 * 1024

/** Where a walk through a bucket's contents is. */
export interface Place {
  table: ContentTable
  after: Position | null
}

/** The next contents of a bucket, and where the walk then is: null at its end. */
export async function walk(
  db: Db,
  { table, after }: Place,
  { bucketId, storage, limit }: { bucketId: string; storage: StorageId; limit: number },
): Promise<{ rows: ContentRow[]; next: Place | null }> {
  const rows = await listContents(db, table, { bucketId, after, storage, limit })
  const last = rows.at(-1)
  if (last && rows.length === limit) return { rows, next: { table, after: last.at } }
  const following = tables[tables.indexOf(table) + 1]
  return { rows, next: following ? { table: following, after: null } : null }
}

/** The rows up to where enough bytes lie on another storage for one step, and whether that is all of them. */
export function enough<R extends Pick<ContentRow, 'elsewhere' | 'size'>>(
  rows: readonly R[],
): { rows: readonly R[]; whole: boolean } {
  let blobs = 0
  let bytes = 0
  const end = rows.findIndex(({ elsewhere, size }) => {
    if (!elsewhere) return false
    blobs++
    bytes += size
    return blobs >= MOST_BLOBS || bytes >= MOST_BYTES
  })
  return end < 0 || end === rows.length - 1 ? { rows, whole: true } : { rows: rows.slice(0, end + 1), whole: false }
}
