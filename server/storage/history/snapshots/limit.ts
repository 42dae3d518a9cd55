// How much snapshots alone may keep of a bucket.
import { ServiceError } from '../../../../contract/errors.ts'
import { formatSize } from '../../../base/size.ts'
import type { Db, Row, Tx } from '../../../db/schema.ts'
import { sumUsage } from '../../buckets/quotas/store.ts'
import { holdAnyBucket, quotaBytes } from '../../buckets/service.ts'
import * as store from './store.ts'

/** Items of the trash that one statement looks at, and all of them: nobody waits for more. */
const LOOK = 2000
const MOST = 20_000

type Limited = Pick<Row<'buckets'>, 'id' | 'name' | 'history_quota_gb' | 'quota_includes_history'>

/**
 * The bytes in the trash of a bucket that its snapshots will keep alone once the trash lets go of them, among its 20,000 oldest
 * items; no more than is needed to exceed its limit, and 0 without one. Read before the bucket is held, so that no writer waits.
 */
export async function sumExpected(
  db: Db,
  bucket: Pick<Limited, 'id' | 'history_quota_gb'> | undefined,
): Promise<number> {
  if (!bucket || bucket.history_quota_gb === null || (await store.countSnapshots(db, bucket.id)) === 0) return 0
  const enough = quotaBytes(bucket.history_quota_gb)
  const sizes = new Map<string, number>()
  let [bytes, after] = [0, undefined as store.TrashPlace | undefined]
  for (let seen = 0; seen < MOST && bytes <= enough; seen += LOOK) {
    const page = await store.findTrashOfSnapshots(db, bucket.id, { after, limit: LOOK })
    for (const { blob_id, size, is_kept } of page) {
      if (Number(is_kept) === 0 || sizes.has(blob_id)) continue
      sizes.set(blob_id, Number(size))
      bytes += Number(size)
    }
    after = page.at(-1)
    if (page.length < LOOK) break
  }
  return bytes
}

/**
 * Step: throws quota_exceeded where no more snapshots may be taken of a bucket that is held whole: what they alone keep, with what
 * they are expected to, is more than its limit, or it has exceeded a quota that includes that.
 */
export async function assertHistoryRoom(tx: Tx, bucket: Limited, expected: number): Promise<void> {
  const { id, name, history_quota_gb: limit, quota_includes_history: isIncluded } = bucket
  if (limit !== null) {
    const kept = (await sumUsage(tx, [id])).get(id)?.history_bytes ?? 0
    if (kept + expected > quotaBytes(limit)) {
      const [now, later, most] = [kept, expected, quotaBytes(limit)].map((bytes) => formatSize(bytes))
      const more = expected > 0 ? `, and will keep ${later} more that is in its trash` : ''
      throw new ServiceError(
        'quota_exceeded',
        `Snapshots alone keep ${now} of bucket "${name}"${more}; its limit is ${most}. Delete some of them, or raise the limit.`,
      )
    }
  }
  const room = isIncluded === 1 ? ((await holdAnyBucket(tx, id))?.room ?? 0) : 0
  if (room < 0)
    throw new ServiceError(
      'quota_exceeded',
      `Bucket "${name}", with what snapshots keep of it, is ${formatSize(-room)} over its quota: no more are taken.`,
    )
}
