import { ServiceError } from '../../../../contract/errors.ts'
import { isSnapshotName } from '../../../../contract/names.ts'
import { actionsOn } from '../../../../contract/permissions.ts'
import { formatMoment, parseMoment } from '../../../base/moment.ts'
import type { Ctx } from '../../../context.ts'
import type { Db } from '../../../db/schema.ts'
import { isNamedIn } from '../../../iam/decide.ts'
import { keepsHistory, knownFrom } from '../../buckets/describe.ts'
import { type BucketRow, findBucket } from '../../buckets/store.ts'
import { asOf } from './as-of.ts'
import * as store from './store.ts'

/** How far a moment may be ahead of the clock of this process, in ms: another one's may be. */
const AHEAD_MS = 1000
/** A change that is older than this, in ms, has been committed for long: nobody waits for it. */
const SETTLED_MS = 60_000
const NEVER = Number.MAX_SAFE_INTEGER

/** From when on the moments of a bucket can be asked for. */
export interface KnownMoments {
  /** Microseconds since 1970. */
  from: number
  /** From when on every change is known; before, only what the trash and the versions kept. */
  complete_from: number
}

/** A bucket whose past may be asked for. */
type Remembering = Pick<BucketRow, 'id' | 'created_at' | 'trash_days' | 'versioning'>

/** From when on what a bucket was is known: never, where nothing is kept of it. */
export async function knownMoments({ db }: Pick<Ctx, 'db'>, bucket: Remembering): Promise<KnownMoments> {
  if (!keepsHistory(bucket)) return { from: NEVER, complete_from: NEVER }
  const { moments_since, forgotten } = await store.findSince(db, bucket.id)
  const from = knownFrom(bucket, Number(forgotten))
  return { from, complete_from: Math.max(from, Number(moments_since)) }
}

/**
 * The moment that a text stands for, an RFC 3339 time or the name of a snapshot, of a bucket of which the caller may know: what
 * the bucket was then stays so from now on. `path` is where the request says it. Throws invalid_request where it is neither,
 * has not come or is not known any more.
 */
export async function momentOf(
  ctx: Pick<Ctx, 'db' | 'now' | 'settleMoment'>,
  bucket: Remembering,
  { text, path }: { text: string; path: string },
): Promise<number> {
  // What is kept under a name stays as it is.
  if (isSnapshotName(text)) {
    const snapshot = await store.findSnapshot(ctx.db, bucket.id, { name: text })
    if (!snapshot) throw invalidMoment(path, 'is neither an RFC 3339 time nor a snapshot of the bucket')
    return Number(snapshot.moment)
  }
  const moment = parse(text, path)
  const now = ctx.now().getTime()
  // That of a change has come, whatever this clock says.
  if (moment > (now + AHEAD_MS) * 1000 && moment > (await store.findLatest(ctx.db, bucket.id)))
    throw invalidMoment(path, 'has not come yet')
  await assertKnown(ctx.db, bucket, { moment, path })
  if (moment > (now - SETTLED_MS) * 1000) await ctx.settleMoment(moment)
  return moment
}

/** Throws invalid_request where what a bucket was at a moment is not known any more, and no snapshot keeps it. */
export async function assertKnown(
  db: Db,
  bucket: Remembering,
  { moment, path }: { moment: number; path: string },
): Promise<void> {
  const { from } = await knownMoments({ db }, bucket)
  if (moment >= from || (await store.findSnapshot(db, bucket.id, { moment }))) return
  throw invalidMoment(
    path,
    from === NEVER
      ? 'is not known: the bucket keeps neither a trash nor versions'
      : `is too early: what the bucket was is known from ${formatMoment(from)} on`,
  )
}

/** Throws invalid_request for a moment after which perhaps not every change is known; those of snapshots are whole. */
export async function assertComplete(
  db: Db,
  bucket: Remembering,
  { moment, path }: { moment: number; path: string },
): Promise<void> {
  const { complete_from } = await knownMoments({ db }, bucket)
  if (moment >= complete_from) return
  const { moments_since } = await store.findSince(db, bucket.id)
  if (moment >= Number(moments_since) && (await store.findSnapshot(db, bucket.id, { moment }))) return
  throw invalidMoment(path, `is too early: all changes of the bucket are known from ${formatMoment(complete_from)} on`)
}

/**
 * The same caller, who reads a bucket as it was: `at` is an RFC 3339 time, which means the last change at or before it, or the
 * name of a snapshot. Nothing can be changed with it. Throws invalid_request where it is neither, or, for callers who may know
 * of the bucket, a moment that has not come or is not known any more. A bucket that does not exist is left to what they ask
 * for.
 */
export async function inPast(ctx: Ctx, bucketName: string, at: string): Promise<Ctx> {
  const bucket = await findBucket(ctx.db, bucketName)
  const mayKnow = actionsOn(ctx.actor.groups, bucketName).length > 0 || isNamedIn(ctx.actor, bucketName)
  // Nothing is done for others, whose moment may be any: whatever it shows them, they have to be allowed to see.
  const moment =
    bucket && mayKnow
      ? await momentOf(ctx, bucket, { text: at, path: 'query.at' })
      : await anyMoment(ctx, bucket, { at, path: 'query.at' })
  if (!bucket || moment === undefined) return ctx
  const db = asOf(ctx.db, { bucketId: bucket.id, moment })
  return { ...ctx, db, past: { moment, present: ctx.db } }
}

/** The caller, who reads a bucket as it was if they ask for that. */
export const asAsked = (ctx: Ctx, bucket: string, at: string | undefined): Ctx | Promise<Ctx> =>
  at === undefined ? ctx : inPast(ctx, bucket, at)

async function anyMoment(
  { db }: Ctx,
  bucket: { id: string } | undefined,
  { at, path }: { at: string; path: string },
): Promise<number | undefined> {
  if (!isSnapshotName(at)) return parse(at, path)
  const snapshot = bucket && (await store.findSnapshot(db, bucket.id, { name: at }))
  return snapshot && Number(snapshot.moment)
}

function parse(text: string, path: string): number {
  const moment = parseMoment(text)
  if (moment === undefined) throw invalidMoment(path, 'must be an RFC 3339 time, such as 2026-11-27T14:05:00Z')
  return moment
}

const invalidMoment = (path: string, message: string): ServiceError =>
  new ServiceError('invalid_request', `The moment ${message}.`, { faults: [{ path, message }] })
