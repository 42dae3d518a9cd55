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
/** How often to try a step that fails for a temporary reason, such as a database restart. */
const TRIES = 5

/** A step that has to end before it is done, because the process is stopping or the work has been cancelled. */
export class Interrupted extends Error {}

/** One kind of long work: rows of a table that a process claims and works on step by step to the end. */
export interface LongWork<R> {
  lease: Lease<R>
  /** Its name in log lines, such as "policy run". */
  noun: string
  /** The log field that identifies the row. */
  logField: string
  /** Fewest objects per step: the step size follows the process's load, which includes other requests. */
  fewest: number
  /**
   * Called once for a claimed row. Returns its step, which works on at most `size` objects in transactions of its own,
   * and resolves to false when the work is done.
   */
  begin(ctx: Ctx, row: R, claim: Claim): Promise<(size: number) => Promise<boolean>>
  /** Whether an error ends the work for a reason that is not a failure. */
  isEnd?(error: unknown): boolean
  /** Ends the work because of an error; `reason` is shown to users. */
  fail(ctx: Ctx, claim: Claim, reason: string, error: unknown): Promise<void>
}

/** Works on all unclaimed rows, two at a time per process, until none is left or the process stops. */
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

/** Resolves when the work is done, lost to another process, or released because this one is stopping. */
async function takeToItsEnd<R>(ctx: Ctx, work: LongWork<R>, row: R, claim: Claim): Promise<void> {
  const { lease, noun, logField } = work
  const step = await work.begin(ctx, row, claim)
  try {
    if (!(await takeSteps(ctx, work, claim, step))) await lease.release(ctx, claim)
  } catch (error) {
    if (error instanceof LeaseLost) return
    const isKnown = error instanceof ServiceError || isEndOf(work, error)
    if (!isKnown) ctx.log.error({ err: error, [logField]: claim.id }, `a ${noun} failed`)
    const reason = isKnown ? (error as Error).message : 'An internal error occurred; see the log.'
    try {
      await work.fail(ctx, claim, reason, error)
    } catch (failure) {
      if (!(failure instanceof LeaseLost)) throw failure
    }
  }
}

const isEndOf = ({ isEnd }: Pick<LongWork<never>, 'isEnd'>, error: unknown): boolean => isEnd?.(error) ?? false

/**
 * Takes steps until the work is done (true) or the process is stopping (false). Step sizes adapt to keep the process
 * busy for about 30 ms, since other requests wait meanwhile. Temporary failures are retried; everything else is thrown.
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
      if (error instanceof Interrupted) continue
      const mayPass = error instanceof ServiceError ? error.code === 'busy' : true
      if (!mayPass || ++failures > TRIES) throw error
      ctx.log.warn({ err: error, [logField]: id }, `retrying a step of a ${noun}`)
      await pause(100 * 2 ** failures, undefined, { signal: ctx.stopping }).catch(() => undefined)
      continue
    }
    const { active } = performance.eventLoopUtilization(before)
    size = Math.round(Math.min(LARGEST_SIZE, Math.max(fewest, (size * STEP_MS) / Math.max(1, active))))
    await nextTurn()
  }
  return false
}
