import ipaddr from 'ipaddr.js'
import { ServiceError } from '../../contract/errors.ts'
import { type RouteSpec, rateOf } from '../../contract/route.ts'
import type { Config } from '../config.ts'
import type { Actor } from '../context.ts'
import { countPerMinute } from '../minute-counter.ts'

/** An address, or the /64 that one subscriber has: within it an attacker changes addresses at will. */
export function source(ip: string | null): string {
  if (ip === null || !ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  return Buffer.from(address.toByteArray().slice(0, address.kind() === 'ipv6' ? 8 : 4)).toString('hex')
}

/**
 * Limits how often strangers (by address) call what is open to all, and anyone (by person) what keeps the service busy.
 * Each process counts for itself, in a minute of the clock and in bounded memory. The function it gives throws
 * `rate_limited` with Retry-After.
 */
export function createRateLimit(config: Config): (route: RouteSpec, actor: Actor, now: Date) => void {
  const limits = { public: config.ratePublic, costly: config.rateCostly }
  const counters = { public: countPerMinute(limits.public), costly: countPerMinute(limits.costly) }
  return (route, { user_id, origin }, now) => {
    const rate = rateOf(route)
    if (rate === 'none' || limits[rate] === 0) return
    const wait = counters[rate](user_id ?? source(origin.ip), now)
    if (wait === 0) return
    throw new ServiceError('rate_limited', `No more than ${limits[rate]} of these requests a minute.`, {
      headers: { 'retry-after': String(wait) },
    })
  }
}
