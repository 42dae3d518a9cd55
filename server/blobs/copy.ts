import { createHash, hash } from 'node:crypto'
import type { Ctx, Upkeep } from '../context.ts'
import { BlobMissing } from '../drivers/driver.ts'
import { isExternal } from '../drivers/routing/ids.ts'
import { type Envelope, readEnvelope, stretchesOf } from '../encryption/envelope.ts'
import { openEnvelope } from '../encryption/sealing.ts'
import { SegmentDamaged } from '../segments/cipher.ts'
import { planRead } from '../segments/layout.ts'
import { SegmentReader } from '../segments/read.ts'
import { type Claim, renewIfDue } from './claim.ts'
import { storedSizeOfBlob } from './encrypted.ts'
import { type Described, findHashes, type Hashes, newCutter } from './hashes.ts'
import { takeBlobId } from './id-pool.ts'
import { takeRoom } from './room.ts'
import * as store from './store.ts'
import { segmentOf } from './sums.ts'
import { copiedEnvelope, discardBlobs, envelopeColumns } from './write.ts'

/** The bytes of a blob are not those that its rows describe. */
export class BlobDamaged extends Error {}

/** Whether a blob could not be copied because of itself, so that others may still be. */
export const isBlobFault = (error: unknown): error is BlobMissing | BlobDamaged | SegmentDamaged =>
  error instanceof BlobMissing || error instanceof BlobDamaged || error instanceof SegmentDamaged

/** Which of these blobs have their bytes on another storage, with what is known of them. */
export const findElsewhere = store.findElsewhere

/** Awaited after each chunk; may throw. */
type Tick = () => Promise<void> | undefined

/**
 * Copies the bytes of a blob to the storage of a claim as they are stored there, reads the copy again, and compares both
 * with what is known of the blob; returns the new blob's id. Leaves nothing behind when it rejects: with BlobMissing,
 * BlobDamaged or SegmentDamaged because of the blob, otherwise because of a storage.
 */
export async function copyBlob(ctx: Ctx, claim: Claim, blob: Described, tick: Tick = () => undefined): Promise<string> {
  const { blob_id, size } = blob
  const envelope = blob.envelope === null ? null : readEnvelope(blob.envelope)
  const stored = storedSizeOfBlob(blob)
  const segment = segmentOf(envelope !== null)
  await takeRoom(ctx.config, claim.storage, stored, { ahead: true })
  const known = await findHashes(ctx.db, blob)
  const id = await takeBlobId(ctx, claim.storage)
  claim.ids.push(id)
  const check = envelope ? await checkOfEncrypted(ctx, blob, { envelope, known }) : checkOfPlain(known)
  async function* measured() {
    for await (const chunk of chunksOf(await ctx.blobs.get(blob_id, stored, undefined, { segment }))) {
      check.original(chunk)
      await takeRoom(ctx.config, claim.storage, chunk.length)
      await renewIfDue(ctx, claim)
      await tick()
      yield chunk
    }
  }
  try {
    await ctx.blobs.put(id, measured(), stored)
    const damaged = () => new BlobDamaged(`The bytes of blob ${blob_id} do not match their ${known.name}`)
    if (!check.isKnown()) throw damaged()
    const readAgain = async () => {
      for await (const chunk of chunksOf(await ctx.blobs.get(id, stored))) {
        check.copy(chunk)
        await renewIfDue(ctx, claim)
        await tick()
      }
    }
    await readAgain().catch((cause: unknown) => {
      // Not a fault of the original.
      throw cause instanceof BlobMissing ? new Error(`The storage did not keep blob ${id}`, { cause }) : cause
    })
    if (!check.isAlike()) throw new Error(`The storage returned other bytes of blob ${id} than it was given`)
    if (!check.isKnown()) throw damaged()
    if (envelope)
      await ctx.upkeep(({ tx }) => store.noteEnvelope(tx, id, envelopeColumns(copiedEnvelope(envelope, blob_id))))
    else if (isExternal(blob_id)) {
      const facts = { size, md5: check.md5(), sha256: null, checksums: null, sums: null, ...envelopeColumns(null) }
      await ctx.upkeep(({ tx }) => store.noteFacts(tx, id, facts))
    }
    return id
  } catch (error) {
    await discardBlobs(ctx, [{ id, body: null }])
    throw error
  }
}

/** Compares bytes that are read of a blob, and then of its copy, with what is known of them. */
function checkOfPlain(known: Hashes) {
  const original = newCutter(known)
  let copy: ReturnType<typeof newCutter> | undefined
  const secondReading = () => {
    copy ??= newCutter({ algorithm: known.algorithm, pieces: original.end() })
    return copy
  }
  return {
    original: (chunk: Uint8Array) => original.update(chunk),
    isKnown: () => original.isAlike(),
    copy: (chunk: Uint8Array) => secondReading().update(chunk),
    isAlike: () => secondReading().isAlike(),
    md5: () => original.end()[0]?.hash ?? hash('md5', ''),
  }
}

/**
 * The same of encrypted bytes: the copy has to be stored as the original is, and what both were is compared as well, unless
 * it takes the key of a client to know.
 */
async function checkOfEncrypted(
  ctx: Ctx,
  { blob_id, size }: Described,
  { envelope, known }: { envelope: Envelope; known: Hashes },
): Promise<ReturnType<typeof checkOfPlain>> {
  const original = createHash('sha256')
  const copy = createHash('sha256')
  const plan = planRead(stretchesOf(envelope, size))
  const reader =
    envelope.kind === 'SSE-C' ? undefined : new SegmentReader(await openEnvelope(ctx, envelope, { id: blob_id }), plan)
  const plain = newCutter(known)
  let isDamaged = false
  return {
    original: (chunk) => void original.update(chunk),
    isKnown: () => !isDamaged,
    copy(chunk) {
      copy.update(chunk)
      try {
        if (!isDamaged) for (const piece of reader?.take(chunk) ?? []) plain.update(piece)
      } catch (error) {
        // Whose fault it is, the original's or the copy's, is known at the end.
        if (!(error instanceof SegmentDamaged)) throw error
        isDamaged = true
      }
    },
    isAlike() {
      isDamaged ||= reader !== undefined && !plain.isAlike()
      return original.digest('hex') === copy.digest('hex')
    },
    md5: () => '',
  }
}

/** A blob's body in chunks. */
export const chunksOf = (
  body: Uint8Array | AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> | Iterable<Uint8Array> => (body instanceof Uint8Array ? [body] : body)

/** Step: notes of copies what is known of their originals. What points at them follows in the same step. */
export const keepCopies = async ({ tx }: Upkeep, copies: ReadonlyMap<string, string>): Promise<void> => {
  // What is known of others' bytes was noted when they were copied.
  for (const [from, to] of copies) if (!isExternal(from)) await store.copyFacts(tx, from, to)
}
