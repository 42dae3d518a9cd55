// The first part of a run: writes down what its rule matches, before anything is deleted.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Ctx } from '../../context.ts'
import { renewed } from '../../work/lease.ts'
import type { Claim } from '../../work/store.ts'
import * as itemStore from './items.ts'
import { lease } from './lease.ts'
import { findMatches } from './match.ts'
import type { Match } from './match-step.ts'
import { assertMayContinue, ruleOfRun } from './may-continue.ts'
import { dayOf } from './moment.ts'
import * as store from './store.ts'

/** Items read at a time when a dry run's list is copied. */
const COPIED_AT_ONCE = 1000
const CLEARED_AT_ONCE = 5000
/** The objects that a run shows as examples of what it matched. */
const MOST_SAMPLED = 100

/** Lists what the run will delete before anything is deleted. A restarted list first removes the old one. */
export async function listMatches(ctx: Ctx, { id, rule, cutoff, of_run }: store.RunRow, claim: Claim): Promise<void> {
  while (
    (await ctx.upkeep(({ tx }) => lease.hold(tx, claim).then(() => itemStore.deleteItems(tx, id, CLEARED_AT_ONCE)))) ===
    CLEARED_AT_ONCE
  )
    await nextTurn()
  const own = ruleOfRun({ rule })
  const moment = { cutoff: new Date(cutoff), day: dayOf(ctx, own) }
  const source = of_run === null ? findMatches(ctx.db, own, moment) : copyOf(ctx, of_run)
  const sum = { examined: 0, matched: 0, matched_bytes: 0 }
  const sample: Pick<Match, 'bucket' | 'key'>[] = []
  let pages = 0
  for await (const { matches, examined } of source) {
    if (ctx.stopping.aborted) return
    const first = sum.matched
    sum.examined += examined
    sum.matched += matches.length
    sum.matched_bytes += matches.reduce((bytes, one) => bytes + one.size, 0)
    for (const { bucket, key } of matches.slice(0, MOST_SAMPLED - sample.length)) sample.push({ bucket, key })
    const rows = matches.map((one, i) => ({ ...one, run_id: id, position: first + i + 1, outcome: null }))
    // Need not be durable: an incomplete list is restarted anyway.
    await ctx.upkeep(
      async ({ tx }) => {
        const run = await lease.hold(tx, claim)
        // Nothing is deleted yet, so checking occasionally is enough: it takes several queries.
        if (run.cancel_at !== null || pages++ % 10 === 0) await assertMayContinue(tx, ctx, run)
        await itemStore.insertItems(tx, rows)
        await store.updateRun(tx, id, { ...sum, ...renewed(ctx) })
      },
      { relaxed: true },
    )
  }
  const listed_at = ctx.now().toISOString()
  await ctx.upkeep(async ({ tx }) => {
    await lease.hold(tx, claim)
    await store.updateRun(tx, id, { ...sum, listed_at, sample: JSON.stringify(sample), ...renewed(ctx) })
  })
}

/** Copies a dry run's matches for another run. */
async function* copyOf(ctx: Ctx, runId: string): AsyncGenerator<{ matches: Match[]; examined: number }> {
  yield { matches: [], examined: await store.findExamined(ctx.db, runId) }
  for (let after = 0; ; ) {
    const items = await itemStore.listItems(ctx.db, runId, { after }, COPIED_AT_ONCE)
    yield { matches: items.map(({ run_id: _run, position: _at, outcome: _none, ...match }) => match), examined: 0 }
    const last = items.at(-1)
    if (!last || items.length < COPIED_AT_ONCE) return
    after = last.position
  }
}
