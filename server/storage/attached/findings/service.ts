import type { Finding as Described } from '../../../../contract/attached.ts'
import { ServiceError } from '../../../../contract/errors.ts'
import { settingsInForce } from '../../../access/settings/effective.ts'
import { decodeCursor, pageOf } from '../../../base/cursor.ts'
import { allow, type Ctx, type Step } from '../../../context.ts'
import { type AnyBucket, bucketMissing, type HeldBucket, holdAnyBucket } from '../../buckets/service.ts'
import { findSources } from '../../buckets/sources.ts'
import { findBucket } from '../../buckets/store.ts'
import { asFindings, detectFindings, noteFindings } from './detect.ts'
import * as store from './store.ts'

/** What others did where a bucket was taken over, in key order. Throws conflict for any other bucket. */
export async function listFindings(ctx: Ctx, name: string, limit: number, cursor: string | undefined) {
  allow(ctx.actor, 'manage', name)
  const bucket = await findBucket(ctx.db, name)
  if (!bucket) throw bucketMissing(name)
  const source = (await findSources(ctx.db, [bucket])).get(bucket.id)
  if (!source || source.taken_over_at === null)
    throw new ServiceError('conflict', `The bucket "${name}" was not taken over.`)
  const [after = ''] = decodeCursor(cursor, 1) ?? []
  const rows = await store.listFindings(ctx.db, { bucketId: bucket.id, prefix: source.prefix, after }, limit + 1)
  const { page, next_cursor } = pageOf(rows, limit, ({ key }) => [key])
  const items = page.map(
    ({ key, kind, object, size, etag, found_at }): Described => ({ key, kind, object, size, etag, found_at }),
  )
  return { items, next_cursor }
}

/** Asks the engine what others did under a key where a bucket was taken over, and notes or forgets it. */
export async function reviewKey(ctx: Ctx, place: store.TakenPlace, key: string): Promise<void> {
  const found = await detectFindings(ctx, place, await ctx.blobs.source(place.storage_id), [key])
  const { external_changes } = (await settingsInForce(ctx)).audit
  const most = external_changes === 'off' ? 0 : 1
  await asFindings(ctx, found, async (noting) => {
    const { tx } = noting.step
    const bucket = await holdAnyBucket(tx, place.bucket_id)
    if (!isTakenOver(bucket)) return 0
    if (found.length === 0) await store.deleteFinding(tx, bucket.id, key)
    return noteFindings(noting, bucket, found, { most, scan_id: null })
  })
}

/** Whether a held bucket was taken over, and is not being released. */
export const isTakenOver = (bucket: AnyBucket | undefined): bucket is AnyBucket =>
  bucket !== undefined && bucket.deleted_at === null && bucket.mode === 'taken_over'

/**
 * Step: at the end of a scan, forgets what it did not find any more. A bucket that needs nothing any more of what was taken
 * over becomes an owned one like any other.
 */
export async function endFindings(
  { tx, record }: Step,
  bucket: HeldBucket,
  scan: { id: string; since: string },
): Promise<void> {
  await store.deleteNotFoundSince(tx, bucket.id, scan)
  if (await store.hasTaken(tx, bucket.id)) return
  await store.forgetSource(tx, bucket.id)
  const details = { before: { mode: 'taken_over' }, after: { mode: 'owned' } }
  record({ name: 'update_bucket', bucket: bucket.name, details })
}
