// Policies that take snapshots of buckets, and end those that they took before.
import { ServiceError } from '../../../contract/errors.ts'
import { systemActor } from '../../access/actors.ts'
import { NIL_ID } from '../../base/id.ts'
import { type Step as ActStep, allow, type Ctx, type Upkeep } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { bucketMissing } from '../../storage/buckets/service.ts'
import { findBucket } from '../../storage/buckets/store.ts'
import { sumExpected } from '../../storage/history/snapshots/limit.ts'
import { endBeyond, holdForSnapshot, takeSnapshot } from '../../storage/history/snapshots/take.ts'
import { renewed } from '../../work/lease.ts'
import type { Claim } from '../../work/store.ts'
import { type KeptObject, MOST_NAMED } from './delete-matches.ts'
import * as itemStore from './items.ts'
import { lease } from './lease.ts'
import { type Moment, nothingExcluded, type Step } from './match-step.ts'
import { assertMayContinue, ruleOfRun } from './may-continue.ts'
import type { RunRule } from './rule.ts'
import * as store from './store.ts'

/** How many names are tried where another policy, or somebody, has taken the first. */
const MOST_NAMES = 9

/** A bucket of which a snapshot is to be taken, as a run lists it: under the name of the snapshot. */
export const matchBucket = (bucket: { id: string; name: string }, { name }: RunRule, { cutoff }: Moment): Step => ({
  matches: [
    {
      key: nameOf(name ?? '', cutoff),
      bucket_id: bucket.id,
      bucket: bucket.name,
      version_seq: null,
      version_id: null,
      size: 0,
      etag: '',
      // It is no object, and has no contents.
      blob_id: NIL_ID,
      last_modified: cutoff.toISOString(),
    },
  ],
  examined: 1,
  excluded: nothingExcluded(),
})

/** `Every day` at 3:00: `every-day-20261128t030000z` */
function nameOf(policy: string, at: Date): string {
  const words = policy
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .join('-')
    .slice(0, 40)
    .replace(/-$/, '')
  const time = at.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return `${words || 'snapshot'}-${time.toLowerCase()}`
}

/** Takes the snapshot of the next bucket. It, and the run's progress, commit together, so that none is taken twice. */
export async function snapshotNext(ctx: Ctx, run: store.RunRow, claim: Claim): Promise<void> {
  const { author_id, author_email } = run
  const author = { ...systemActor, user_id: author_id, email: author_email, job_id: claim.id }
  const { bucket } = await nextItem(ctx.db, run)
  const expected = await sumExpected(ctx.db, await findBucket(ctx.db, bucket))
  try {
    await ctx.as(author).act((step) => takeStep(step, claim, expected))
  } catch (error) {
    // Of one bucket no snapshot can be taken: that is no reason to leave out the others.
    if (!(error instanceof NotTaken)) throw error
    await ctx.upkeep((step) => noteStep(step, claim, { refused: error.reason, ended: 0 }))
  }
}

class NotTaken extends Error {
  readonly reason: ServiceError
  constructor(reason: ServiceError) {
    super(reason.message)
    this.reason = reason
  }
}

/** Step: takes the snapshot of the next bucket, and ends those of the policy beyond the number that it keeps. */
async function takeStep(step: ActStep, claim: Claim, expected: number): Promise<void> {
  const run = await lease.hold(step.tx, claim)
  const actor = await assertMayContinue(step.tx, step, run)
  const item = await nextItem(step.tx, run)
  const keep = ruleOfRun(run).keep_snapshots ?? 1
  const ended = await takeOf({ ...step, actor }, item, { policy_id: run.policy_id, keep, expected }).catch(
    (error: unknown) => {
      throw error instanceof ServiceError ? new NotTaken(error) : error
    },
  )
  await noteStep(step, claim, { refused: null, ended })
}

async function takeOf(
  step: ActStep,
  { bucket: name, bucket_id, key }: itemStore.ItemRow,
  { policy_id, keep, expected }: { policy_id: string; keep: number; expected: number },
): Promise<number> {
  const bucket = await holdForSnapshot(step.tx, name)
  if (bucket?.id !== bucket_id) throw bucketMissing(name)
  allow(step.actor, 'manage', name)
  const names = Array.from({ length: MOST_NAMES }, (_, i) => (i === 0 ? key : `${key}-${i + 1}`))
  await takeSnapshot(step, bucket, { names, policy_id, expected })
  return endBeyond(step, bucket, { policy_id, keep })
}

async function nextItem(db: Db, { id, position }: store.RunRow): Promise<itemStore.ItemRow> {
  const [item] = await itemStore.listItems(db, id, { after: position }, 1)
  if (!item) throw new Error('A policy run has fewer items than it matched')
  return item
}

/** Step: stores what became of the next bucket. */
async function noteStep(
  step: Upkeep,
  claim: Claim,
  { refused, ended }: { refused: ServiceError | null; ended: number },
): Promise<void> {
  const { tx } = step
  const run = await lease.hold(tx, claim)
  const { bucket, key, position } = await nextItem(tx, run)
  const outcome = refused === null ? 'taken' : refused.code === 'not_found' ? 'gone' : 'not_taken'
  await itemStore.noteOutcomeOf(tx, run.id, [position], outcome)
  const known = JSON.parse(run.errors) as KeptObject[]
  const errors =
    refused === null || known.length >= MOST_NAMED
      ? known
      : [...known, { bucket, key, code: refused.code, detail: refused.message }]
  await store.updateRun(tx, run.id, {
    position,
    deleted: run.deleted + ended,
    kept: run.kept + (refused === null ? 0 : 1),
    errors: JSON.stringify(errors),
    ...renewed(step),
  })
}
