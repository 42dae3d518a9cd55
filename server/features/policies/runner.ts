import { setImmediate as nextTurn } from 'node:timers/promises'
import { ServiceError } from '../../../contract/errors.ts'
import { actorOfUser } from '../../access/sessions/service.ts'
import { type Actor, type Ctx, type Step, systemActor, type Upkeep } from '../../context.ts'
import type { Db, Tx } from '../../db/schema.ts'
import { type HeldBucket, holdBucket } from '../../storage/buckets/service.ts'
import { findPlaces } from '../../storage/history/store.ts'
import { findObjects } from '../../storage/objects/store.ts'
import { deleteUnchanged } from '../../storage/objects/transfers/bulk.ts'
import { removeListed } from '../../storage/versions/remove.ts'
import { type Claim, LeaseLost, leaseOn, renewed } from '../../work/lease.ts'
import { drain } from '../../work/steps.ts'
import { type Ending, finishStep, recorderOf } from './finish.ts'
import * as itemStore from './items.ts'
import { findMatches } from './match.ts'
import type { Match } from './match-step.ts'
import { dayOf } from './moment.ts'
import { allowOnAll, conditionsAt, guardRail, type RunRule } from './rule.ts'
import * as store from './store.ts'

const MOST_NAMED = 100
/** With 20 at a time, a run beside busy uploads took twice as long. */
const FEWEST_A_STEP = 100
/** Items read at a time when a dry run's list is copied. */
const COPIED_AT_ONCE = 1000
const CLEARED_AT_ONCE = 5000
/** One of the first objects that were kept. */
export interface KeptObject {
  bucket: string
  key: string
  code: 'conflict' | 'locked' | 'not_found'
  detail: string
}

/** Ends the run for a reason that is not an error. */
class RunEnded extends Error {
  readonly status: 'stopped' | 'cancelled'
  constructor(status: 'stopped' | 'cancelled', reason: string) {
    super(reason)
    this.status = status
  }
}

const lease = leaseOn({ table: 'policy_runs', columns: store.runColumns, isOpen: store.isOpen })

/**
 * Works on runs that no process has claimed, two at a time per process, until none is left. After a crash another
 * process restarts a run's list, or continues deleting where it stopped.
 */
export const drainRuns = drain({
  lease,
  noun: 'policy run',
  logField: 'run',
  fewest: FEWEST_A_STEP,
  begin: async (ctx, _run, claim) => {
    const own = ctx.as(systemActor)
    return (size) => takeStep(own, claim, size)
  },
  isEnd: (error) => error instanceof RunEnded,
  async fail(ctx, claim, reason, error) {
    const status = error instanceof RunEnded ? error.status : 'failed'
    await finish(ctx, await lease.find(ctx.db, claim), claim, { status, reason })
  },
})

/**
 * Checked at every step: the run was not cancelled, the policy has not changed, and its author is active and has both
 * rights on everything it reaches. Returns the actor to delete as.
 */
async function assertMayContinue(db: Db, { now }: Pick<Ctx, 'now'>, run: store.RunRow): Promise<Actor> {
  if (run.cancel_at !== null) throw new RunEnded('cancelled', 'The run was cancelled.')
  const policy = await store.findPolicy(db, run.policy_id)
  if (!policy) throw new LeaseLost()
  if (policy.revision !== run.revision) throw new RunEnded('stopped', 'The policy was changed during the run.')
  const author = await actorOfUser({ db, now, actor: systemActor }, run.author_id, null)
  if (!author) throw new ServiceError('forbidden', "The policy's author no longer has an active account.")
  allowOnAll(author.groups, ['policy', 'delete'], ruleOfRun(run), "The policy's author lacks")
  return { ...author, type: 'system', auth_method: 'system' }
}

