import { ServiceError } from '../../../../contract/errors.ts'
import { actionsOn } from '../../../../contract/permissions.ts'
import { formatMoment, parseMoment } from '../../../base/moment.ts'
import type { Ctx } from '../../../context.ts'
import { isNamedIn } from '../../../iam/decide.ts'
import { findBucket } from '../../buckets/store.ts'
import { asOf } from './as-of.ts'
import * as store from './store.ts'

/** How far a moment may be ahead of the clock of this process, in ms: another one's may be. */
const AHEAD_MS = 1000
/** A change that is older than this, in ms, has been committed for long: nobody waits for it. */
const SETTLED_MS = 60_000

/** From when on the moments of a bucket can be asked for. */
export interface KnownMoments {
  /** Microseconds since 1970. */
  from: number
  /** From when on every change is known; before, only what the trash and the versions kept. */
  complete_from: number
}

/** From when on what a bucket was is known. */
export async function knownMoments(
  { db }: Pick<Ctx, 'db'>,
  bucket: { id: string; created_at: string },
): Promise<KnownMoments> {
  const { moments_since, forgotten } = await store.findSince(db, bucket.id)
  const from = Math.max(Date.parse(bucket.created_at) * 1000, Number(forgotten ?? 0))
  return { from, complete_from: Math.max(from, Number(moments_since)) }
}

/**
 * The moment that a text stands for, an RFC 3339 time, of a bucket of which the caller may know: what the bucket was then
 * stays so from now on. `path` is where the request says it. Throws invalid_request where it is no such time, has not come
 * or is not known any more.
 */
export async function momentOf(
  ctx: Ctx,
  bucket: { id: string; created_at: string },
  { text, path }: { text: string; path: string },
): Promise<number> {
  const moment = parse(text, path)
  const now = ctx.now().getTime()
  // That of a change has come, whatever this clock says.
  if (moment > (now + AHEAD_MS) * 1000 && moment > (await store.findLatest(ctx.db, bucket.id)))
    throw invalidMoment(path, 'has not come yet')
  const { from } = await knownMoments(ctx, bucket)
  if (moment < from)
    throw invalidMoment(path, `is too early: what the bucket was is known from ${formatMoment(from)} on`)
  if (moment > (now - SETTLED_MS) * 1000) await ctx.settleMoment(moment)
  return moment
}

/**
 * The same caller, who reads a bucket as it was: `at` is an RFC 3339 time, and means the last change at or before it. Nothing
 * can be changed with it. Throws invalid_request where it is no such time, or, for callers who may know of the bucket, one
 * that has not come or is not known any more. A bucket that does not exist is left to what they ask for.
 */
export async function inPast(ctx: Ctx, bucketName: string, at: string): Promise<Ctx> {
  const asked = { text: at, path: 'query.at' }
  const bucket = await findBucket(ctx.db, bucketName)
  const mayKnow = actionsOn(ctx.actor.groups, bucketName).length > 0 || isNamedIn(ctx.actor, bucketName)
  // Nothing is done for others, whose moment may be any: whatever it shows them, they have to be allowed to see.
  const moment = bucket && mayKnow ? await momentOf(ctx, bucket, asked) : parse(at, asked.path)
  if (!bucket) return ctx
  const db = asOf(ctx.db, { bucketId: bucket.id, moment })
  return { ...ctx, db, past: { moment, present: ctx.db } }
}

function parse(text: string, path: string): number {
  const moment = parseMoment(text)
  if (moment === undefined) throw invalidMoment(path, 'must be an RFC 3339 time, such as 2026-11-27T14:05:00Z')
  return moment
}

const invalidMoment = (path: string, message: string): ServiceError =>
  new ServiceError('invalid_request', `The moment ${message}.`, { faults: [{ path, message }] })
