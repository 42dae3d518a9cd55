import { ServiceError } from '../../../../contract/errors.ts'
import type { Ctx } from '../../../context.ts'
import type { ExternalSource } from '../../../drivers/external.ts'
import { type Claim, renewed } from '../../../work/lease.ts'
import { applyChanges, type Changes, isSwap } from '../../external-objects/apply-changes.ts'
import { askFor, changesFor } from '../../external-objects/confirm.ts'
import type { Source } from '../../external-objects/rows.ts'
import { type ExternalObject, listExternal } from '../../external-objects/store.ts'
import { Unreadable } from './errors.ts'
import { lease } from './lease.ts'
import { countOf, recordScanChanges } from './record-changes.ts'
import * as store from './store.ts'

/** Objects in a step: each costs a request, all at the same time. */
const AT_ONCE = 64

/**
 * Asks the engine for the next objects, so that type, metadata, tags and version are known before their bucket is taken over.
 * Those that were read before are asked for as well: tags, and on some engines more, change neither an ETag nor a time.
 * False when there are no more; then the list is next.
 */
export async function readStep(ctx: Ctx, claim: Claim, source: Source, engine: ExternalSource): Promise<boolean> {
  const scan = await lease.find(ctx.db, claim)
  const range = { after: scan.position, to: null, order: 'bytes' as const, prefix: source.prefix }
  const rows = await listExternal(ctx.db, source.bucket_id, range, AT_ONCE)
  const last = rows.at(-1)
  if (!last) {
    await ctx.upkeep(async (step) => {
      const { id } = await lease.hold(step.tx, claim)
      await store.updateScan(step.tx, id, { phase: 'listing', position: null, ...renewed(step) })
    })
    return false
  }
  const now = ctx.now()
  const found = await Promise.all(rows.map((shown) => changesOf({ shown, engine, now }, source)))
  const changed = found.flatMap((changes) => changes?.changed ?? [])
  const missing = found.flatMap((changes) => changes?.missing ?? [])
  const visible = missing.length > 0 || changed.some(isSwap)
  await recordScanChanges(ctx, claim, { scan, visible }, async (step, bucket, held) => {
    const { changes } = await applyChanges(step, bucket, { changed, missing })
    const progress = {
      position: last.object.key,
      changed: held.changed + countOf(changes, 'changed', 'returned'),
      missing: held.missing + countOf(changes, 'missing'),
    }
    return { changes, progress }
  })
  return true
}

/** What is to change of an object. Throws Unreadable if the engine does not give it away. */
async function changesOf(
  { shown, engine, now }: { shown: ExternalObject; engine: ExternalSource; now: Date },
  source: Source,
): Promise<Changes | undefined> {
  try {
    const head = await askFor(engine, shown.external.key)
    return await changesFor({ shown, head, source: engine, now, again: true }, source)
  } catch (error) {
    throw error instanceof ServiceError && error.code === 'conflict' ? new Unreadable(shown.object.key, error) : error
  }
}
