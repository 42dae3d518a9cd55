import { DAY_MS } from '../../base/time.ts'
import type { ExternalSource } from '../../blobs/drivers/external.ts'
import type { Ctx } from '../../context.ts'
import type { Claim } from '../../work/lease.ts'
import { applyChanges, type Changes, isSwap, noteAbsent } from '../external/change.ts'
import { askFor, changesFor } from '../external/confirm.ts'
import type { Source } from '../external/shown.ts'
import { listAbsent, type Shown } from '../external/store.ts'
import { asFound, countOf } from './found.ts'
import { lease } from './lease.ts'

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
    changes.changed.some((pair) => isSwap(pair) || !isNew(pair.before))
  await asFound(ctx, claim, { scan, visible }, async (step, bucket, held) => {
    const made = await applyChanges(step, bucket, changes)
    await noteAbsent(step, present, null)
    const progress = {
      changed: held.changed + countOf(made.changes, 'changed', 'returned'),
      missing: held.missing + countOf(made.changes, 'missing'),
      removed: held.removed + countOf(made.changes, 'removed'),
    }
    return { changes: made.changes, progress }
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
