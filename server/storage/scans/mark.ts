import { DAY_MS } from '../../base/time.ts'
import type { ExternalSource } from '../../blobs/drivers/external.ts'
import type { Ctx } from '../../context.ts'
import { type Claim, renewed } from '../../work/lease.ts'
import { holdAnyBucket } from '../buckets/service.ts'
import { applyChanges, asTheirs, type Changes, noteAbsent, showsOthers } from '../external/change.ts'
import { askFor, changesFor } from '../external/confirm.ts'
import type { Source } from '../external/shown.ts'
import { listAbsent, type Shown } from '../external/store.ts'
import { ScanEnded } from './ended.ts'
import { lease } from './lease.ts'
import { mostOfScan } from './recorded.ts'
import * as store from './store.ts'

/** Objects in a step: each costs a request, all at the same time. */
const AT_ONCE = 32
/** In how many complete scans an object is absent before it is removed, and for how long at least. */
const SCANS = 2
const LEAST_MS = DAY_MS

/**
 * Looks once more for the next objects that the list of a scan lacked: those that are not there are marked as missing, or
 * removed if they have been for long enough. False when there are no more.
 */
export async function markStep(ctx: Ctx, claim: Claim, source: Source, engine: ExternalSource): Promise<boolean> {
  const scan = await lease.find(ctx.db, claim)
  const rows = await listAbsent(ctx.db, { scanId: scan.id, bucketId: source.bucket_id }, AT_ONCE)
  if (rows.length === 0) return false
  const now = ctx.now()
  const verdicts = await Promise.all(rows.map((shown) => verdictOn({ shown, engine, now }, source)))
  const changes = {
    changed: verdicts.flatMap(({ changed = [] }) => changed),
    missing: verdicts.flatMap(({ missing = [] }) => missing),
    removed: verdicts.flatMap(({ removed = [] }) => removed),
  }
  const present = rows.filter((_, i) => Object.keys(verdicts[i] ?? {}).length === 0)
  const visible =
    changes.removed.length > 0 ||
    changes.missing.some(isNew) ||
    changes.changed.some(({ before, after }) => before.object.blob_id !== after.object.blob_id || !isNew(before))
  const most = visible ? await mostOfScan(ctx, source.bucket_id, scan) : 0
  await asTheirs(ctx, { most, visible, scan_id: scan.id }, async (step) => {
    const { tx } = step
    const held = await lease.hold(tx, claim)
    const bucket = await holdAnyBucket(tx, source.bucket_id)
    if (!showsOthers(bucket)) throw new ScanEnded()
    const made = await applyChanges(step, bucket, changes)
    await noteAbsent(step, present, null)
    const count = (...kinds: string[]) => made.changes.filter(({ change }) => kinds.includes(change)).length
    await store.updateScan(tx, held.id, {
      changed: held.changed + count('changed', 'returned'),
      missing: held.missing + count('missing'),
      removed: held.removed + count('removed'),
      recorded: held.recorded + Math.min(most, made.changes.length),
      ...renewed(step),
    })
    return { bucket: bucket.name, changes: made.changes }
  })
  return true
}

const isNew = ({ external }: Shown): boolean => external.missing_since === null

/** What is to change of an object that a list lacked; nothing if it is there after all. */
async function verdictOn(
  { shown, engine, now }: { shown: Shown; engine: ExternalSource; now: Date },
  source: Source,
): Promise<Changes> {
  const { key, missing_since, absences } = shown.external
  const head = await askFor(engine, key)
  if (head) return (await changesFor({ shown, head, source: engine, now }, source)) ?? {}
  const isOver =
    missing_since !== null && absences + 1 >= SCANS && now.getTime() - Date.parse(missing_since) >= LEAST_MS
  return isOver ? { removed: [shown] } : { missing: [shown] }
}
