import { SECOND_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import type { Work } from './copy.ts'
import { renewQueued } from './store.ts'

/**
 * How long rows are held unless that is renewed, and how often it is. Less than the other must be left when a request is completed
 * that writes to a replica: longer than the client of the engine waits for its answer.
 */
const LEASE_MS = 90 * SECOND_MS
const RENEW_MS = 15 * SECOND_MS
const SAFE_MS = 65 * SECOND_MS

/** Rows that a process holds, until `end`. */
export interface Held {
  work: Work
  /** Until when a claim that is made now holds. */
  from(now: Date): Date
  end(): void
}

class NoLongerOurs extends Error {}

/**
 * Holds the rows with a token for as long as this process runs: two that write a key at the same time could leave the older of its
 * contents there.
 */
export function hold(ctx: Ctx, token: string): Held {
  const lost = new AbortController()
  let until = 0
  const lose = () => lost.abort(new NoLongerOurs('Another process has taken over'))
  const from = (now: Date) => {
    until = now.getTime() + LEASE_MS
    return new Date(until)
  }
  async function renew(): Promise<void> {
    if (lost.signal.aborted || until === 0) return
    const now = ctx.now()
    const next = new Date(now.getTime() + LEASE_MS)
    const left = await ctx.upkeep(({ tx }) => renewQueued(tx, token, next), { relaxed: true })
    // What was not renewed in time may have been taken, and given back.
    if (left > 0 && now.getTime() < until) until = next.getTime()
    else lose()
  }
  const timer = setInterval(() => {
    renew().catch((error: unknown) => {
      ctx.log.warn({ err: error }, 'the hold on changes to replicate could not be renewed')
      if (ctx.now().getTime() >= until) lose()
    })
  }, RENEW_MS).unref()
  return {
    from,
    work: {
      signal: lost.signal,
      async assertOurs() {
        lost.signal.throwIfAborted()
        if (ctx.now().getTime() > until - SAFE_MS) await renew()
        lost.signal.throwIfAborted()
      },
    },
    end: () => clearInterval(timer),
  }
}
