// Validates requests for jobs and fills in their defaults.
import { ServiceError } from '../../../contract/errors.ts'
import { invalid } from '../../base/invalid.ts'
import { formatMoment } from '../../base/moment.ts'
import type { Ctx } from '../../context.ts'
import { assertComplete, assertKeyKnown } from '../../encryption/default.ts'
import { findBucket } from '../buckets/store.ts'
import { isReadOnly } from '../buckets/writable.ts'
import { termsOf } from '../objects/query/ask.ts'
import { prepareStorage } from '../storages/use.ts'
import { completeNeeded } from './compare/complete.ts'
import { completeMerge } from './merge/complete.ts'
import { assertMayMigrate } from './migration/migrate.ts'
import { assertMayRecode } from './recode/recode.ts'
import type { CreateJob, JobBody } from './request.ts'
import { isOver, leavesWayBack } from './restorable.ts'
import { completeRollback } from './rollback/complete.ts'
import { assertTagChange } from './tags.ts'
import { own } from './visible.ts'

/** Microseconds that the clocks of processes, and of the database, may be apart. */
const APART = 60_000_000

const conflict = (path: string, message: string) =>
  new ServiceError('conflict', `${path} ${message}`, { faults: [{ path, message }] })

/**
 * Completes a restore from the job it undoes; a move is undone in the opposite direction. Throws if it cannot be
 * undone.
 */
async function completeRestore(ctx: Ctx, { of, ...rest }: JobBody): Promise<CreateJob> {
  const [other] = Object.keys(rest).filter((name) => name !== 'kind')
  if (other !== undefined) throw invalid(`body.${other}`, 'is not allowed for restore, which undoes the job')
  if (of === undefined) throw invalid('body.of', 'is required')
  const job = await own(ctx, of)
  if (!leavesWayBack(job)) throw conflict('body.of', 'must be a job that deletes, moves, tags, merges or goes back')
  if (!isOver(job)) throw conflict('body.of', 'is a job that has not finished yet')
  const {
    kind,
    source_bucket,
    prefix,
    dest_bucket = source_bucket,
    dest_prefix,
    source_id,
    dest_id = source_id,
    to,
  } = JSON.parse(job.request) as CreateJob
  // Its changes came after it was asked for, by whichever process's clock.
  const before = formatMoment(Date.parse(job.created_at) * 1000 - APART)
  if (kind === 'merge') return { kind: 'restore', of, source_bucket: dest_bucket, source_id: dest_id, to: before }
  if (kind === 'tag') {
    await assertTagsKnown(ctx, source_bucket)
    return { kind: 'restore', of, source_bucket, source_id, prefix, to: before }
  }
  if (kind !== 'move') return { kind: 'restore', of, source_bucket, source_id, prefix, to }
  return {
    kind: 'restore',
    of,
    if_none_match: '*',
    source_bucket: dest_bucket,
    source_id: dest_id,
    prefix: dest_prefix,
    dest_bucket: source_bucket,
    dest_id: source_id,
    dest_prefix: prefix,
  }
}

/** Throws nothing_to_restore for the tags of what others keep: nothing is kept here of what they were. */
async function assertTagsKnown(ctx: Ctx, name: string): Promise<void> {
  const bucket = await findBucket(ctx.db, name)
  if (bucket && isReadOnly(bucket))
    throw new ServiceError(
      'nothing_to_restore',
      `The bucket "${name}" shows what others keep on its storage. Only the tags of its objects are kept here, and not what they were, so a change of tags cannot be undone. The audit log has the tags of each object before and after.`,
    )
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
export async function complete(ctx: Ctx, body: JobBody): Promise<CreateJob> {
  if (body.keep_both !== undefined && body.kind !== 'copy' && body.kind !== 'move')
    throw invalid('body.keep_both', 'is only allowed for copy and move')
  if (body.kind === 'restore') return completeRestore(ctx, body)
  if (body.kind === 'migrate') return completeMigration(ctx, body)
  if (body.kind === 'encrypt' || body.kind === 'decrypt') return completeRecoding(ctx, body)
  if (body.kind === 'rollback') return completeRollback(ctx, body)
  if (body.kind === 'merge') return completeMerge(ctx, body)
  if (body.planned !== undefined && body.needed === undefined)
    throw invalid('body.planned', 'is only allowed for rollback, merge, and a deletion with needed')
  for (const name of ['to', 'keep_new', 'by'] as const)
    if (body[name] !== undefined) throw invalid(`body.${name}`, 'is only allowed for rollback')
  for (const name of ['on_conflict', 'decisions'] as const)
    if (body[name] !== undefined) throw invalid(`body.${name}`, 'is only allowed for merge')
  if (body.encryption !== undefined) {
    if (body.kind !== 'copy') throw invalid('body.encryption', 'is only allowed for encrypt and copy')
    assertComplete(body.encryption)
    await assertKeyKnown(ctx.db, body.encryption)
  }
  if (body.dest_storage !== undefined) throw invalid('body.dest_storage', 'is only allowed for migrate')
  if (body.kind === 'tag') assertTagChange(body.tags)
  else if (body.tags !== undefined) throw invalid('body.tags', 'is only allowed for tag')
  const { kind, source_bucket, of, prefix = '', keys, search, query, dest_bucket, dest_prefix } = body
  if (of !== undefined) throw invalid('body.of', 'is only allowed for restore')
  if (source_bucket === undefined) throw invalid('body.source_bucket', 'is required')
  const transfers = kind === 'copy' || kind === 'move'
  if (!transfers && (dest_bucket !== undefined || dest_prefix !== undefined))
    throw invalid('body.dest_bucket', 'is only allowed for copy and move')
  if (kind === 'empty_bucket' && (prefix !== '' || keys || search !== undefined || query !== undefined))
    throw invalid('body.prefix', 'is not allowed for empty_bucket, which deletes everything')
  if (keys && search !== undefined) throw invalid('body.search', 'cannot be combined with keys')
  if (query !== undefined) {
    if (keys || search !== undefined) throw invalid('body.query', 'cannot be combined with keys or search')
    termsOf(query, 'body.query')
  }
  const asked = query === undefined ? {} : { asked_at: ctx.now().toISOString() }
  const { needed: list, ...rest } = body
  if (list !== undefined) {
    if (kind !== 'delete') throw invalid('body.needed', 'is only allowed for delete')
    if (keys || search !== undefined || query !== undefined)
      throw invalid('body.needed', 'cannot be combined with keys, search or query')
    return { ...rest, source_bucket, prefix, needed: await completeNeeded(ctx, list, { source_bucket, prefix }) }
  }
  if (!transfers) return { ...rest, ...asked, source_bucket, prefix }
  if (dest_bucket === undefined && dest_prefix === undefined)
    throw invalid('body.dest_prefix', 'is required unless dest_bucket is given')
  const destination = { dest_bucket: dest_bucket ?? source_bucket, dest_prefix: dest_prefix ?? prefix }
  const within = destination.dest_bucket === source_bucket && destination.dest_prefix.startsWith(prefix)
  // Named keys are finite and each is decided separately.
  if (within && ((kind === 'move' && !keys) || destination.dest_prefix === prefix))
    throw conflict('body.dest_prefix', 'is inside the folder to move or copy')
  // A process that does not know `keep_both`, as there may be during an update, leaves alone what is taken.
  const both = rest.keep_both ? { if_none_match: '*' as const } : {}
  return { ...rest, ...asked, source_bucket, prefix, ...destination, ...both }
}
