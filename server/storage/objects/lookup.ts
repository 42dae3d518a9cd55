import { sql } from 'kysely'
import { prepared } from '../../db/prepare.ts'
import type { Db } from '../../db/schema.ts'
import type { HeldBucket } from '../buckets/service.ts'
import { byName, type ObjectRow } from './store.ts'

/**
 * An object with its bucket's lifecycle document, and, if it is encrypted, how: only then is the row of its blob looked
 * up.
 */
const withLifecycle = (db: Db, named: { bucket: string; key: string }) =>
  byName(db, named)
    .select(
      sql<string | null>`case when objects.encryption is not null
      then (select envelope from blobs where blobs.id = objects.blob_id) end`.as('envelope'),
    )
    .select(['buckets.versioning', 'buckets.replication'])
    .select((e) =>
      e
        .selectFrom('bucket_config')
        .select('document')
        .whereRef('bucket_config.bucket_id', '=', 'objects.bucket_id')
        .where('kind', '=', sql.lit('lifecycle'))
        .as('lifecycle'),
    )
const lookupWithLifecycle = prepared(withLifecycle)
const lookupWithBody = prepared((db: Db, named: { bucket: string; key: string }) =>
  withLifecycle(db, named)
    .leftJoin('bodies', 'bodies.blob_id', 'objects.blob_id')
    .select('bodies.bytes')
    .select((e) => e.selectFrom('blobs').select('sums').whereRef('blobs.id', '=', 'objects.blob_id').as('sums')),
)

/** An object with its bucket's lifecycle document, and whether that keeps versions. */
export interface Found {
  row: ObjectRow
  /** How its blob is encrypted, as its row has it; null if it is not, undefined if that was not looked up. */
  envelope?: string | null
  versioning: HeldBucket['versioning']
  lifecycle: string | null
  /** The rules by which its bucket is replicated, as JSON; null if it is not. */
  replication: string | null
}

/** Like `findObject`, with the lifecycle document. */
export async function findWithLifecycle(db: Db, bucket: string, key: string): Promise<Found | undefined> {
  const [found] = await lookupWithLifecycle(db, { bucket, key })
  if (!found) return undefined
  const { lifecycle, versioning, replication, envelope, ...row } = found
  return { row, lifecycle, versioning, replication, envelope }
}

/** Like `findWithLifecycle`, with the bytes of an inline blob, and the checksums that the row of its blob has; or nulls. */
export async function findContents(
  db: Db,
  bucket: string,
  key: string,
): Promise<(Found & { bytes: Uint8Array | null; sums: Uint8Array | null }) | undefined> {
  const [found] = await lookupWithBody(db, { bucket, key })
  if (!found) return undefined
  const { bytes, sums, lifecycle, versioning, replication, envelope, ...row } = found
  return { row, lifecycle, versioning, replication, envelope, bytes, sums }
}
