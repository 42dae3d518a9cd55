import { ServiceError } from '../../../contract/errors.ts'
import type { Job } from '../../../contract/jobs.ts'
import { type BucketAction, isAdmin } from '../../../contract/permissions.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { newId } from '../../base/id.ts'
import { invalid } from '../../base/invalid.ts'
import { type Actor, allowSomewhere, type Ctx, type Upkeep } from '../../context.ts'
import { assertComplete, assertKeyKnown } from '../../encryption/default.ts'
import { bucketMissing } from '../buckets/service.ts'
import { findBucket } from '../buckets/store.ts'
import { assertWritable } from '../buckets/writable.ts'
import { prepareStorage } from '../storages/use.ts'
import { assertMayMigrate } from './migration/migrate.ts'
import { assertMayRecode } from './recode/recode.ts'
import type { CreateJob, JobActor } from './request.ts'
import { runJobs } from './runner.ts'
import * as store from './store.ts'

/** Most unfinished jobs per user: each may hold ten megabytes of keys until it has listed them. */
const MOST_OPEN = 100

/** The request body. */
type JobBody = Omit<CreateJob, 'source_bucket'> & { source_bucket?: string | undefined }

const conflict = (path: string, message: string) =>
  new ServiceError('conflict', `${path} ${message}`, { faults: [{ path, message }] })

const leavesWayBack = ({ kind }: Pick<Job, 'kind'>): boolean =>
  kind === 'move' || kind === 'delete' || kind === 'empty_bucket'
const isOver = ({ status }: store.JobRow): boolean => status !== 'queued' && status !== 'running'

/**
 * Completes a restore from the job it undoes; a move is undone in the opposite direction. Throws if it cannot be
 * undone.
 */
async function completeRestore(ctx: Ctx, { of, ...rest }: JobBody): Promise<CreateJob> {
  const [other] = Object.keys(rest).filter((name) => name !== 'kind')
  if (other !== undefined)
    throw invalid(`body.${other}`, 'is not allowed for restore, which restores what the job deleted or moved')
  if (of === undefined) throw invalid('body.of', 'is required')
  const job = await own(ctx, of)
  if (!leavesWayBack(job)) throw conflict('body.of', 'must be a job that deletes or moves')
  if (!isOver(job)) throw conflict('body.of', 'is a job that has not finished yet')
  const { kind, source_bucket, prefix, dest_bucket = source_bucket, dest_prefix } = JSON.parse(job.request) as CreateJob
  if (kind !== 'move') return { kind: 'restore', of, source_bucket, prefix }
  return {
    kind: 'restore',
    of,
    if_none_match: '*',
    source_bucket: dest_bucket,
    prefix: dest_prefix,
    dest_bucket: source_bucket,
    dest_prefix: prefix,
  }
}

/** Completes a migration: its storage must be able to take the bytes. */
async function completeMigration(
  ctx: Ctx,
  { kind, source_bucket, dest_storage, ...rest }: JobBody,
): Promise<CreateJob> {
  assertMayMigrate(ctx.actor)
  const [other] = Object.keys(rest)
  if (other !== undefined) throw invalid(`body.${other}`, 'is not allowed for migrate, which moves the whole bucket')
  if (source_bucket === undefined) throw invalid('body.source_bucket', 'is required')
  if (dest_storage === undefined) throw invalid('body.dest_storage', 'is required')
  return { kind, source_bucket, dest_storage: await prepareStorage(ctx, dest_storage) }
}

/** Completes an encryption or decryption of a bucket. */
async function completeRecoding(ctx: Ctx, { kind, source_bucket, encryption, ...rest }: JobBody): Promise<CreateJob> {
  assertMayRecode(ctx.actor, { kind })
  const [other] = Object.keys(rest)
  if (other !== undefined) throw invalid(`body.${other}`, `is not allowed for ${kind}, which is about the whole bucket`)
  if (source_bucket === undefined) throw invalid('body.source_bucket', 'is required')
  if (kind === 'decrypt' && encryption) throw invalid('body.encryption', 'is only allowed for encrypt')
  if (encryption) assertComplete(encryption)
  await assertKeyKnown(ctx.db, encryption)
  return { kind, source_bucket, encryption }
}

