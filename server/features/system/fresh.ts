import { perSystem } from '../../base/per-system.ts'
import type { Ctx } from '../../context.ts'

/**
 * What one caller found, for everyone who asks in the same process within so many milliseconds: who asks often costs no
 * more than who asks once.
 */
export function sharedFor<T>(ms: number, look: (ctx: Ctx) => T): (ctx: Ctx) => T {
  const lastOf = perSystem((): { known?: { at: number; found: T } } => ({}))
  return (ctx) => {
    const at = ctx.now().getTime()
    const last = lastOf(ctx.config)
    const { known } = last
    // A clock that was put back does not keep an old answer.
    if (known && Math.abs(at - known.at) < ms) return known.found
    const found = look(ctx)
    last.known = { at, found }
    return found
  }
}
