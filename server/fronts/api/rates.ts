import { ServiceError } from '../../../contract/errors.ts'
import { type RouteSpec, rateOf } from '../../../contract/route.ts'
import { countPerMinute } from '../../base/minute-counter.ts'
import type { Config } from '../../config/config.ts'
import type { Actor } from '../../context.ts'
import { source } from '../../http/source.ts'

/**
 * Limits how often anonymous callers (by address) call public routes, and anyone (by user) calls expensive ones. Each
 * process counts for itself, per minute of the clock and in bounded memory. The returned function throws `rate_limited`
 * with Retry-After.
 */
export function createRateLimit(config: Config): (route: RouteSpec, actor: Actor, now: Date) => void {
  const limits = { public: config.ratePublic, costly: config.rateCostly }
  const counters = { public: countPerMinute(limits.public), costly: countPerMinute(limits.costly) }
  return (route, { user_id, origin }, now) => {
    const rate = rateOf(route)
    if (rate === 'none' || limits[rate] === 0) return
    const wait = counters[rate](user_id ?? source(origin.ip), now)
    if (wait === 0) return
    throw new ServiceError('rate_limited', `The limit is ${limits[rate]} of these requests per minute.`, {
      headers: { 'retry-after': String(wait) },
    })
  }
}
