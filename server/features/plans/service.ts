// Bulk changes that are tried first, and then made if nothing has changed since.
import { createHash } from 'node:crypto'
import type { Action } from '../../../contract/actions.ts'
import { ServiceError } from '../../../contract/errors.ts'
import type { LinkToEach } from '../../../contract/shares.ts'
import { newId } from '../../base/id.ts'
import { invalid } from '../../base/invalid.ts'
import { HOUR_MS } from '../../base/time.ts'
import { allowSomewhere, asCurrent, type Ctx, type Step } from '../../context.ts'
import { type HeldBucket, holdBucket, holdBuckets } from '../../storage/buckets/service.ts'
import type { ItemError } from '../../storage/objects/item-error.ts'
import { findStates, type ObjectState } from '../../storage/objects/object-state.ts'
import { besides, deleteKeys, destination } from '../../storage/objects/transfers/bulk.ts'
import { type Copies, withCopies } from '../../storage/objects/transfers/copies.ts'
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
  /** What arrives beside what has its key, and the key that it gets. */
  kept_both: { source_key: string; key: string }[]
}
/**
 * Asks for the rights to share in a bucket, agrees on what links are limited to, and returns the step that creates one to each of
 * these objects. Plans get it from whoever offers links.
 */
export type Linker = (
  ctx: Ctx,
  bucket: string,
  limits: Pick<Change, 'expires_in' | 'max_downloads'> & { password?: string | undefined },
) => Promise<MakesLinks>
type MakesLinks = (
  step: Step,
  bucket: HeldBucket,
  keys: readonly string[],
) => Promise<{ items: LinkToEach[]; errors: ItemError[] }>

/** What was made. */
export interface Made extends Outcome {
  /** The links that were created, with their URLs. */
  links: LinkToEach[]
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
export async function makePlan(ctx: Ctx, change: Change, linker: Linker): Promise<Plan> {
  const { outcome, state } = await attempt(ctx, change, { linker })
  const { actions, errors, kept_both } = outcome
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
  return { actions, errors, kept_both, id, expires_at }
}

/**
 * Makes a planned change, once: all of it, or nothing. `password` is what visitors of its links have to enter. Throws not_found,
 * and `changed` if anything is not as it was.
 */
export async function carryOut(
  ctx: Ctx,
  id: string,
  { password, linker }: { password?: string | undefined; linker: Linker },
): Promise<Made> {
  const plan = await store.findPlan(ctx.db, { id, credential: ctx.actor.token_id ?? '' }, ctx.now())
  if (!plan) throw new ServiceError('not_found', 'There is no such plan of yours, or it is over. Make a new one.')
  const change = JSON.parse(plan.change) as Change
  if (password !== undefined && change.action !== 'share') throw invalid('body.password', 'is only for plans of links')
  const { outcome } = await attempt(ctx, change, { plan, password, linker })
  return outcome
}

/** Makes a change, or rolls it back where it is not planned; also returns a hash of what it was about. */
async function attempt(
  ctx: Ctx,
  change: Change,
  { plan, password, linker }: { plan?: store.PlanRow; password?: string | undefined; linker: Linker },
): Promise<{ outcome: Made; state: string }> {
  const { action, bucket, to_bucket = bucket } = change
  const { expires_in, max_downloads } = change
  const links = action === 'share' ? await linker(ctx, bucket, { expires_in, max_downloads, password }) : undefined
  if (!links) allowSomewhere(ctx.actor, action === 'copy' ? 'read' : 'delete', bucket)
  if (action === 'copy' || action === 'move') allowSomewhere(ctx.actor, 'write', to_bucket)
  const keys = await selectKeys(ctx, change)
  return withCopies(ctx, (copies) =>
    ctx.act(async (step) => {
      const actions: Action[] = []
      const record = (one: Action) => {
        actions.push(one)
        step.record(one)
      }
      const current = { ...(await asCurrent(step)), record }
      const { states, items, ...done } = await make(current, change, { keys, links, copies })
      const state = hashOf(keys, states, done)
      const result = { outcome: { actions, ...done, links: items }, state }
      if (!plan) return step.nothing(result)
      await assertAsPlanned(step, plan, state)
      return actions.length > 0 ? result : step.nothing(result)
    }),
  )
}

interface Selected {
  keys: readonly string[]
  /** Creates links, if that is the change. */
  links: MakesLinks | undefined
  copies: Copies
}

interface Done extends Omit<Outcome, 'actions'> {
  states: ObjectState[]
  items: LinkToEach[]
}

/** Step: makes a change; tells what its objects were, what is left out, and which links were created. */
async function make(step: Step, change: Change, { keys, links, copies }: Selected): Promise<Done> {
  const { action, bucket, to_bucket = bucket, keep_both } = change
  const bulk_id = newId()
  // What is not as it is now when its row is locked is left out, and so another outcome.
  const statesIn = async ({ id }: { id: string }) => {
    const states = await findStates(step.tx, id, keys)
    return { states, seen: new Map(states.map((one) => [one.key, one])) }
  }
  if (links) {
    const held = await holdBucket(step.tx, bucket, 'read')
    const { states } = await statesIn(held)
    return { states, ...(await links(step, held, keys)), kept_both: [] }
  }
  if (action === 'copy' || action === 'move') {
    const held = await holdBuckets(step.tx, bucket, to_bucket, action)
    const { states, seen } = await statesIn(held[0])
    const { pairs, impossible } = pairsOf(change, keys)
    const options = { kind: action, ifNoneMatch: true, keepBoth: keep_both, bulk_id, seen, copies }
    const done = await transferObjects(step, held, pairs, options)
    return { states, errors: [...impossible, ...done.errors], items: [], kept_both: besides(pairs, done.placed) }
  }
  const held = await holdBucket(step.tx, bucket)
  const { states, seen } = await statesIn(held)
  const { errors } = await deleteKeys(step, held, keys, { bulk_id, seen })
  return { states, errors, items: [], kept_both: [] }
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

/** A hash of what a change is about, and of the keys that arrive beside others: where one is taken meanwhile, it is another change. */
function hashOf(
  keys: readonly string[],
  states: readonly ObjectState[],
  { errors, kept_both }: Pick<Done, 'errors' | 'kept_both'>,
): string {
  const seen = states.map(({ key, blob_id, last_modified, moment }) =>
    JSON.stringify([key, blob_id, last_modified, moment === null ? null : Number(moment)]),
  )
  const left = errors.map(({ key, code }) => JSON.stringify([key, code]))
  return createHash('sha256')
    .update(JSON.stringify([keys, seen.sort(), left.sort(), ...kept_both]))
    .digest('hex')
}
