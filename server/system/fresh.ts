import type { Config } from '../config.ts'
import type { Ctx } from '../context.ts'

/**
 * What one caller found, for everyone who asks in the same process within so many milliseconds: who asks often costs no
 * more than who asks once.
 */
export function sharedFor<T>(ms: number, look: (ctx: Ctx) => T): (ctx: Ctx) => T {
  const last = new WeakMap<Config, { at: number; found: T }>()
  return (ctx) => {
    const at = ctx.now().getTime()
    const known = last.get(ctx.config)
    // A clock that was put back does not keep an old answer.
    if (known && Math.abs(at - known.at) < ms) return known.found
    const found = look(ctx)
    last.set(ctx.config, { at, found })
    return found
  }
}
