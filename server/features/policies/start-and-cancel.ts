// Starting a run on request, and cancelling one.
import { setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '../../../contract/errors.ts'
import type { PolicyRun } from '../../../contract/policies.ts'
import { newId } from '../../base/id.ts'
import { invalid } from '../../base/invalid.ts'
import type { Ctx } from '../../context.ts'
import type { NewRow } from '../../db/schema.ts'
import type { Requester } from './finish.ts'
import { momentOf } from './moment.ts'
import { type RunRule, ruleOf } from './rule.ts'
import { drainRuns } from './runner.ts'
import { findVisibleRun, getRun, getVisible, policyMissing, runMissing } from './runs.ts'
import * as store from './store.ts'

/** How long a response waits for the requested run to finish. */
const PATIENCE_MS = 2000

/** A row for a new run of a policy with its current rule. */
export function newRun(ctx: Ctx, policy: store.PolicyRow, more: Partial<NewRow<'policy_runs'>>): NewRow<'policy_runs'> {
  const now = ctx.now()
  return {
    id: newId(),
    policy_id: policy.id,
    kind: 'live',
    of_run: null,
    trigger: 'manual',
    status: 'queued',
    reason: null,
    rule: JSON.stringify({ ...ruleOf(policy), bucket_id: policy.bucket_id, name: policy.name } satisfies RunRule),
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

/** Stops a run before its next step; a finished run stays as it is. */
export async function cancelRun(ctx: Ctx, id: string, runId: string): Promise<PolicyRun> {
  await findVisibleRun(ctx, id, runId)
  await ctx.upkeep(({ tx }) => store.askToCancel(tx, runId, ctx.now()))
  await waitFor(ctx, drainRuns(ctx))
  return getRun(ctx, id, runId)
}
