import { isKeyText } from '../../../contract/names.ts'
import { BlobDamaged, chunksOf, isBlobFault } from '../../blobs/copy.ts'
import { findHashes, newCutter } from '../../blobs/hashes.ts'
import { openBlob } from '../../blobs/open.ts'
import type { Ctx } from '../../context.ts'
import type { ObjectRow } from '../../db/schema.ts'
import { isStorageOutage } from '../../drivers/driver.ts'
import { explain } from '../../drivers/explain.ts'
import { isSecure } from '../../drivers/routing/open.ts'
import { findStorageById } from '../../drivers/routing/store.ts'
import { kindOf } from '../../encryption/sealing.ts'
import { asObject } from '../history/retire.ts'
import { findVersions, hasContents } from '../history/store.ts'
import { describedOf } from '../objects/described.ts'
import * as lookups from './lookups.ts'
import { readRules, ruleFor } from './rules.ts'
import * as store from './store.ts'

/** What came of a row: the replica has it, there was nothing to do, or it can never have it. */
export type Done = 'copied' | 'deleted' | 'over' | { refused: string }

/** Whose work it is. */
export interface Work {
  /** Aborted once it is not any more. */
  signal: AbortSignal
  /** Rejects unless it still is, and stays so for longer than a request may take. */
  assertOurs(): Promise<void>
}

/**
 * Writes to a replica what a key was, or is not any more. What is not so now is written only while a later state of the key waits:
 * without one, the replica has that already. Rejects where a storage fails, or the bytes are not what they were.
 */
export async function replicate(ctx: Ctx, replica: store.Replicated, row: store.QueueRow, work: Work): Promise<Done> {
  const rules = readRules(replica.rules)
  const { bucket_id, key } = row
  const current = await lookups.findCurrent(ctx.db, bucket_id, key)
  if (row.version_id === store.DELETED) {
    // Only where versions are kept does a deletion count that is over.
    if (current && (current.version_id === null || !(await lookups.hasLater(ctx.db, row)))) return 'over'
    if (!ruleFor(rules, { key, tags: undefined })?.deletes) return 'over'
    const writer = await ctx.blobs.writer(replica.storage_id)
    await work.assertOurs()
    await writer.remove(replica.prefix + key)
    return 'deleted'
  }
  const object = (current?.version_id ?? '') === row.version_id ? current : await findOlder(ctx, row)
  if (!object || !ruleFor(rules, object)) return 'over'
  const refused = await refusalOf(ctx, replica, object)
  if (refused !== undefined) return { refused }
  await write(ctx, replica, object, work)
  return 'copied'
}

async function findOlder(ctx: Ctx, row: store.QueueRow): Promise<ObjectRow | undefined> {
  const { bucket_id, key, version_id } = row
  if (!(await lookups.hasLater(ctx.db, row))) return undefined
  const [found] = await findVersions(ctx.db, bucket_id, [{ key, version_id: version_id || null }])
  return found && hasContents(found) ? asObject(found) : undefined
}

/** Why a replica can never have an object, in a sentence. */
async function refusalOf(
  ctx: Ctx,
  { prefix, encrypted, storage_id }: store.Replicated,
  { key, encryption }: ObjectRow,
): Promise<string | undefined> {
  if (!isKeyText(prefix + key, 1)) return 'With the prefix of the replica, its key has more than 1,024 bytes.'
  if (encryption === null) return undefined
  if (kindOf(encryption) === 'SSE-C') return 'Its bytes are encrypted with a key that only the client has.'
  if (encrypted === 'refuse')
    return 'It is encrypted, and the replication is not set up to send such objects decrypted.'
  const storage = await findStorageById(ctx.db, storage_id)
  return storage && !isSecure(storage)
    ? 'It is encrypted, and the endpoint of the replica has no TLS to protect it on its way.'
    : undefined
}

async function write(
  ctx: Ctx,
  { storage_id, prefix, encrypted }: store.Replicated,
  object: ObjectRow,
  work: Work,
): Promise<void> {
  const { blob_id, size, encryption } = object
  const { md5 = null } = (await lookups.findBlob(ctx.db, blob_id)) ?? {}
  const hashes = await findHashes(ctx.db, { ...object, md5 })
  const original = newCutter(hashes)
  async function* measured() {
    for await (const chunk of chunksOf(await openBlob(ctx, object))) {
      original.update(chunk)
      work.signal.throwIfAborted()
      yield chunk
    }
  }
  const writer = await ctx.blobs.writer(storage_id)
  await writer.put(
    prefix + object.key,
    measured(),
    { ...describedOf(object), size },
    {
      signal: work.signal,
      md5: encryption === null ? md5 : null,
      encrypt: encryption !== null && encrypted === 'engine',
      async mayFinish() {
        if (!original.isAlike()) throw new BlobDamaged(`The bytes of blob ${blob_id} do not match their ${hashes.name}`)
        await work.assertOurs()
      },
    },
  )
}

/** What engines answer, to any request, until an administrator changes something. */
const REFUSES_ALL = new Set([
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
  'TokenRefreshRequired',
  'CredentialsProviderError',
  'NoSuchBucket',
  'PermanentRedirect',
  'TemporaryRedirect',
  'AuthorizationHeaderMalformed',
  'RequestTimeTooSkewed',
  'QuotaExceeded',
  'InsufficientStorage',
  'XMinioStorageFull',
])
/** A bad request that may be a good one next time. */
const PASSING = new Set(['RequestTimeout', 'BadDigest', 'IncompleteBody', 'XAmzContentSHA256Mismatch'])

/** Of an engine's answer. Told by its fields: its class would load the SDK. */
const answerOf = (error: unknown): { code: string; status: number | undefined } | undefined =>
  error instanceof Error && 'outage' in error && 'code' in error && typeof error.code === 'string'
    ? { code: error.code, status: 'status' in error && typeof error.status === 'number' ? error.status : undefined }
    : undefined

/** Whether a failure says that nothing can be written now, whatever key it is. */
export function isOfReplica(error: unknown): boolean {
  if (isStorageOutage(error)) return true
  const answer = answerOf(error)
  return answer !== undefined && (answer.status === undefined || REFUSES_ALL.has(answer.code))
}

/** Whether the next attempt would fail in the same way. */
export function isFinal(error: unknown): boolean {
  const answer = answerOf(error)
  return answer !== undefined && [400, 413, 414, 501].includes(answer.status ?? 0) && !PASSING.has(answer.code)
}

/** Why a row could not be replicated, in a sentence. */
export const reasonOf = (error: unknown): string =>
  isBlobFault(error) ? 'Bytes of the object are missing here, or not those that were written.' : explain(error)
