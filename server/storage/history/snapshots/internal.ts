// Moments that the service keeps for itself.
import { newId } from '../../../base/id.ts'
import type { Upkeep } from '../../../context.ts'
import { drawMoment } from '../../../db/changes.ts'
import { BEGINNING } from '../../buckets/store.ts'
import { findLatest } from '../former/store.ts'
import * as store from './store.ts'

/** The snapshot that a fork's origin has while the fork is filled. It is no valid name: nobody sees it, or can delete it. */
export const nameWhileFilling = (forkId: string): string => `~${forkId}`

/** Step: keeps what a bucket was at a moment, for the service itself. */
export const keepMoment = (
  { tx, now }: Upkeep,
  bucket_id: string,
  { name, moment }: { name: string; moment: number },
): Promise<boolean> =>
  store.insertSnapshot(tx, {
    id: newId(),
    bucket_id,
    name,
    moment,
    note: null,
    created_at: now().toISOString(),
    created_by: null,
    expires_at: null,
  })

/** Step: keeps how a fork began, so that what has changed since is known; returns its moment. */
export async function keepBeginning(step: Upkeep, bucketId: string): Promise<number> {
  const moment = await drawMoment(step.tx, await findLatest(step.tx, bucketId))
  await keepMoment(step, bucketId, { name: BEGINNING, moment })
  return moment
}

/** Step: lets go of what was kept so. */
export const letGo = async ({ tx, now }: Upkeep, bucketId: string, name: string): Promise<void> =>
  void (await store.deleteSnapshot(tx, bucketId, { name }, now()))
