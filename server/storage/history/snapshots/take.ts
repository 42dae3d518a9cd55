// Taking snapshots, and ending those that a policy has taken.
import { ServiceError } from '../../../../contract/errors.ts'
import { newId } from '../../../base/id.ts'
import { formatMoment } from '../../../base/moment.ts'
import type { Step } from '../../../context.ts'
import { drawMoment } from '../../../db/changes.ts'
import { holdWhole } from '../../buckets/soft-delete.ts'
import { assertWritable } from '../../buckets/writable.ts'
import { findLatest, type SnapshotRow } from '../former/store.ts'
import { assertHistoryRoom } from './limit.ts'
import * as store from './store.ts'

/** Most snapshots of one bucket. */
const MOST = 1000

/** Step: holds a bucket so that nothing of it changes until a snapshot is committed: later changes find it, and are after it. */
export const holdForSnapshot = holdWhole
type Held = NonNullable<Awaited<ReturnType<typeof holdWhole>>>

interface Wanted {
  /** The first of them that is free. */
  names: readonly string[]
  note?: string | undefined
  /** A moment that has been; absent: now. */
  moment?: number | undefined
  expires_at?: string | null
  policy_id?: string | null
  /** What snapshots will keep of the bucket's trash: `sumExpected`, asked before the bucket was held. */
  expected: number
}

/**
 * Step: takes a snapshot of a held bucket, and records it. Throws already_exists, limit_reached, quota_exceeded where snapshots
 * keep as much of it as they may, and read_only for a bucket whose contents others keep.
 */
export async function takeSnapshot(
  { tx, record, now, actor }: Step,
  bucket: Held,
  { names, note, moment, expires_at = null, policy_id = null, expected }: Wanted,
): Promise<SnapshotRow> {
  assertWritable(bucket)
  if ((await store.countSnapshots(tx, bucket.id)) >= MOST)
    throw new ServiceError('limit_reached', `The bucket "${bucket.name}" has ${MOST} snapshots. Delete one first.`)
  await assertHistoryRoom(tx, bucket, expected)
  const row = {
    id: newId(),
    bucket_id: bucket.id,
    moment: moment ?? (await drawMoment(tx, await findLatest(tx, bucket.id))),
    note: note ?? null,
    created_at: now().toISOString(),
    created_by: actor.user_id,
    expires_at,
    policy_id,
  }
  for (const name of names) {
    if (!(await store.insertSnapshot(tx, { ...row, name }))) continue
    const details = { name, moment: formatMoment(row.moment), ...(note === undefined ? {} : { note }), expires_at }
    record({ name: 'snapshot_create', bucket: bucket.name, details })
    return { ...row, name }
  }
  throw new ServiceError('already_exists', `The bucket "${bucket.name}" has a snapshot "${names[0]}" already.`)
}

/** Step: ends the snapshots that a policy has taken of a bucket, but for the newest; records each and returns how many. */
export async function endBeyond(
  { tx, record, now }: Step,
  bucket: { id: string; name: string },
  { policy_id, keep }: { policy_id: string; keep: number },
): Promise<number> {
  const beyond = await store.findBeyond(tx, bucket.id, { policy_id, keep })
  for (const { id, name, moment } of beyond) {
    await store.deleteSnapshot(tx, bucket.id, { id }, now())
    const details = { name, moment: formatMoment(Number(moment)), reason: 'policy' as const }
    record({ name: 'snapshot_delete', bucket: bucket.name, details })
  }
  return beyond.length
}
