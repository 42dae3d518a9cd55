import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '../../contract/errors.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/schema.ts'
import { newId } from '../id.ts'

/** Milliseconds that a claim of long work lasts unless it is renewed. */
export const LEASE_MS = 60_000
/** More than the clocks of replicas may differ by. */
const FARTHEST_LEASE_MS = 600_000
const AT_ONCE = 2
const FIRST = 250
const MOST = 1000
const STEP_MS = 30
/** How often a step is tried again that fails for a reason that may pass, like a database that is restarted. */
const TRIES = 5

/** Another process has taken the work over, or it is gone. */
export class Lost extends Error {}

/** When a claim is made, until when it lasts, and from when on one that lasts longer is of a clock that was ahead. */
export interface Lease {
  now: Date
  until: Date
  farthest: Date
}

/**
 * A worker's `run` that works on what nobody works on, two at a time in a process, until there is nothing. `claim` takes
 * the next for the runner until a time; `work` brings it to its end.
 */
export function drainBy<T>(
  claim: (tx: Tx, runner: string, lease: Lease) => Promise<T | undefined>,
  work: (ctx: Ctx, claimed: T, runner: string) => Promise<void>,
): (ctx: Ctx) => Promise<void> {
  /** How many run in this process, by the storage of its service. */
  const running = new WeakMap<object, number>()
  return async (ctx) => {
    if (!ctx.worksInBackground) return
    const busy = running.get(ctx.blobs) ?? 0
    if (busy >= AT_ONCE) return
    running.set(ctx.blobs, busy + 1)
    try {
      while (!ctx.stopping.aborted) {
        const runner = newId()
        const now = ctx.now()
        const [until, farthest] = [new Date(now.getTime() + LEASE_MS), new Date(now.getTime() + FARTHEST_LEASE_MS)]
        const { claimed } = await ctx.upkeep(async ({ tx }) => ({
          claimed: await claim(tx, runner, { now, until, farthest }),
        }))
        if (!claimed) return
        await work(ctx, claimed, runner)
      }
    } finally {
      running.set(ctx.blobs, (running.get(ctx.blobs) ?? 1) - 1)
    }
  }
}

interface Steps {
  /** One step of at most `size` objects, in transactions of its own; false when the work is over. */
  step: (size: number) => Promise<boolean>
  /** Fewest objects a step: what other requests do counts into how busy the process is. */
  fewest: number
  /** Whether an error is the end and no fault to try again after; Lost always is. */
  isEnd?: (error: unknown) => boolean
  /** Told of each fault that is tried again. */
  onRetry: (error: unknown) => void
}

/**
 * Takes steps until the work is over (true) or the process ends (false): as many objects each as keep the process busy
 * for about 30 ms, since its other requests wait meanwhile. What may pass is tried again; all else is thrown.
 */
export async function takeSteps(ctx: Ctx, { step, fewest, isEnd, onRetry }: Steps): Promise<boolean> {
  let size = FIRST
  let failures = 0
  while (!ctx.stopping.aborted) {
    const before = performance.eventLoopUtilization()
    try {
      if (!(await step(size))) return true
      failures = 0
    } catch (error) {
      if (error instanceof Lost || isEnd?.(error)) throw error
      const passes = error instanceof ServiceError ? error.code === 'busy' : true
      if (!passes || ++failures > TRIES) throw error
      onRetry(error)
      await pause(100 * 2 ** failures, undefined, { signal: ctx.stopping }).catch(() => undefined)
      continue
    }
    const { active } = performance.eventLoopUtilization(before)
    size = Math.round(Math.min(MOST, Math.max(fewest, (size * STEP_MS) / Math.max(1, active))))
    await nextTurn()
  }
  return false
}
