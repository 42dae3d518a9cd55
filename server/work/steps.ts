import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '../../contract/errors.ts'
import { perSystem } from '../base/per-system.ts'
import type { Ctx } from '../context.ts'
import { type Claim, type Lease, LeaseLost } from './lease.ts'

/** How many rows of one kind a process works on at a time. */
const AT_ONCE = 2
const FIRST_SIZE = 250
const LARGEST_SIZE = 1000
const STEP_MS = 30
/** How often a step is tried again that fails for a reason that may pass, like a database that is restarted. */
const TRIES = 5

/** One kind of long work: rows of a table that processes claim and take to their end step by step. */
export interface LongWork<R> {
  lease: Lease<R>
  /** What log lines call it, like "policy run". */
  noun: string
  /** The field of log lines that names the row. */
  logField: string
  /** Fewest objects a step: what other requests do counts into how busy the process is. */
  fewest: number
  /**
   * Called once for a row that was claimed. Gives its step: works on at most `size` objects in transactions of its own,
   * and resolves to false when the work is over.
   */
  begin(ctx: Ctx, row: R, claim: Claim): Promise<(size: number) => Promise<boolean>>
  /** Whether an error ends the work for a reason that is no fault. */
  isEnd?(error: unknown): boolean
  /** Ends the work because of an error; `reason` is what people may read of it. */
  fail(ctx: Ctx, claim: Claim, reason: string, error: unknown): Promise<void>
}

/** Works on all rows that nobody works on, two at a time in a process, until there are none or the process ends. */
export function drain<R>(work: LongWork<R>): (ctx: Ctx) => Promise<void> {
  const runningOf = perSystem(() => ({ count: 0 }))
  return async (ctx) => {
    if (!ctx.worksInBackground) return
    const running = runningOf(ctx.config)
    if (running.count >= AT_ONCE) return
    running.count++
    try {
      while (!ctx.stopping.aborted) {
        const claimed = await work.lease.claim(ctx)
        if (!claimed) return
        await takeToItsEnd(ctx, work, claimed.row, claimed.claim)
      }
    } finally {
      running.count--
    }
  }
}

/** Resolves when the work is over, lost to another process, or given up because this one ends. */
async function takeToItsEnd<R>(ctx: Ctx, work: LongWork<R>, row: R, claim: Claim): Promise<void> {
  const { lease, noun, logField } = work
  const step = await work.begin(ctx, row, claim)
  try {
    if (!(await takeSteps(ctx, work, claim, step))) await lease.release(ctx, claim)
  } catch (error) {
    if (error instanceof LeaseLost) return
    const isKnown = error instanceof ServiceError || isEndOf(work, error)
    if (!isKnown) ctx.log.error({ err: error, [logField]: claim.id }, `a ${noun} failed`)
    const reason = isKnown ? (error as Error).message : 'Something went wrong on our side; see the log.'
    try {
      await work.fail(ctx, claim, reason, error)
    } catch (failure) {
      if (!(failure instanceof LeaseLost)) throw failure
    }
  }
}

const isEndOf = ({ isEnd }: Pick<LongWork<never>, 'isEnd'>, error: unknown): boolean => isEnd?.(error) ?? false

/**
 * Takes steps until the work is over (true) or the process ends (false): as many objects each as keep the process busy
 * for about 30 ms, since its other requests wait meanwhile. What may pass is tried again; all else is thrown.
 */
async function takeSteps<R>(
  ctx: Ctx,
  work: LongWork<R>,
  { id }: Claim,
  step: (size: number) => Promise<boolean>,
): Promise<boolean> {
  const { noun, logField, fewest } = work
  let size = FIRST_SIZE
  let failures = 0
  while (!ctx.stopping.aborted) {
    const before = performance.eventLoopUtilization()
    try {
      if (!(await step(size))) return true
      failures = 0
    } catch (error) {
      if (error instanceof LeaseLost || isEndOf(work, error)) throw error
      const mayPass = error instanceof ServiceError ? error.code === 'busy' : true
      if (!mayPass || ++failures > TRIES) throw error
      ctx.log.warn({ err: error, [logField]: id }, `a step of a ${noun} is tried again`)
      await pause(100 * 2 ** failures, undefined, { signal: ctx.stopping }).catch(() => undefined)
      continue
    }
    const { active } = performance.eventLoopUtilization(before)
    size = Math.round(Math.min(LARGEST_SIZE, Math.max(fewest, (size * STEP_MS) / Math.max(1, active))))
    await nextTurn()
  }
  return false
}