/** Validates a request and fills in its defaults. */
async function complete(ctx: Ctx, body: JobBody): Promise<CreateJob> {
  if (body.kind === 'restore') return completeRestore(ctx, body)
  if (body.kind === 'migrate') return completeMigration(ctx, body)
  if (body.kind === 'encrypt' || body.kind === 'decrypt') return completeRecoding(ctx, body)
  if (body.encryption !== undefined) {
    if (body.kind !== 'copy') throw invalid('body.encryption', 'is only allowed for encrypt and copy')
    assertComplete(body.encryption)
    await assertKeyKnown(ctx.db, body.encryption)
  }
  if (body.dest_storage !== undefined) throw invalid('body.dest_storage', 'is only allowed for migrate')
  const { kind, source_bucket, of, prefix = '', keys, search, dest_bucket, dest_prefix } = body
  if (of !== undefined) throw invalid('body.of', 'is only allowed for restore')
  if (source_bucket === undefined) throw invalid('body.source_bucket', 'is required')
  const transfers = kind === 'copy' || kind === 'move'
  if (!transfers && (dest_bucket !== undefined || dest_prefix !== undefined))
    throw invalid('body.dest_bucket', 'is only allowed for copy and move')
  if (kind === 'empty_bucket' && (prefix !== '' || keys || search !== undefined))
    throw invalid('body.prefix', 'is not allowed for empty_bucket, which deletes everything')
  if (keys && search !== undefined) throw invalid('body.search', 'cannot be combined with keys')
  if (!transfers) return { ...body, source_bucket, prefix }
  if (dest_bucket === undefined && dest_prefix === undefined)
    throw invalid('body.dest_prefix', 'is required unless dest_bucket is given')
  const destination = { dest_bucket: dest_bucket ?? source_bucket, dest_prefix: dest_prefix ?? prefix }
  const within = destination.dest_bucket === source_bucket && destination.dest_prefix.startsWith(prefix)
  // Named keys are finite and each is decided separately.
  if (within && ((kind === 'move' && !keys) || destination.dest_prefix === prefix))
    throw conflict('body.dest_prefix', 'is inside the folder to move or copy')
  return { ...body, source_bucket, prefix, ...destination }
}

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
  fork: ['read'],
}

/** Queues a job; needs its rights somewhere under the prefix and, for copies and moves, in the destination bucket. */
export async function createJob(ctx: Ctx, body: JobBody): Promise<Job> {
  const request = await complete(ctx, body)
  const { kind, source_bucket, prefix = '', dest_bucket, dest_prefix = '' } = request
  const movesBack = kind === 'restore' && dest_bucket !== undefined
  for (const action of needed[movesBack ? 'move' : kind])
    allowSomewhere(ctx.actor, action, source_bucket, kind === 'restore' ? '' : prefix)
  if (dest_bucket !== undefined) allowSomewhere(ctx.actor, 'write', dest_bucket, movesBack ? '' : dest_prefix)
  for (const name of new Set([source_bucket, dest_bucket ?? source_bucket])) {
    const bucket = await findBucket(ctx.db, name)
    if (!bucket) throw bucketMissing(name)
    if (kind !== 'copy' || name === dest_bucket) assertWritable(bucket)
  }
  if (request.of !== undefined && !(await store.findRestorable(ctx.db, [request.of])).has(request.of))
    throw new ServiceError('nothing_to_restore', 'Nothing that the job deleted or moved can be restored any more.')
  return queueJob(ctx, request)
}

/** Queues what was completed and is allowed. Throws limit_reached. */
export async function queueJob(ctx: Ctx, request: CreateJob): Promise<Job> {
  const row = newJob(ctx, request)
  await ctx.upkeep((step) => insertJobStep(step, row, request))
  ctx.background(() => runJobs(ctx))
  return describe(row)
}

/** A job of the caller, as it is before it starts. */
export function newJob(ctx: Ctx, request: CreateJob): store.JobRow {
  const { auth_method, token_id, session_id, origin, user_id, email } = ctx.actor
  const actor: JobActor = { auth_method, token_id, session_id, origin }
  const { keys: _keys, exclude: _exclude, ...small } = request
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
  { keys, exclude }: Pick<CreateJob, 'keys' | 'exclude'> = {},
): Promise<void> {
  await store.lockCreator(tx, row.created_by)
  if ((await store.countOpen(tx, row.created_by)) >= MOST_OPEN)
    throw new ServiceError(
      'limit_reached',
      `You have ${MOST_OPEN} unfinished jobs. Wait for one to finish, or cancel one.`,
    )
  await store.insertJob(tx, { ...row, selection: JSON.stringify({ keys, exclude }) })
}

function describe(row: store.JobRow, restorable = false): Job {
  const {
    source_bucket,
    prefix = '',
    search = null,
    dest_bucket = null,
    dest_prefix = null,
    if_none_match = null,
    of = null,
    of_run = null,
    dest_storage = null,
  } = JSON.parse(row.request) as CreateJob
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    source_bucket,
    prefix,
    search,
    dest_bucket,
    dest_prefix,
    if_none_match,
    of,
    of_run,
    dest_storage,
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

/** Whose jobs the caller sees: their own, or all as an administrator; with a token that has a scope, what it started. */
function visibleItems({ user_id, groups, scope, token_id }: Actor): Pick<store.JobFilter, 'createdBy' | 'token'> {
  const createdBy = isAdmin(groups) ? null : user_id
  return scope ? { createdBy, token: token_id ?? '' } : { createdBy }
}

/** A job that the caller sees; throws not_found. */
async function own(ctx: Ctx, id: string): Promise<store.JobRow> {
  const row = await store.findJob(ctx.db, id)
  const { createdBy, token } = visibleItems(ctx.actor)
  const isSeen = (one: store.JobRow) =>
    (createdBy === null || one.created_by === createdBy) &&
    (token === undefined || (JSON.parse(one.actor) as JobActor).token_id === token)
  if (row && isSeen(row)) return row
  throw new ServiceError('not_found', 'There is no such job.')
}

/** Describes jobs, including whether each has something to restore. */
async function describeAll(ctx: Ctx, rows: readonly store.JobRow[]): Promise<Job[]> {
  const over = rows.filter((row) => leavesWayBack(row) && isOver(row)).map(({ id }) => id)
  const restorable = await store.findRestorable(ctx.db, over)
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
