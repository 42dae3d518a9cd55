import type { KeyObject } from 'node:crypto'
import { ServiceError } from '../../../../contract/errors.ts'
import { newClaim } from '../../../blobs/claim.ts'
import { copyBlob, findElsewhere, isBlobFault } from '../../../blobs/copy.ts'
import type { Described } from '../../../blobs/hashes.ts'
import { type Recoded, recodeBlob } from '../../../blobs/recode.ts'
import type { Ctx } from '../../../context.ts'
import type { Db } from '../../../db/schema.ts'
import type { StorageId } from '../../../drivers/blobs.ts'
import { ExternalChanged, UnexpectedAnswer } from '../../../drivers/external.ts'
import { isExternal, storageOf } from '../../../drivers/routing/ids.ts'
import { isFrozen } from '../../../drivers/routing/store.ts'
import { sealingFor, type WantedEncryption } from '../../../encryption/sealing.ts'
import { confirmBlob } from '../../external-objects/confirm.ts'
import type { ItemError } from '../item-error.ts'
import { retryTaken } from '../retry.ts'
import type { ObjectRow } from '../store.ts'

/** How copies are to be encrypted that are not to be as their originals are. */
export interface Recoding {
  wanted: WantedEncryption
  /** The key of the client for the originals, if they are encrypted with one. */
  customerKey?: KeyObject | undefined
}

/** Copies of blobs, by the originals' ids. */
export interface Copies {
  ids: ReadonlyMap<string, string>
  /** Those that are encrypted otherwise. */
  recoded: ReadonlyMap<string, Recoded>
  /** Why others could not be copied: a fault of theirs. */
  faults: ReadonlyMap<string, Error>
}
export const NO_COPIES: Copies = { ids: new Map(), recoded: new Map(), faults: new Map() }

/** A blob to copy. */
type Original = Described & { encryption: string | null }

/** Thrown in a transaction to have blobs copied to a storage, or encrypted otherwise, before it runs again. */
export class Elsewhere extends Error {
  readonly blobs: readonly Original[]
  readonly storage: StorageId
  readonly recoding: Recoding | undefined
  constructor(blobs: readonly Original[], storage: StorageId, recoding?: Recoding) {
    super('Some bytes are on another storage, or are to be encrypted otherwise')
    this.blobs = blobs
    this.storage = storage
    this.recoding = recoding
  }
}

/**
 * The copies, on a storage, of what these objects point at, of those that are elsewhere. Throws Elsewhere while any is not
 * copied yet.
 */
export async function copiesOf(
  db: Db,
  rows: readonly Pick<ObjectRow, 'blob_id' | 'size' | 'sha256' | 'etag' | 'encryption'>[],
  { storage, copies }: { storage: StorageId; copies: Copies },
): Promise<ReadonlyMap<string, string>> {
  const away = await findElsewhere(
    db,
    rows.map((row) => row.blob_id),
    storage,
  )
  const known = new Map(away.map(({ id, md5, envelope }) => [id, { md5, envelope }]))
  const lacking = new Map(
    rows
      .filter(({ blob_id }) => known.has(blob_id) && !copies.ids.has(blob_id))
      .map(({ blob_id, size, sha256, etag, encryption }) => [
        blob_id,
        { blob_id, size, sha256, etag, encryption, ...(known.get(blob_id) ?? { md5: null, envelope: null }) },
      ]),
  )
  if (lacking.size > 0) throw new Elsewhere([...lacking.values()], storage)
  return new Map([...copies.ids].filter(([id]) => known.has(id)))
}

/** The copies of what these objects point at that are encrypted as wanted. Throws Elsewhere while any is not made yet. */
export function recodedOf(
  rows: readonly Pick<ObjectRow, 'blob_id' | 'size' | 'sha256' | 'etag' | 'encryption'>[],
  { storage, copies, recoding }: { storage: StorageId; copies: Copies; recoding: Recoding },
): ReadonlyMap<string, Recoded> {
  const lacking = rows.filter(({ blob_id }) => !copies.recoded.has(blob_id))
  if (lacking.length > 0)
    throw new Elsewhere(
      // Both are looked up where they are needed.
      lacking.map((row) => ({ ...row, md5: null, envelope: null })),
      storage,
      recoding,
    )
  return copies.recoded
}

/**
 * The id under which a bucket is to point at a new blob. Throws Elsewhere while that is on another storage: the bucket has
 * moved since its bytes were received.
 */
