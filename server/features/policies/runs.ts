import { setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '../../../contract/errors.ts'
import { decide } from '../../../contract/permissions.ts'
import type { PolicyRun } from '../../../contract/policies.ts'
import { decodeCursor, encodeCursor, pageOf } from '../../base/cursor.ts'
import { newId } from '../../base/id.ts'
import { invalid } from '../../base/invalid.ts'
import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import type { NewRow } from '../../db/schema.ts'
import { findRestorable } from './find-restorable.ts'
import { numbersOf, type Requester } from './finish.ts'
import * as itemStore from './items.ts'
import { deleteOrphans } from './lifecycle.ts'
import { momentOf, nextRun } from './moment.ts'
import { isTheirs, type RunRule, ruleOf } from './rule.ts'
import { drainRuns, type KeptObject } from './runner.ts'
import * as store from './store.ts'

/** How long a response waits for the requested run to finish. */
const PATIENCE_MS = 2000
const DUE_AT_ONCE = 100
const SCANNED_AT_ONCE = 1000
const MOST_SCANNED = 10

export const policyMissing = () => new ServiceError('not_found', 'There is no such policy.')
const runMissing = () => new ServiceError('not_found', 'The policy has no such run.')

/**
 * A policy on whose whole reach the caller has the right `policy`; otherwise throws not_found, as if it did not exist.
 */
export async function getVisible(ctx: Ctx, id: string): Promise<store.PolicyRow> {
  const row = await store.findPolicy(ctx.db, id)
  if (row && isTheirs(ctx.actor, ruleOf(row))) return row
  throw policyMissing()
}

function newRun(ctx: Ctx, policy: store.PolicyRow, more: Partial<NewRow<'policy_runs'>>): NewRow<'policy_runs'> {
  const now = ctx.now()
  return {
    id: newId(),
    policy_id: policy.id,
    kind: 'live',
    of_run: null,
    trigger: 'manual',
    status: 'queued',
    reason: null,
    rule: JSON.stringify({ ...ruleOf(policy), bucket_id: policy.bucket_id } satisfies RunRule),
    revision: policy.revision,
    author_id: policy.author_id,
    author_email: policy.author_email,
    requester: null,
    cutoff: momentOf(ctx, policy, now).toISOString(),
    scheduled_for: null,
    examined: 0,
    matched: 0,
    matched_bytes: 0,
    position: 0,
    deleted: 0,
    deleted_bytes: 0,
    kept: 0,
    sample: '[]',
    errors: '[]',
    listed_at: null,
    runner: null,
    leased_until: null,
    cancel_at: null,
    started_at: null,
    finished_at: null,
    forgotten_at: null,
    created_at: now.toISOString(),
    ...more,
  }
}

export interface RunOptions {
  dry_run?: boolean | undefined
  of?: string | undefined
}

/**
 * Starts a run, and waits briefly for it to finish. Throws `conflict` while another run of the policy is unfinished.
 */
export async function runPolicy(ctx: Ctx, id: string, query: RunOptions, body: RunOptions): Promise<PolicyRun> {
  await getVisible(ctx, id)
  // A client that asked for a dry run must not delete, so contradicting values are rejected rather than ranked.
  for (const name of ['dry_run', 'of'] as const)
    if (query[name] !== undefined && body[name] !== undefined && query[name] !== body[name])
      throw invalid(`body.${name}`, 'contradicts the query parameter')
  const dryRun = query.dry_run ?? body.dry_run ?? false
  const of = query.of ?? body.of
  if (dryRun && of !== undefined)
    throw invalid(query.of === undefined ? 'body.of' : 'query.of', 'cannot be combined with dry_run')
  const { groups: _rights, ...requester } = ctx.actor
  const runId = await ctx.upkeep(async ({ tx }) => {
    const policy = await store.lockPolicy(tx, id)
    if (!policy) throw policyMissing()
    const dry = of === undefined ? undefined : await store.findRun(tx, id, of)
    if (of !== undefined) assertUsable(dry, policy)
    const row = newRun(ctx, policy, {
      kind: dryRun ? 'dry' : 'live',
      requester: JSON.stringify(requester satisfies Requester),
      ...(dry ? { of_run: dry.id, cutoff: dry.cutoff } : {}),
    })
    if (!(await store.insertRun(tx, row)))
      throw new ServiceError(
        'conflict',
        'This policy already has an unfinished run. Wait for it to finish, or cancel it.',
      )
    return row.id
  })
  await waitFor(ctx, drainRuns(ctx))
  return getRun(ctx, id, runId)
}

function assertUsable(dry: store.RunRow | undefined, policy: store.PolicyRow): void {
  if (!dry) throw runMissing()
  const refuse = (detail: string) => new ServiceError('conflict', detail)
  if (dry.kind !== 'dry') throw refuse('The run given in "of" is not a dry run.')
  if (dry.finished_at === null || dry.listed_at === null) throw refuse('The dry run did not finish.')
  if (dry.revision !== policy.revision) throw refuse('The policy was changed after the dry run. Start a new one.')
  if (dry.forgotten_at !== null) throw refuse("The dry run's list is no longer kept. Start a new one.")
}

async function waitFor(ctx: Ctx, work: Promise<void>): Promise<void> {
  ctx.background(work)
  const enough = new AbortController()
  const patience = pause(PATIENCE_MS, undefined, { ref: false, signal: enough.signal }).catch(() => undefined)
  await Promise.race([work.catch(() => undefined), patience])
  enough.abort()
}

/** A run as the caller may see it: only the keys of objects they may list. */
function describeRun({ actor }: Ctx, row: store.RunRow, restorable: readonly string[] = []): PolicyRun {
  const visible = ({ bucket, key }: { bucket: string; key: string }) =>
    decide(actor.groups, 'list', bucket, key).allowed
  return {
    ...summariseRun(row),
    errors: (JSON.parse(row.errors) as KeptObject[]).filter(visible),
    sample: (JSON.parse(row.sample) as KeptObject[]).filter(visible).map(({ key }) => key),
    restorable: [...restorable],
  }
}

export function summariseRun(row: store.RunRow): Omit<PolicyRun, 'errors' | 'sample' | 'restorable'> {
  const requester = row.requester === null ? null : (JSON.parse(row.requester) as Requester)
  return {
    id: row.id,
    policy_id: row.policy_id,
    dry_run: row.kind === 'dry',
    of: row.of_run,
    trigger: row.trigger,
    status: row.status,
    reason: row.reason,
    cutoff: row.cutoff,
    scheduled_for: row.scheduled_for,
    ...numbersOf(row),
    matched_bytes: row.matched_bytes,
    author_id: row.author_id,
    author_email: row.author_email,
    requested_by: requester?.user_id ?? null,
    requested_by_email: requester?.email ?? null,
    created_at: row.created_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
  }
}

/** A run of a policy that the caller may see. Throws not_found. */
export async function findVisibleRun(ctx: Ctx, id: string, runId: string): Promise<store.RunRow> {
  await getVisible(ctx, id)
  const row = await store.findRun(ctx.db, id, runId)
  if (!row) throw runMissing()
  return row
}

export async function getRun(ctx: Ctx, id: string, runId: string): Promise<PolicyRun> {
  const row = await findVisibleRun(ctx, id, runId)
  const [run] = await describeRuns(ctx, [row])
  return run as PolicyRun
}

async function describeRuns(ctx: Ctx, rows: readonly store.RunRow[]): Promise<PolicyRun[]> {
  const over = rows.filter(({ kind, finished_at }) => kind === 'live' && finished_at !== null)
  const restorable = await findRestorable(
    ctx.db,
    over.map(({ id }) => id),
  )
  return rows.map((row) => describeRun(ctx, row, restorable.get(row.id)))
}

/** A policy's runs, latest first. */
export async function listRuns(ctx: Ctx, id: string, limit: number, cursor: string | undefined) {
  await getVisible(ctx, id)
  const [before] = decodeCursor(cursor, 1) ?? []
  const rows = await store.listRuns(ctx.db, id, before, limit + 1)
  const { page, next_cursor } = pageOf(rows, limit, ({ id }) => [id])
  return { items: await describeRuns(ctx, page), next_cursor }
}

interface RunItem extends Pick<itemStore.ItemRow, 'bucket' | 'key' | 'size' | 'etag' | 'last_modified'> {
  version_id: string | null
  marker: boolean
  outcome: Outcome
}
type Noted = NonNullable<itemStore.ItemRow['outcome']>
type Outcome = 'matched' | 'pending' | 'not_reached' | Noted

const isNoted = (outcome: Outcome): outcome is Noted =>
  outcome !== 'matched' && outcome !== 'pending' && outcome !== 'not_reached'

/** The objects of a run that the caller may list, in processing order. */
export async function listRunItems(
  ctx: Ctx,
  id: string,
  runId: string,
  { outcome, limit, cursor }: { outcome: Outcome | undefined; limit: number; cursor: string | undefined },
) {
  const run = await findVisibleRun(ctx, id, runId)
  const unnoted = run.kind === 'dry' ? 'matched' : run.finished_at === null ? 'pending' : 'not_reached'
  const [text] = decodeCursor(cursor, 1) ?? []
  let after = text === undefined ? 0 : Number(text)
  if (!Number.isSafeInteger(after)) decodeCursor('', 1)
  const items: RunItem[] = []
  const stored = outcome === undefined || isNoted(outcome) ? outcome : null
  if (stored === null && outcome !== unnoted) return { items, next_cursor: null }
  for (let scanned = 0; scanned < MOST_SCANNED; scanned++) {
    const rows = await itemStore.listItems(ctx.db, runId, { after, outcome: stored }, SCANNED_AT_ONCE)
    for (const { position, outcome: known, ...item } of rows) {
      if (items.length === limit) return { items, next_cursor: encodeCursor([String(after)]) }
      after = position
      const { bucket, key, size, etag, last_modified } = item
      if (decide(ctx.actor.groups, 'list', bucket, key).allowed)
        items.push({ bucket, key, size, etag, last_modified, ...itemStore.versionOf(item), outcome: known ?? unnoted })
    }
    if (rows.length < SCANNED_AT_ONCE) return { items, next_cursor: null }
  }
  return { items, next_cursor: encodeCursor([String(after)]) }
}

/** Stops a run before its next step; a finished run stays as it is. */
export async function cancelRun(ctx: Ctx, id: string, runId: string): Promise<PolicyRun> {
  await findVisibleRun(ctx, id, runId)
  await ctx.upkeep(({ tx }) => store.askToCancel(tx, runId, ctx.now()))
  await waitFor(ctx, drainRuns(ctx))
  return getRun(ctx, id, runId)
}

/** Starts due runs, once each however many times were missed, and works on all runs there are. */
export const policyWorker = {
  name: 'policies',
  every: 2000,
  async run(ctx: Ctx): Promise<void> {
    const now = ctx.now()
    await deleteOrphans(ctx)
    for (const policy of await store.findDue(ctx.db, now, DUE_AT_ONCE)) {
      try {
        const next = nextRun(ctx, policy, now)
        await ctx.upkeep(async ({ tx, nothing }) => {
          // Another process was first, or another run is unfinished.
          if (!(await store.moveOn(tx, policy, next?.toISOString() ?? null))) return nothing(undefined)
          const more = { trigger: 'schedule' as const, scheduled_for: policy.next_run_at }
          return (await store.insertRun(tx, newRun(ctx, policy, more))) ? undefined : nothing(undefined)
        })
      } catch (error) {
        // A policy whose run cannot start must not hold up the others.
        ctx.log.error({ err: error, policy: policy.id }, 'could not start a policy run')
      }
    }
    await drainRuns(ctx)
  },
}

const ITEMS_DAYS = 30
const RUNS_DAYS = 365
const CLEARED_AT_ONCE = 5000

/** Deletes matched items after a month, runs after a year, and what deleted policies left. */
export const forgetRuns = {
  name: 'policy-history',
  every: HOUR_MS,
  deletesByAge: true as const,
  async run(ctx: Ctx): Promise<void> {
    const before = (days: number) => new Date(ctx.now().getTime() - days * DAY_MS)
    for (const { id } of await store.findForgettable(ctx.db, before(ITEMS_DAYS), DUE_AT_ONCE)) {
      while (
        !ctx.stopping.aborted &&
        (await ctx.upkeep(({ tx }) => itemStore.deleteItems(tx, id, CLEARED_AT_ONCE))) === CLEARED_AT_ONCE
      );
      if (ctx.stopping.aborted) return
      await ctx.upkeep(({ tx }) => store.updateRun(tx, id, { forgotten_at: ctx.now().toISOString() }))
    }
    await ctx.upkeep(({ tx }) => store.deleteForgotten(tx, before(RUNS_DAYS)))
  },
}
