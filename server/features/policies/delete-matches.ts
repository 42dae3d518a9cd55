// The second part of a run: deletes what it listed, in steps.
import { ServiceError } from '../../../contract/errors.ts'
import { systemActor } from '../../access/actors.ts'
import type { Actor, Ctx, Step, Upkeep } from '../../context.ts'
import type { Row, Tx } from '../../db/schema.ts'
import { permits } from '../../iam/decide.ts'
import { type HeldBucket, holdBucket } from '../../storage/buckets/service.ts'
import { findPlaces } from '../../storage/history/store.ts'
import { findObjects } from '../../storage/objects/store.ts'
import { deleteUnchanged } from '../../storage/objects/transfers/bulk.ts'
import { removeListed } from '../../storage/versions/remove.ts'
import { renewed } from '../../work/lease.ts'
import type { Claim } from '../../work/store.ts'
import * as itemStore from './items.ts'
import { lease } from './lease.ts'
import { assertMayContinue, ruleOfRun } from './may-continue.ts'
import { dayOf } from './moment.ts'
import { conditionsAt } from './rule.ts'
import * as store from './store.ts'

/** The objects whose failure a run names. */
export const MOST_NAMED = 100

/** One of the first objects that were kept. */
export interface KeptObject {
  bucket: string
  key: string
  code: ServiceError['code']
  detail: string
}

/** Deletes the next objects. Outcome and progress commit together, so that no object is processed twice. */
export async function deleteNext(ctx: Ctx, { author_id, author_email }: store.RunRow, claim: Claim, size: number) {
  const author: Actor = { ...systemActor, user_id: author_id, email: author_email, job_id: claim.id }
  const removed = await ctx.as(author).act(async (step) => {
    const count = await removeStep(step, claim, size)
    return count > 0 ? count : step.nothing(0)
  })
  if (removed === 0) await ctx.upkeep((step) => removeStep(step, claim, size))
}

type Item = itemStore.ItemRow
/** What of a row decides whether it is still wanted gone. */
type Wanted = Pick<Row<'objects'>, 'key' | 'tags'>

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
  of: { bulk_id: string; policy_id: string; markers: boolean; isWanted(row: Wanted): boolean },
): Promise<Outcomes> {
  if (!bucket) return { removed: new Set(), changed: new Set(), locked: new Set() }
  const objects = items.filter(({ version_seq }) => version_seq === null)
  const versions = items.flatMap(({ key, version_seq: seq }) => (seq === null ? [] : { key, seq }))
  // What a policy denies whose policy it is stays, like what has changed.
  const mayGo = ({ key }: { key: string }) => permits(step.actor, 'delete', bucket.name, key)
  const within = { ...of, isWanted: (row: Wanted) => mayGo(row) && of.isWanted(row) }
  const { markers, ...unchanged } = within
  const [ofObjects, ofVersions] =
    'record' in step
      ? [await deleteUnchanged(step, bucket, objects, unchanged), await removeListed(step, bucket, versions, within)]
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