export function placedOn(bucket: { storage_id: StorageId }, blob: Original, copies: Copies): string {
  const fault = copies.faults.get(blob.blob_id)
  if (fault) throw fault
  const id = copies.ids.get(blob.blob_id) ?? blob.blob_id
  if (storageOf(id) !== bucket.storage_id) throw new Elsewhere([blob], bucket.storage_id)
  return id
}

/** Blobs that are copied at the same time. */
const AT_ONCE = 8
/** How often objects may change while their bytes are copied. */
const ROUNDS = 10

export interface CopyOptions {
  /** Most blobs to copy; of more, the Elsewhere is thrown on. */
  most?: number
  /** Awaited after each chunk; may throw. */
  tick?: () => Promise<void> | undefined
}

/**
 * Runs an action, again while other requests take the keys it was about to take, and again with copies of the blobs that
 * it needs on another storage. Bytes are copied outside of any transaction. Copies that are not needed in the end are left
 * to the collector.
 */
export async function withCopies<T>(
  ctx: Ctx,
  work: (copies: Copies) => Promise<T>,
  { most = Number.POSITIVE_INFINITY, tick }: CopyOptions = {},
): Promise<T> {
  const copies: MadeCopies = { ids: new Map(), recoded: new Map(), faults: new Map() }
  for (let round = 1; ; round++)
    try {
      return await retryTaken(() => work(copies))
    } catch (error) {
      if (!(error instanceof Elsewhere) || error.blobs.length > most) throw error
      if (round === ROUNDS)
        throw new ServiceError('busy', 'The objects keep changing while they are copied. Try again.', { cause: error })
      await copyAll(ctx, error, { copies, tick })
    }
}

/** The item's error for an object whose bytes cannot be copied. */
export const copyError = (key: string, fault: Error): ItemError =>
  fault instanceof ServiceError
    ? { key, code: fault.code, detail: fault.message }
    : { key, code: 'conflict', detail: `Its bytes cannot be read: ${fault.message}.` }

/**
 * Whether a blob is what its object shows, after a look at the storage if others keep it there. Where it is not, the
 * object shows another one by now, or this throws not_found.
 */
async function isCurrent(ctx: Ctx, { blob_id }: Described): Promise<boolean> {
  if (!isExternal(blob_id) || (await isFrozen(ctx.db, blob_id))) return true
  const row = await confirmBlob(ctx, blob_id)
  if (!row) throw new ServiceError('not_found', 'The object is not on its storage any more.')
  return row.blob_id === blob_id
}

/** Whether bytes cannot be copied because of themselves, so that others may still be. */
export const isFault = (error: unknown): error is Error =>
  isBlobFault(error) ||
  error instanceof UnexpectedAnswer ||
  (error instanceof ServiceError &&
    ['not_found', 'archived', 'conflict', 'encryption_key_required'].includes(error.code))

/** Copies that are being made. */
export interface MadeCopies {
  ids: Map<string, string>
  recoded: Map<string, Recoded>
  faults: Map<string, Error>
}

/**
 * Copies blobs to a storage, a few at a time; adds them, and those that cannot be read, to `copies`. Rejects with the first
 * other failure.
 */
export async function copyAll(
  ctx: Ctx,
  { blobs, storage, recoding }: Pick<Elsewhere, 'blobs' | 'storage'> & { recoding?: Recoding | undefined },
  { copies, tick }: { copies: MadeCopies; tick?: CopyOptions['tick'] },
): Promise<void> {
  const sealing = recoding && (await sealingFor(ctx, recoding.wanted))
  const claim = newClaim(ctx, storage)
  const waiting = [...blobs]
  const failures: unknown[] = []
  const copyNext = async (): Promise<void> => {
    for (let blob = waiting.shift(); blob && failures.length === 0; blob = waiting.shift())
      try {
        if (!(await isCurrent(ctx, blob))) continue
        if (recoding)
          copies.recoded.set(
            blob.blob_id,
            await recodeBlob(ctx, claim, blob, { sealing, customerKey: recoding.customerKey, tick }),
          )
        else copies.ids.set(blob.blob_id, await copyBlob(ctx, claim, blob, tick))
      } catch (error) {
        if (error instanceof ExternalChanged) continue
        if (!isFault(error)) failures.push(error)
        else {
          ctx.log.error({ err: error, blob: blob.blob_id }, 'a blob cannot be copied')
          copies.faults.set(blob.blob_id, error)
        }
      }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, copyNext))
  if (failures.length > 0) throw failures[0]
}
