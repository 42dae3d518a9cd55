// Bulk changes that are tried first, and then made if nothing has changed since.
import { createHash } from 'node:crypto'
import type { Action } from '../../../contract/actions.ts'
import { ServiceError } from '../../../contract/errors.ts'
import { newId } from '../../base/id.ts'
import { HOUR_MS } from '../../base/time.ts'
import { allowSomewhere, asCurrent, type Ctx, type Step } from '../../context.ts'
import { holdBucket, holdBuckets } from '../../storage/buckets/service.ts'
import type { ItemError } from '../../storage/objects/item-error.ts'
import { findStates, type ObjectState } from '../../storage/objects/object-state.ts'
import { deleteKeys, destination } from '../../storage/objects/transfers/bulk.ts'
import { withCopies } from '../../storage/objects/transfers/copies.ts'
import { transferObjects } from '../../storage/objects/transfers/transfer.ts'
import { type Change, selectKeys } from './select.ts'
import * as store from './store.ts'

const LASTS_MS = HOUR_MS
/** Plans that one credential can have at a time. */
const MOST_PLANS = 20

/** What a bulk change does. */
export interface Outcome {
  /** What happens to objects, as it is recorded. */
  actions: Action[]
  /** What is left out, and why. */
  errors: ItemError[]
}
export interface Plan extends Outcome {
  id: string
  expires_at: string
}

const stale = () =>
  new ServiceError(
    'changed',
    'Objects that the plan is about have changed since it was made, or others have come. Nothing was changed. Make a new plan.',
  )

/** Tries a bulk change, and rolls it back. What it would do can be made with the plan's id, by the same credential, for an hour. */
export async function makePlan(ctx: Ctx, change: Change): Promise<Plan> {
  const { outcome, state } = await attempt(ctx, change)
  const { user_id, token_id } = ctx.actor
  const id = newId()
  const expires_at = new Date(ctx.now().getTime() + LASTS_MS).toISOString()
  await ctx.upkeep(async ({ tx, now }) => {
    const credential = token_id ?? ''
    await store.insertPlan(tx, {
      id,
      user_id: user_id ?? '',
      credential,
      change: JSON.stringify(change),
      state,
      expires_at,
    })
    await store.tidyPlans(tx, { credential, keep: MOST_PLANS, now: now() })
  })
  return { ...outcome, id, expires_at }
}

/** Makes a planned change, once: all of it, or nothing. Throws not_found, and `changed` if anything is not as it was. */
export async function carryOut(ctx: Ctx, id: string): Promise<Outcome> {
  const plan = await store.findPlan(ctx.db, { id, credential: ctx.actor.token_id ?? '' }, ctx.now())
  if (!plan) throw new ServiceError('not_found', 'There is no such plan of yours, or it is over. Make a new one.')
  const { outcome } = await attempt(ctx, JSON.parse(plan.change) as Change, plan)
  return outcome
}

/** Makes a change, or rolls it back where it is not planned; also returns a hash of what it was about. */
async function attempt(ctx: Ctx, change: Change, plan?: store.PlanRow): Promise<{ outcome: Outcome; state: string }> {
  const { action, bucket, to_bucket = bucket } = change
  allowSomewhere(ctx.actor, action === 'copy' ? 'read' : 'delete', bucket)
  if (action !== 'delete') allowSomewhere(ctx.actor, 'write', to_bucket)
  const keys = await selectKeys(ctx, change)
  const bulk_id = newId()
  return withCopies(ctx, (copies) =>
    ctx.act(async (step) => {
      const actions: Action[] = []
      const record = (one: Action) => {
        actions.push(one)
        step.record(one)
      }
      const current = { ...(await asCurrent(step)), record }
      const held =
        action === 'delete'
          ? ([await holdBucket(step.tx, bucket)] as const)
          : await holdBuckets(step.tx, bucket, to_bucket, action)
      // What is not as it is now when its row is locked is left out, and so another outcome.
      const states = await findStates(step.tx, held[0].id, keys)
      const seen = new Map(states.map((one) => [one.key, one]))
      const errors: ItemError[] = []
      if (action === 'delete' || !held[1])
        errors.push(...(await deleteKeys(current, held[0], keys, { bulk_id, seen })).errors)
      else {
        const { pairs, impossible } = pairsOf(change, keys)
        const more = { kind: action, ifNoneMatch: true, bulk_id, seen, copies }
        const done = await transferObjects(current, [held[0], held[1]], pairs, more)
        errors.push(...impossible, ...done.errors)
      }
      const state = hashOf(keys, states, errors)
      const result = { outcome: { actions, errors }, state }
      if (!plan) return step.nothing(result)
      await assertAsPlanned(step, plan, state)
      return actions.length > 0 ? result : step.nothing(result)
    }),
  )
}

async function assertAsPlanned({ tx }: Step, { id, state }: store.PlanRow, now: string): Promise<void> {
  // Where two processes carry it out at once, the second one waits here and finds none.
  if (now !== state || !(await store.deletePlan(tx, id))) throw stale()
}

function pairsOf({ prefix, to_prefix = '' }: Change, keys: readonly string[]) {
  const impossible: ItemError[] = []
  const pairs = keys.flatMap((key) => {
    const dest = destination(key, to_prefix, prefix)
    if (dest !== null) return [{ key, dest }]
    impossible.push({ key, code: 'invalid_request', detail: 'The new key would be too long.' })
    return []
  })
  return { pairs, impossible }
}

function hashOf(keys: readonly string[], states: readonly ObjectState[], errors: readonly ItemError[]): string {
  const seen = states.map(({ key, blob_id, last_modified, moment }) =>
    JSON.stringify([key, blob_id, last_modified, moment === null ? null : Number(moment)]),
  )
  const left = errors.map(({ key, code }) => JSON.stringify([key, code]))
  return createHash('sha256')
    .update(JSON.stringify([keys, seen.sort(), left.sort()]))
    .digest('hex')
}
