import { countPerMinute } from '../../../base/minute-counter.ts'
import { perSystem } from '../../../base/per-system.ts'
import type { Config } from '../../../config/config.ts'
import type { Actor, Origin, System } from '../../../context.ts'
import { source } from '../../../http/source.ts'
import { S3Error } from '../errors.ts'

const slowDown = (wait: number) =>
  new S3Error('SlowDown', 'Please reduce your request rate.', { headers: { 'retry-after': String(wait) } })

const countersOf = perSystem((): { rate: number; count: ReturnType<typeof countPerMinute> } => ({
  rate: 0,
  count: countPerMinute(0),
}))

/** Limits how many requests of one key this process answers in a minute. Throws SlowDown. */
export function limitRate({ config, now }: System, { token_id, session_id }: Actor, rate: number): void {
  if (rate === 0) return
  const counters = countersOf(config)
  if (counters.rate !== rate) Object.assign(counters, { rate, count: countPerMinute(rate) })
  const wait = counters.count(token_id ?? session_id ?? '', now())
  if (wait > 0) throw slowDown(wait)
}

const failuresOf = perSystem(({ ratePublic }: Config) => countPerMinute(ratePublic))

/** Limits how many requests of one address may be refused in a minute; right ones never wait. Throws SlowDown. */
export function limitFailures({ config, now }: System, { ip }: Origin): void {
  const wait = config.ratePublic === 0 ? 0 : failuresOf(config)(source(ip), now())
  if (wait > 0) throw slowDown(wait)
}
