import { type ErrorCode, errors, ServiceError } from '../../../contract/errors.ts'
import { actionsOn, decide } from '../../../contract/permissions.ts'
import { auditDenied } from '../../access/auth/audit-denied.ts'
import { type Actor, refuseDenied } from '../../context.ts'
import { isNamedIn } from '../../iam/decide.ts'
import { bucketMissing } from '../../storage/buckets/service.ts'
import { findBucket } from '../../storage/buckets/store.ts'
import { admit } from './admit.ts'
import { invalidArgument, S3Error } from './errors.ts'
import { actionOf, furtherActions } from './operations/actions.ts'
import type { Operation } from './operations/operation.ts'
import { assertOwner } from './operations/owner.ts'
import { type Exchange, parameter } from './requests/exchange.ts'
import { limitFailures } from './requests/limits.ts'
import { refuseUnknownWishes } from './requests/unsupported-headers.ts'

/**
 * Runs an operation, with S3's order of refusals: first that the caller has no right in the bucket, in the same words
 * whether it exists or not; then that it does not exist; then what is wrong with anything else that the request names or
 * carries. `admitted` is called before anything of the body is read.
 */
export async function perform(exchange: Exchange, operation: Operation, admitted: () => void): Promise<void> {
  try {
    await assertRight(exchange, operation)
    await admit(exchange, operation)
    admitted()
    await operation.run(exchange)
  } catch (thrown) {
    const error = await inOrder(exchange, operation, thrown)
    if (error instanceof ServiceError && error.code === 'forbidden') await auditDenied(exchange.ctx, error)
    throw exchange.ctx.actor.type === 'public' ? await refusalOf(exchange, error) : error
  }
}

/** What has to be right of a request before anything of its body is read. */
async function assertRight(exchange: Exchange, operation: Operation): Promise<void> {
  const { ctx, bucket, authenticated } = exchange
  const { on, streams, versions } = operation
  if (isInBucket(operation)) assertConcerned(ctx.actor, operation, bucket)
  assertNotDenied(exchange, operation)
  if (authenticated.mode.kind === 'chunks' && !streams)
    throw new S3Error('InvalidRequest', 'This operation does not accept a body in chunks.')
  const version = parameter(exchange, 'versionId')
  if (on === 'object' && version !== undefined && !versions)
    throw invalidArgument('versionId', version, 'This operation does not accept a version-id.')
  refuseUnknownWishes(exchange, operation)
  await assertOwner(exchange, 'x-amz-expected-bucket-owner', bucket)
}

/** Whether an operation is about a bucket that has to be there. */
const isInBucket = ({ on, creates }: Operation): boolean => on !== 'service' && !creates

/** Whether a caller may know if a bucket exists: whoever has any right in it, or could create it. */
const mayKnow = (actor: Actor, bucket: string): boolean =>
  actionsOn(actor.groups, bucket).length > 0 ||
  decide(actor.groups, 'create', bucket, '').allowed ||
  isNamedIn(actor, bucket)

/** Throws forbidden where a policy denies an operation, or what it does besides, whatever right it needs. */
function assertNotDenied(exchange: Exchange, operation: Operation): void {
  const { ctx, bucket, key } = exchange
  if (ctx.actor.policies === undefined) return
  const asked = actionOf(operation, parameter(exchange, 'versionId') !== undefined)
  for (const one of [...(asked ? [asked] : []), ...furtherActions(exchange, operation)])
    refuseDenied(ctx.actor, one, bucket, key)
}

/**
 * Throws forbidden for whoever has no right in the bucket at all, by a grant or a policy, nor may be given one by the ACL of
 * an object; what an operation asks for by itself, it may give to those too.
 */
function assertConcerned(actor: Actor, { needs }: Operation, bucket: string): void {
  if (mayKnow(actor, bucket) || actor.acls?.buckets.has(bucket) || typeof needs === 'function') return
  throw new ServiceError('forbidden', `You need a right on bucket "${bucket}".`)
}

/** Refusals of the core that were made of something in the bucket, or have nothing to do with the request. */
const OF_CONTENTS = new Set<ErrorCode>([
  'precondition_failed',
  'already_exists',
  'not_empty',
  'quota_exceeded',
  'locked',
  'archived',
  'read_only',
  'changed',
  'range_not_satisfiable',
  'request_timeout',
  'rate_limited',
])
/** The same of the front's own. */
const OF_SERVICE = new Set(['SlowDown', 'InternalError', 'InsufficientStorage', 'RequestTimeout', 'NoSuchKey'])

/** Whether a refusal says nothing of whether the bucket exists. */
function isSilent(error: unknown): boolean {
  if (error instanceof S3Error) return !OF_SERVICE.has(error.code)
  if (!(error instanceof ServiceError) || errors[error.code].status >= 500 || OF_CONTENTS.has(error.code)) return false
  return error.missing === undefined || error.missing === 'upload'
}

/**
 * What a failed operation is refused with: that its bucket does not exist, if it does not, whatever was found wrong first.
 * Asked only once something is wrong, so that it costs nothing where all is well.
 */
async function inOrder({ ctx, bucket }: Exchange, operation: Operation, error: unknown): Promise<unknown> {
  if (!isInBucket(operation) || !isSilent(error) || !mayKnow(ctx.actor, bucket)) return error
  return (await findBucket(ctx.db, bucket)) ? error : bucketMissing(bucket)
}

/**
 * How a request without a credential is refused: a bucket that does not exist is said not to, as public URLs need it.
 * Throws SlowDown for an address with too many refusals.
 */
async function refusalOf({ system, ctx, bucket }: Exchange, error: unknown): Promise<unknown> {
  const isRefusal = error instanceof ServiceError && (error.code === 'forbidden' || error.missing === 'bucket')
  if (!isRefusal && !(error instanceof S3Error && error.code === 'AccessDenied')) return error
  limitFailures(system, ctx.actor.origin)
  return (await findBucket(ctx.db, bucket)) ? error : bucketMissing(bucket)
}
