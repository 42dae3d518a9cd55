import { DAY_MS } from '../../../base/time.ts'
import type { Ctx } from '../../../context.ts'
import type { ExternalSource } from '../../../drivers/external.ts'
import type { Claim } from '../../../work/lease.ts'
import { applyChanges, type Changes, isSwap, noteAbsent } from '../../external-objects/apply-changes.ts'
import { askFor, changesFor } from '../../external-objects/confirm.ts'
import type { Source } from '../../external-objects/rows.ts'
import { listAbsent } from '../../external-objects/scan-state/store.ts'
import type { ExternalObject } from '../../external-objects/store.ts'
import { lease } from './lease.ts'
import { countOf, recordScanChanges } from './record-changes.ts'
import type { TakingOver } from './schedule.ts'
import type { ScanRow } from './store.ts'

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
  const before = leavingOut(scan)
  const verdicts = await Promise.all(rows.map((shown) => verdictOn({ shown, engine, now, before }, source)))
  const changes = {
    changed: verdicts.flatMap(({ changed = [] }) => changed),
    missing: verdicts.flatMap(({ missing = [] }) => missing),
    removed: verdicts.flatMap(({ removed = [] }) => removed),
    leftOut: verdicts.flatMap(({ leftOut = [] }) => leftOut),
  }
  const present = rows.filter((_, i) => Object.keys(verdicts[i] ?? {}).length === 0)
  const visible =
    changes.removed.length + changes.leftOut.length > 0 ||
    changes.missing.some(isNew) ||
    changes.changed.some((pair) => isSwap(pair) || !isNew(pair.before))
  await recordScanChanges(ctx, claim, { scan, visible }, async (step, bucket, held) => {
    const made = await applyChanges(step, bucket, changes)
    await noteAbsent(step, present, null)
    const progress = {
      changed: held.changed + countOf(made.changes, 'changed', 'returned'),
      missing: held.missing + countOf(made.changes, 'missing'),
      // What is left out was not removed by others.
      removed: held.removed + Math.max(0, countOf(made.changes, 'removed') - changes.leftOut.length),
    }
    return { changes: made.changes, progress }
  })
  return true
}

const isNew = ({ external }: ExternalObject): boolean => external.missing_since === null

/**
 * Of a scan that takes a bucket over and has found nothing changed: since when at the latest an object is marked as missing
 * that is left out. Null: none is.
 */
function leavingOut({ take_over, created_at, added, changed, absent, missing, removed }: ScanRow): string | null {
  if (take_over === null || added + changed + absent + missing + removed > 0) return null
  return (JSON.parse(take_over) as TakingOver).without_missing === undefined ? null : created_at
}

/** What is to change of an object that a list lacked; nothing if it is there after all. */
async function verdictOn(
  { shown, engine, now, before }: { shown: ExternalObject; engine: ExternalSource; now: Date; before: string | null },
  source: Source,
): Promise<Changes> {
  const { key, missing_since, absences } = shown.external
  const head = await askFor(engine, key)
  if (head) return (await changesFor({ shown, head, source: engine, now }, source)) ?? {}
  if (before !== null && missing_since !== null && missing_since <= before) return { leftOut: [shown] }
  const isOver =
    missing_since !== null && absences + 1 >= SCANS && now.getTime() - Date.parse(missing_since) >= LEAST_MS
  return isOver ? { removed: [shown] } : { missing: [shown] }
}
