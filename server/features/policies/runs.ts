// A policy's runs and the objects they listed, as far as the caller may see them.

import { ServiceError } from '../../../contract/errors.ts'
import type { PolicyRun } from '../../../contract/policies.ts'
import { decodeCursor, encodeCursor, pageOf } from '../../base/cursor.ts'
import type { Ctx } from '../../context.ts'
import { permits } from '../../iam/decide.ts'
import type { KeptObject } from './delete-matches.ts'
import { findRestorable } from './find-restorable.ts'
import { numbersOf, type Requester } from './finish.ts'
import * as itemStore from './items.ts'
import { mayManagePolicy, ruleOf } from './rule.ts'
import * as store from './store.ts'

const SCANNED_AT_ONCE = 1000
const MOST_SCANNED = 10

export const policyMissing = () => new ServiceError('not_found', 'There is no such policy.')
export const runMissing = () => new ServiceError('not_found', 'The policy has no such run.')

/**
 * A policy on whose whole reach the caller has the right `policy`; otherwise throws not_found, as if it did not exist.
 */
export async function getVisible(ctx: Ctx, id: string): Promise<store.PolicyRow> {
  const row = await store.findPolicy(ctx.db, id)
  if (row && mayManagePolicy(ctx.actor, ruleOf(row))) return row
  throw policyMissing()
}

/** A run as the caller may see it: only the keys of objects they may list. */
function describeRun({ actor }: Ctx, row: store.RunRow, restorable: readonly string[] = []): PolicyRun {
  const visible = ({ bucket, key }: { bucket: string; key: string }) => permits(actor, 'list', bucket, key)
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
      if (permits(ctx.actor, 'list', bucket, key))
        items.push({ bucket, key, size, etag, last_modified, ...itemStore.versionOf(item), outcome: known ?? unnoted })
    }
    if (rows.length < SCANNED_AT_ONCE) return { items, next_cursor: null }
  }
  return { items, next_cursor: encodeCursor([String(after)]) }
}
