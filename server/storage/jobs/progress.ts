import type { Ctx, Upkeep } from '../../context.ts'
import { type Claim, renewed } from '../../work/lease.ts'
import type { ItemError } from '../objects/item-error.ts'
import { lease } from './lease.ts'
import * as store from './store.ts'
import type { Place, walk } from './walk.ts'

/** How often a bucket's contents are walked through at most: what is restored or copied meanwhile may be behind the walk. */
const MOST_WALKS = 20

/** Where a job is that walks through a bucket until it finds nothing more to do. */
export interface Progress extends Place {
  /** Starts at 1. */
  walk: number
  /** For how many blobs something was done in this walk. */
  changed: number
}
const START: Progress = { walk: 1, table: 'objects', after: null, changed: 0 }

/** Where a job is. One that an earlier release began has `moved` for `changed`. */
export function progressOf({ listed_to }: store.JobRow): Progress {
  if (listed_to === null) return START
  const { moved, ...at } = JSON.parse(listed_to) as Progress & { moved?: number }
  return moved === undefined ? at : { ...at, changed: moved }
}

interface Walked {
  at: Progress
  found: Awaited<ReturnType<typeof walk>>
  /** Those that were dealt with, and whether they are all that were found. */
  rows: readonly Awaited<ReturnType<typeof walk>>['rows'][number][]
  whole: boolean
  /** For how many blobs something was done. */
  changed: number
  errors: readonly ItemError[]
}

/** Ends a step of such a job: `apply` and the job's progress commit together. */
export async function noteWalked(
  ctx: Ctx,
  claim: Claim,
  { at, found, rows, whole, changed, errors }: Walked,
  apply: (step: Upkeep) => Promise<void>,
): Promise<void> {
  const total_changed = at.changed + changed
  const next = whole ? found.next : { table: at.table, after: rows.at(-1)?.at ?? at.after }
  const isOver = next === null && (total_changed === 0 || at.walk === MOST_WALKS)
  const progress = next === null ? { ...START, walk: at.walk + 1 } : { ...next, walk: at.walk, changed: total_changed }
  await ctx.upkeep(async (step) => {
    const held = await lease.hold(step.tx, claim)
    await apply(step)
    const first = at.walk === 1
    const failed = held.failed + (first ? errors.length : 0)
    const seen = first ? Math.min(held.total, held.done + held.failed + rows.length) : held.done + held.failed
    const done = Math.max(held.done, seen - failed)
    const total = isOver ? done + failed : held.total
    const known = JSON.parse(held.errors) as ItemError[]
    await store.updateJob(step.tx, held.id, {
      done,
      failed,
      total,
      // Less than all until the last walk is over.
      position: isOver ? total : Math.min(done + failed, held.total - 1),
      listed_to: JSON.stringify(progress),
      ...(first && errors.length > 0
        ? { errors: JSON.stringify([...known, ...errors].slice(0, store.MOST_ERRORS)) }
        : {}),
      ...renewed(step),
    })
  })
}
