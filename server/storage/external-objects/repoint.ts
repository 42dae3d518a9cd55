import { forgetBlobs, releaseBlobs } from '../../blobs/collector.ts'
import type { Upkeep } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import type { ExternalRef } from '../../drivers/external.ts'
import { isExternal, newExternalId } from '../../drivers/routing/ids.ts'
import { countUsage, holdAnyBucket } from '../buckets/service.ts'
import type { ObjectRow } from './store.ts'
import * as store from './store.ts'

/** An object, and what was written of it to an engine. */
export interface Written {
  row: ObjectRow
  ref: ExternalRef
}

/**
 * Step: has objects point at what was written of them to a storage. Bytes of our own that nothing points at any more are left
 * to the collector; those that were taken over stay where they are. Throws if an object points at something else by now.
 */
export async function pointAtWritten(step: Upkeep, storageId: number, all: readonly Written[]): Promise<void> {
  const { tx } = step
  const now = step.now().toISOString()
  const written = all.map(({ row, ref }) => ({
    row,
    external: {
      blob_id: newExternalId(storageId),
      bucket_id: row.bucket_id,
      key: ref.key,
      version_id: ref.version_id,
      etag: ref.etag,
      size: ref.size,
      storage_class: null,
      modified_at: ref.modified_at,
      tags: row.tags,
      hydrated_at: now,
      checked_at: now,
      missing_since: null,
      absences: 0,
      absent_in: null,
      sort_key: null,
    },
  }))
  if (written.length > 0) await store.insertExternals(tx, storageId, written)
  for (const { row, external } of written)
    if (!(await store.repoint(tx, row, external.blob_id)))
      throw new Error(`The object "${row.key}" was changed while its bucket was released`)
  await countDecrypted(
    tx,
    all.map(({ row }) => row),
  )
  const before = all.map(({ row }) => row.blob_id)
  await forgetBlobs(step, before.filter(isExternal))
  await releaseBlobs(
    step,
    before.filter((id) => !isExternal(id)),
  )
}

/** Step: counts that objects of one bucket are not encrypted any more, as far as they were. */
async function countDecrypted(tx: Tx, rows: readonly ObjectRow[]): Promise<void> {
  const encrypted = rows.filter(({ encryption }) => encryption !== null)
  const bucket = encrypted[0] && (await holdAnyBucket(tx, encrypted[0].bucket_id))
  if (!bucket) return
  const bytes = encrypted.reduce((sum, { size }) => sum + size, 0)
  await countUsage(tx, bucket, { encrypted_bytes: -bytes, encrypted_objects: -encrypted.length })
}