/** A run's rule; runs of earlier releases know fewer conditions. */
const ruleOfRun = ({ rule }: Pick<store.RunRow, 'rule'>): RunRule => ({
  ...laterConditions,
  ...(JSON.parse(rule) as Omit<RunRule, keyof typeof laterConditions>),
})
const laterConditions = {
  max_size: null,
  tags: null,
  date: null,
  noncurrent_days: null,
  keep_versions: null,
  expired_markers: false,
}

/** One step; false when the run has finished. */
async function takeStep(ctx: Ctx, claim: Claim, size: number): Promise<boolean> {
  const run = await lease.find(ctx.db, claim)
  if (run.listed_at === null) {
    await assertMayContinue(ctx.db, ctx, run)
    await list(ctx, run, claim)
    return true
  }
  const stop = guardRail(ruleOfRun(run), run)
  if (stop !== null) throw new RunEnded('stopped', stop)
  if (run.kind === 'dry' || run.position >= run.matched) {
    await finish(ctx, run, claim, { status: 'succeeded', reason: null })
    return false
  }
  await remove(ctx, run, claim, size)
  return true
}

/** Lists what the run will delete before anything is deleted. A restarted list first removes the old one. */
async function list(ctx: Ctx, { id, rule, cutoff, of_run }: store.RunRow, claim: Claim): Promise<void> {
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
    for (const { bucket, key } of matches.slice(0, MOST_NAMED - sample.length)) sample.push({ bucket, key })
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

/** Deletes the next objects. Outcome and progress commit together, so that no object is processed twice. */
async function remove(ctx: Ctx, { author_id, author_email }: store.RunRow, claim: Claim, size: number) {
  const author: Actor = { ...systemActor, user_id: author_id, email: author_email }
  const removed = await ctx.as(author).act(async (step) => {
    const count = await removeStep(step, claim, size)
    return count > 0 ? count : step.nothing(0)
  })
  if (removed === 0) await ctx.upkeep((step) => removeStep(step, claim, size))
}

type Item = itemStore.ItemRow
/** What became of items; the others are gone. */
interface Outcomes {
  removed: ReadonlySet<Item>
  changed: ReadonlySet<Item>
  locked: ReadonlySet<Item>
}

/**
 * Step: deletes those of the items that are still as they were listed. If the step cannot record, it deletes none, and
 * what is there counts as changed.
 */
async function deleteListed(
  step: Step | Upkeep,
  bucket: HeldBucket | null,
  items: readonly Item[],
  of: Parameters<typeof removeListed>[3] & Parameters<typeof deleteUnchanged>[3],
): Promise<Outcomes> {
  if (!bucket) return { removed: new Set(), changed: new Set(), locked: new Set() }
  const objects = items.filter(({ version_seq }) => version_seq === null)
  const versions = items.flatMap(({ key, version_seq: seq }) => (seq === null ? [] : { key, seq }))
  const { markers, ...unchanged } = of
  const [ofObjects, ofVersions] =
    'record' in step
      ? [await deleteUnchanged(step, bucket, objects, unchanged), await removeListed(step, bucket, versions, of)]
      : [
          { removed: new Set<string>(), changed: await findPresent(step.tx, bucket, objects) },
          { removed: new Set<number>(), changed: await findRows(step.tx, versions), locked: new Set<number>() },
        ]
  const those = (what: 'removed' | 'changed') =>
    new Set(
      items.filter(({ key, version_seq }) =>
        version_seq === null ? ofObjects[what].has(key) : ofVersions[what].has(version_seq),
      ),
    )
  const locked = items.filter(({ version_seq }) => version_seq !== null && ofVersions.locked.has(version_seq))
  return { removed: those('removed'), changed: those('changed'), locked: new Set(locked) }
}

/** Step: deletes the next items that it can; returns how many. */
async function removeStep(step: Step | Upkeep, claim: Claim, size: number): Promise<number> {
  const { tx } = step
  const run = await lease.hold(tx, claim)
  const { id } = run
  const actor = await assertMayContinue(tx, step, run)
  const next = await itemStore.listItems(tx, id, { after: run.position }, size)
  const elsewhere = next.findIndex(({ bucket_id }) => bucket_id !== next[0]?.bucket_id)
  const items = elsewhere < 0 ? next : next.slice(0, elsewhere)
  const [first, last] = [items[0], items.at(-1)]
  if (!first || !last) throw new Error('A policy run has fewer items than it matched')
  const bucket = await holdSame(tx, first)
  const rule = ruleOfRun(run)
  const { hasTags } = conditionsAt(rule, new Date(run.cutoff), dayOf(step, rule))
  // A change of tags leaves the contents as they were listed.
  const of = { bulk_id: id, policy_id: run.policy_id, markers: rule.expired_markers, isWanted: hasTags }
  const outcomes = await deleteListed({ ...step, actor }, bucket, items, of)
  const { removed } = outcomes
  const lacking = items.filter((item) => !removed.has(item))
  const positionsOf = (some: readonly Item[]) => some.map(({ position }) => position)
  for (const [outcome, some] of Map.groupBy(lacking, (item) => outcomeOf(item, outcomes)))
    await itemStore.noteOutcomeOf(tx, id, positionsOf(some), outcome)
  await itemStore.noteOutcome(tx, id, { from: run.position, to: last.position }, 'deleted')
  const known = JSON.parse(run.errors) as KeptObject[]
  const errors = [
    ...known,
    ...lacking.slice(0, MOST_NAMED - known.length).map((one) => keptOf(one, outcomeOf(one, outcomes))),
  ]
  await store.updateRun(tx, id, {
    position: last.position,
    deleted: run.deleted + removed.size,
    deleted_bytes: run.deleted_bytes + [...removed].reduce((sum, { size }) => sum + size, 0),
    kept: run.kept + lacking.length,
    errors: JSON.stringify(errors),
    ...renewed(step),
  })
  return removed.size
}

const outcomeOf = (item: Item, { changed, locked }: Outcomes) =>
  changed.has(item) ? 'kept_changed' : locked.has(item) ? 'kept_locked' : 'gone'

function keptOf({ bucket, key, version_seq }: Item, outcome: ReturnType<typeof outcomeOf>): KeptObject {
  const what = version_seq === null ? 'object' : 'version'
  if (outcome === 'kept_changed')
    return { bucket, key, code: 'conflict', detail: `The ${what} has changed since it was listed.` }
  if (outcome === 'kept_locked') return { bucket, key, code: 'locked', detail: `The ${what} is locked.` }
  return { bucket, key, code: 'not_found', detail: `The ${what} no longer exists.` }
}

const findRows = async (tx: Tx, versions: readonly { seq: number }[]): Promise<Set<number>> =>
  new Set(
    (
      await findPlaces(
        tx,
        versions.map(({ seq }) => seq),
      )
    ).keys(),
  )

const findPresent = async (tx: Tx, bucket: HeldBucket, items: readonly Item[]): Promise<Set<string>> =>
  new Set(
    (
      await findObjects(
        tx,
        bucket.id,
        items.map(({ key }) => key),
      )
    ).map(({ key }) => key),
  )

/** Step: holds an item's bucket; null if it was deleted, even if another bucket has its name now. */
async function holdSame(tx: Tx, { bucket, bucket_id }: Item): Promise<HeldBucket | null> {
  try {
    const held = await holdBucket(tx, bucket)
    return held.id === bucket_id ? held : null
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return null
    throw error
  }
}

async function finish(ctx: Ctx, run: store.RunRow, claim: Claim, ending: Ending): Promise<void> {
  await ctx.as(recorderOf(run)).act(async (step) => {
    const own = await lease.hold(step.tx, claim)
    const policy = await store.findPolicy(step.tx, own.policy_id)
    if (!policy) throw new LeaseLost()
    await finishStep(step, own, policy.name, ending)
  })
}
