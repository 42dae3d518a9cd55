import { perSystem } from '../../base/per-system.ts'
import type { Ctx } from '../../context.ts'

/** Shares one result among all callers in this process for `ms`: asking often costs no more than asking once. */
export function sharedFor<T>(ms: number, look: (ctx: Ctx) => T): (ctx: Ctx) => T {
  const lastOf = perSystem((): { known?: { at: number; found: T } } => ({}))
  return (ctx) => {
    const at = ctx.now().getTime()
    const last = lastOf(ctx.config)
    const { known } = last
    // A result does not outlive a clock that was set back.
    if (known && Math.abs(at - known.at) < ms) return known.found
    const found = look(ctx)
    last.known = { at, found }
    return found
  }
}
