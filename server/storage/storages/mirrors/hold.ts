import { within } from '../../../base/deadline.ts'
import { DAY_MS } from '../../../base/time.ts'
import type { Ctx } from '../../../context.ts'
import { listMirrors } from '../../../drivers/copies/store.ts'
import type { BlobDriver } from '../../../drivers/driver.ts'
import * as store from './store.ts'

/**
 * Has the engine of a mirror hold the copy of a blob, where it can: at any time for `keep_removed_days` more at least, because
 * the scrub, which reads every copy once in SCRUB_DAYS, does the same again.
 */
export async function holdCopy(ctx: Ctx, mirror: store.MirrorRow | undefined, id: string): Promise<void> {
  if (!mirror || mirror.second === null || mirror.keep_removed_days === 0) return
  const driver = await ctx.blobs.place(mirror.second)
  if (!(await driver.holds())) return
  const days = mirror.keep_removed_days + 2 * ctx.config.scrubDays
  await driver.hold(id, new Date(ctx.now().getTime() + days * DAY_MS))
}

/** Notes which mirrors can hold copies, as far as they answer. */
export async function noteLocks(ctx: Ctx): Promise<void> {
  for (const { storage, second, locks } of await listMirrors(ctx.db)) {
    if (second === null) continue
    const can = await within(ctx.config.mirrorTimeoutMs, ctx.blobs.place(second).then(canHold)).catch(() => undefined)
    if (can === undefined || can === locks) continue
    await ctx.upkeep(async (step) => {
      const now = await store.lockMirror(step.tx, storage)
      if (now?.second !== second) return step.nothing(undefined)
      await store.updateMirror(step.tx, storage, { locks: can })
    })
  }
}
const canHold = async (driver: BlobDriver): Promise<number> => ((await driver.holds()) ? 1 : 0)
