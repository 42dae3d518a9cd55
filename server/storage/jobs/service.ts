import { ServiceError } from '../../../contract/errors.ts'
import type { Job, RollbackPlan } from '../../../contract/jobs.ts'
import type { BucketAction } from '../../../contract/permissions.ts'
import { assertJobApproved } from '../../access/agent-limits/approvals/ask.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { newId } from '../../base/id.ts'
import { allowSomewhere, type Ctx, type Upkeep } from '../../context.ts'
import { bucketMissing } from '../buckets/service.ts'
import { findBucket } from '../buckets/store.ts'
import { assertWritable } from '../buckets/writable.ts'
import { planForApproval } from './approved.ts'
import { assertPlanned, shownPlan } from './as-planned.ts'
import { complete } from './complete.ts'
import { assertSameBuckets, withIds } from './held.ts'
import type { CreateJob, JobActor, JobBody, Selection } from './request.ts'
import { findRestorable } from './restorable.ts'
import { planOfLinks } from './rollback/plan.ts'
import { runJobs } from './runner.ts'
import * as store from './store.ts'
import { own, visibleItems } from './visible.ts'

/** Most unfinished jobs per user: each may hold ten megabytes of keys until it has listed them. */
const MOST_OPEN = 100

/**
 * Rights needed under the prefix. A restore is checked for the bucket and then for each key, since a job's keys may lie
 * outside its prefix.
 */
const needed: { [kind in Job['kind']]: readonly BucketAction[] } = {
  copy: ['read'],
  move: ['read', 'delete'],
  delete: ['delete'],
  empty_bucket: ['delete'],
  restore: ['write'],
  migrate: ['manage'],
  encrypt: ['manage'],
  decrypt: ['manage'],
  release: ['manage'],
  rollback: ['read', 'write'],
  fork: ['read'],
  merge: ['read'],
  tag: ['write'],
}

/**
 * Queues a job; needs its rights somewhere under the prefix and, for copies, moves and merges, in the destination bucket.
 * `findLinks` finds the share links that a rollback revokes, of which its plan says how many.
 */
export async function createJob(
  ctx: Ctx,
  body: JobBody,
  findLinks: (request: CreateJob) => Promise<readonly string[]>,
): Promise<Job> {
  const request = await complete(ctx, body)
  const { kind, source_bucket, prefix = '', dest_bucket, dest_prefix = '' } = request
  const movesBack = kind === 'restore' && dest_bucket !== undefined
  for (const action of needed[movesBack ? 'move' : kind])
    allowSomewhere(ctx.actor, action, source_bucket, kind === 'restore' ? '' : prefix)
  if (dest_bucket !== undefined) allowSomewhere(ctx.actor, 'write', dest_bucket, movesBack ? '' : dest_prefix)
  for (const name of new Set([source_bucket, dest_bucket ?? source_bucket])) {
    const bucket = await findBucket(ctx.db, name)
    if (!bucket) throw bucketMissing(name)
    // The tags of what others keep are kept here.
    const isRead = kind === 'tag' || ((kind === 'copy' || kind === 'merge') && name !== dest_bucket)
    if (!isRead) assertWritable(bucket)
  }
  if (request.of !== undefined && !(await isRestorable(ctx, request.of)))
    throw new ServiceError('nothing_to_restore', 'Nothing that the job did can be undone any more.')
  await assertSameBuckets(ctx.db, request)
  const start = planOfLinks(await findLinks(request))
  await assertPlanned(ctx, request, start)
  return queueJob(ctx, request, start)
}

const isRestorable = async (ctx: Ctx, id: string): Promise<boolean> => {
  const job = await store.findJob(ctx.db, id)
  return job !== undefined && (await findRestorable(ctx, [job])).has(id)
}

/** Queues what was completed and is allowed, with what its plan starts with. Throws limit_reached. */
export async function queueJob(ctx: Ctx, asked: CreateJob, start: string | null = null): Promise<Job> {
  const request = await withIds(ctx.db, asked)
  const plan = await planForApproval(ctx, request)
  const row = { ...newJob(ctx, plan ? { ...request, approved: plan.state } : request), plan: start }
  await ctx.upkeep(async (step) => {
    await assertJobApproved(step, request, plan)
    await insertJobStep(step, row, request)
  })
  ctx.background(() => runJobs(ctx))
  return describe(row)
}

