// The first step of a run: one moment for all its buckets, and what they were then is kept until it has ended.
import { ServiceError } from '../../../contract/errors.ts'
import { DEFAULT_STORAGE } from '../../../contract/storages.ts'
import { formatMoment } from '../../base/moment.ts'
import type { Ctx, Upkeep } from '../../context.ts'
import { drawMoment } from '../../db/changes.ts'
import type { Tx } from '../../db/schema.ts'
import { bucketMissing } from '../../storage/buckets/service.ts'
import { holdWhole } from '../../storage/buckets/soft-delete.ts'
import { type BucketRow, listBuckets } from '../../storage/buckets/store.ts'
import { isReadOnly } from '../../storage/buckets/writable.ts'
import { assertKnown } from '../../storage/history/former/past.ts'
import { findLatest } from '../../storage/history/former/store.ts'
import { keepMoment } from '../../storage/history/snapshots/internal.ts'
import { findStorageNames } from '../../storage/storages/use.ts'
import { type Claim, renewed } from '../../work/lease.ts'
import { lease } from './lease.ts'
import {
  bucketsOf,
  folderOf,
  type ListedBucket,
  nameOfBefore,
  nameWhileListing,
  type RunSettings,
  runSettings,
} from './run.ts'
import * as runStore from './runs/store.ts'

/** Most buckets that one inventory lists: all are held at once for a moment. */
const MOST_BUCKETS = 10_000

type HeldWhole = NonNullable<Awaited<ReturnType<typeof holdWhole>>>

/** Draws the moment of a run, and notes what it lists. */
export async function begin(ctx: Ctx, claim: Claim, bucketId: string | null): Promise<void> {
  await ctx.upkeep(async (step) => {
    const { tx } = step
    const run = await lease.hold(tx, claim)
    const settings = runSettings(run)
    // Nothing of them changes until this is committed: later changes have later moments.
    const held = await holdAll(tx, settings, bucketId)
    let floor = 0
    for (const { id } of held) floor = Math.max(floor, await findLatest(tx, id))
    const moment = await drawMoment(tx, floor)
    const storages = await findStorageNames(tx, held)
    const last = settings.changes ? await runStore.findLastWhole(tx, run.inventory_id) : undefined
    const buckets: ListedBucket[] = []
    for (const bucket of held) {
      const { id, name, versioning } = bucket
      // What others keep is not kept here.
      const kept = !isReadOnly(bucket)
      if (kept) await keepMoment(step, id, { name: nameWhileListing(run.id), moment })
      if (settings.versions === 'all') await runStore.keepVersions(tx, run.id, id)
      const before = last ? await knownSince(tx, bucket, last, settings) : null
      // It is compared with at the end, which may be hours from now.
      if (kept && before !== null) await keepMoment(step, id, { name: nameOfBefore(run.id), moment: before })
      buckets.push({ id, name, storage: storages.get(bucket.storage_id) ?? DEFAULT_STORAGE, versioning, kept, before })
    }
    const time = `${formatMoment(moment).slice(0, 16).replace(':', '-')}Z`
    const base = `${folderOf(settings)}/${time}`
    const taken = await runStore.countFolders(tx, { name: settings.name, bucketId }, base)
    await runStore.updateRun(tx, run.id, {
      moment,
      folder: taken === 0 ? `${base}/` : `${base}-${taken + 1}/`,
      buckets: JSON.stringify(buckets),
      no_changes: reasonWithout(settings, last, buckets),
      ...renewed(step),
    })
  })
}

async function holdAll(tx: Tx, { bucket: name }: RunSettings, bucketId: string | null): Promise<HeldWhole[]> {
  if (name !== null) {
    const bucket = await holdWhole(tx, name)
    if (bucket?.id !== bucketId || !bucket) throw bucketMissing(name)
    return [bucket]
  }
  const found: BucketRow[] = await listBuckets(tx, '', MOST_BUCKETS + 1)
  if (found.length > MOST_BUCKETS)
    throw new ServiceError('limit_reached', `An inventory lists at most ${MOST_BUCKETS} buckets.`)
  const held: HeldWhole[] = []
  for (const one of found) {
    const bucket = await holdWhole(tx, one.name)
    if (bucket) held.push(bucket)
  }
  return held
}

/** The moment of the last inventory, if what a bucket was then is known; null if its changes cannot be listed. */
async function knownSince(
  tx: Tx,
  bucket: HeldWhole,
  last: runStore.RunRow,
  { prefix }: Pick<RunSettings, 'prefix'>,
): Promise<number | null> {
  if (last.moment === null || runSettings(last).prefix !== prefix) return null
  if (!bucketsOf(last).some(({ id }) => id === bucket.id)) return null
  const moment = Number(last.moment)
  try {
    await assertKnown(tx, bucket, { moment, path: 'moment' })
    return moment
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_request') return null
    throw error
  }
}

function reasonWithout(
  { changes, prefix }: RunSettings,
  last: runStore.RunRow | undefined,
  buckets: readonly ListedBucket[],
): string | null {
  if (!changes) return 'They are turned off.'
  if (!last) return 'This is the first inventory.'
  if (buckets.some(({ before }) => before !== null)) return null
  return runSettings(last).prefix === prefix
    ? 'What the bucket was at the inventory before is not known any more: its trash keeps less than that.'
    : 'The inventory before has another prefix.'
}

/** Whether a run has its moment. */
export const isBegun = ({ moment }: runStore.RunRow): boolean => moment !== null

/** Forgets what was kept of versions for a run that has ended. */
export async function forgetVersions(ctx: Ctx, runId: string): Promise<void> {
  const some = ({ tx }: Upkeep) => runStore.forgetVersions(tx, runId, 5000)
  while (await ctx.upkeep(some));
}