/** A job of the caller, as it is before it starts. */
export function newJob(ctx: Ctx, request: CreateJob): store.JobRow {
  const { auth_method, token_id, session_id, origin, user_id, email } = ctx.actor
  const actor: JobActor = { auth_method, token_id, session_id, origin }
  const { keys: _keys, exclude: _exclude, decisions: _decisions, ...small } = request
  return {
    id: newId(),
    kind: request.kind,
    status: 'queued',
    request: JSON.stringify(small),
    actor: JSON.stringify(actor),
    created_by: user_id ?? '',
    created_by_email: email,
    listed_to: null,
    listed_at: null,
    total: 0,
    position: 0,
    done: 0,
    failed: 0,
    changed: 0,
    errors: '[]',
    detail: null,
    plan: null,
    runner: null,
    leased_until: null,
    cancel_at: null,
    created_at: ctx.now().toISOString(),
    started_at: null,
    finished_at: null,
  }
}

/** Step: queues it. Throws limit_reached. */
export async function insertJobStep(
  { tx }: Pick<Upkeep, 'tx'>,
  row: store.JobRow,
  { keys, exclude, decisions }: Selection = {},
): Promise<void> {
  await store.lockCreator(tx, row.created_by)
  if ((await store.countOpen(tx, row.created_by)) >= MOST_OPEN)
    throw new ServiceError(
      'limit_reached',
      `You have ${MOST_OPEN} unfinished jobs. Wait for one to finish, or cancel one.`,
    )
  await store.insertJob(tx, { ...row, selection: JSON.stringify({ keys, exclude, decisions }) })
}

function describe(row: store.JobRow, restorable = false): Job {
  const {
    source_bucket,
    prefix = '',
    search = null,
    query = null,
    dest_bucket = null,
    dest_prefix = null,
    if_none_match = null,
    keep_both = false,
    of = null,
    of_run = null,
    dest_storage = null,
    to = null,
    keep_new = false,
    by = null,
    on_conflict = null,
    needed,
    tags = null,
    dry_run = false,
  } = JSON.parse(row.request) as CreateJob
  const plan = shownPlan(row.plan)
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    source_bucket,
    prefix,
    search,
    query,
    dest_bucket,
    dest_prefix,
    if_none_match,
    keep_both,
    of,
    of_run,
    dest_storage,
    to: row.kind === 'rollback' ? to : null,
    keep_new,
    by,
    dry_run,
    // A job of a process that counted no links, as there may be during an update, has no number of them.
    plan: row.kind === 'merge' || needed ? null : plan && { links: 0, ...(plan as Partial<RollbackPlan>) },
    on_conflict,
    merge_plan: row.kind === 'merge' ? plan : null,
    needed: needed ? { bucket: needed.bucket, key: needed.key, as_of: needed.as_of } : null,
    comparison: needed ? plan : null,
    tags,
    restorable,
    total: row.listed_at === null ? null : row.total,
    done: row.done,
    failed: row.failed,
    changed: row.changed,
    errors: JSON.parse(row.errors),
    detail: row.detail,
    created_at: row.created_at,
    created_by: row.created_by,
    created_by_email: row.created_by_email,
    started_at: row.started_at,
    finished_at: row.finished_at,
  }
}

/** Describes jobs, including whether each has something to restore. */
async function describeAll(ctx: Ctx, rows: readonly store.JobRow[]): Promise<Job[]> {
  const restorable = await findRestorable(ctx, rows)
  return rows.map((row) => describe(row, restorable.has(row.id)))
}

export const getJob = async (ctx: Ctx, id: string): Promise<Job> => {
  const [job] = await describeAll(ctx, [await own(ctx, id)])
  return job as Job
}

/** The jobs that the caller sees, latest first. */
export async function listJobs(ctx: Ctx, status: Job['status'] | undefined, limit: number, cursor: string | undefined) {
  const [before] = decodeCursor(cursor, 1) ?? []
  const rows = await store.listJobs(ctx.db, { ...visibleItems(ctx.actor), status, before }, limit + 1)
  const { page, next_cursor } = pageOf(rows, limit, ({ id }) => [id])
  return { items: await describeAll(ctx, page), next_cursor }
}

/** Stops a job before its next step, or at once if it has not started. A finished job stays as it is. */
export async function cancelJob(ctx: Ctx, id: string): Promise<Job> {
  await own(ctx, id)
  const asked = await ctx.upkeep(
    async ({ tx }) => !(await store.cancelQueued(tx, id, ctx.now())) && (await store.askToCancel(tx, id, ctx.now())),
  )
  if (asked) ctx.background(() => runJobs(ctx))
  return getJob(ctx, id)
}
