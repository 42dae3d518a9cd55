import { eachChunk } from '../../../base/each-chunk.ts'
import { findBody } from '../../../blobs/bodies/store.ts'
import { storedSizeOfBlob } from '../../../blobs/encrypted.ts'
import { findHashes, newCutter } from '../../../blobs/hashes.ts'
import { pieceOf } from '../../../blobs/open.ts'
import { segmentOf, sumColumns } from '../../../blobs/sums.ts'
import type { Ctx } from '../../../context.ts'
import { hasBlob } from '../../../drivers/copies/has-blob.ts'
import { damageOf } from '../../../drivers/copies/mirrored.ts'
import type { DueReason } from '../../../drivers/copies/store.ts'
import { whileItMoves } from '../../../drivers/copies/watched.ts'
import { type BlobBody, BlobMissing } from '../../../drivers/driver.ts'
import { readEnvelope, stretchesOf } from '../../../encryption/envelope.ts'
import { openEnvelope } from '../../../encryption/sealing.ts'
import { SegmentDamaged } from '../../../segments/cipher.ts'
import { planRead } from '../../../segments/layout.ts'
import { SegmentReader } from '../../../segments/read.ts'
import { SegmentSums } from '../../../segments/sums.ts'
import * as store from './store.ts'

/** A blob whose bytes are known. */
export type Known = store.Copied & { size: number }

/** What hands the memory of chunks back that are not needed any more, once the bytes are opened. */
interface Opened {
  recycle?: (chunk: Uint8Array) => void
}

/** What was found of the bytes of a copy while they were read. */
export interface Examined {
  /** The checksums of its segments, if they were not known before. */
  newSums: Uint8Array | undefined
}

/**
 * The bytes of the copies at some places, segment by segment of the first that has it whole, or those in the database, compared
 * with all that is known of the blob: the checksums of its segments, or, where there are none, its tags or hashes; copies
 * without checksums cannot be mixed, so that only the first is read. Returns once all of them were found right. Throws as
 * reading does, and SegmentDamaged.
 */
export async function* examine(
  ctx: Ctx,
  blob: Known,
  places: readonly number[],
  opened: Opened = {},
): AsyncGenerator<Uint8Array, Examined> {
  const segment = segmentOf(blob.envelope !== null)
  const isSummed = blob.sums !== null || (await store.hasRuns(ctx.db, blob.id))
  const check = isSummed ? undefined : await checkOf(ctx, blob)
  const sums = isSummed ? undefined : new SegmentSums(segment)
  const from = isSummed ? places : places.slice(0, 1)
  const body = await (blob.inline === 1 ? inlineBody(ctx, blob) : stored(ctx, blob, from))
  if ('recycle' in body) opened.recycle = (chunk) => body.recycle?.(chunk)
  for await (const chunk of body instanceof Uint8Array ? [body] : eachChunk(body)) {
    sums?.update(chunk)
    check?.update(chunk)
    yield chunk
  }
  if (check && !check.isRight()) throw new SegmentDamaged(blob.id, { part: 0, number: 0 })
  return { newSums: sums?.end() }
}

const stored = (ctx: Ctx, blob: Known, places: readonly number[]): Promise<BlobBody> =>
  ctx.blobs.getFrom(places, blob.id, storedSizeOfBlob(blob), {
    segment: segmentOf(blob.envelope !== null),
    sums: blob.sums,
  })

/** The bytes that the database has of an inline blob, as they are stored. */
async function inlineBody({ db }: Ctx, blob: Known): Promise<Uint8Array> {
  const body = await findBody(db, blob.id)
  if (!body) throw new BlobMissing(blob.id)
  return pieceOf({ blob_id: blob.id, size: storedSizeOfBlob(blob) }, body)
}

/** Compares what is stored of a blob with its tags or hashes. Nothing can be said of what a client's key encrypts. */
async function checkOf(ctx: Ctx, blob: Known) {
  const { id, size, md5, sha256 } = blob
  if (blob.envelope === null) {
    const known = await findHashes(ctx.db, { blob_id: id, size, sha256, md5, etag: '-' })
    const cutter = newCutter(known)
    return { update: (chunk: Uint8Array) => cutter.update(chunk), isRight: () => cutter.isAlike() }
  }
  const envelope = readEnvelope(blob.envelope)
  if (envelope.kind === 'SSE-C') return undefined
  const reader = new SegmentReader(await openEnvelope(ctx, envelope, { id }), planRead(stretchesOf(envelope, size)))
  return { update: (chunk: Uint8Array) => void reader.take(chunk), isRight: () => true }
}

/** Notes the checksums of a blob, if it had none. */
export async function noteSums(ctx: Ctx, blob: Known, { newSums }: Examined): Promise<void> {
  if (!newSums) return
  const columns = sumColumns([{ size: storedSizeOfBlob(blob), sums: newSums }], blob.envelope !== null)
  await ctx.upkeep(({ tx }) => store.noteSums(tx, blob.id, columns))
}

/** Whether a place has as many bytes of a blob as it has to. */
export const isThere = async (ctx: Ctx, blob: Known, place: number): Promise<boolean> =>
  hasBlob(await ctx.blobs.place(place), blob.id, storedSizeOfBlob(blob))

/** What reading a copy has shown. */
export interface Finding {
  /** What is wrong with it; undefined if nothing is. */
  reason: DueReason | undefined
  /** Whether the blob got its checksums. */
  isSummed: boolean
}

/** Called with the bytes of each chunk that was read; what it returns is awaited before the next. */
export type Pace = (bytes: number) => Promise<void> | undefined

/** Reads the copy at a place; `pace` is awaited after each chunk. Throws if the place is away. */
export async function findDamage(ctx: Ctx, blob: Known, place: number, pace: Pace = () => undefined): Promise<Finding> {
  const opened: Opened = {}
  const reading = examine(ctx, blob, [place], opened)
  try {
    let next = await reading.next()
    for (; !next.done; next = await reading.next()) {
      const { length } = next.value
      opened.recycle?.(next.value)
      const waits = pace(length)
      if (waits) await waits
    }
    await noteSums(ctx, blob, next.value)
    return { reason: undefined, isSummed: next.value.newSums !== undefined }
  } catch (error) {
    const reason = damageOf(error)
    if (!reason) throw error
    return { reason, isSummed: false }
  }
}

/**
 * Copies a blob from one place to another, and makes sure that it is there. What was there before stays until the copy is
 * whole, and gives the segments that are damaged at `from`: of two damaged copies the only whole one of a segment is never
 * removed. Throws a fault of the blob (`isBlobFault`) if the two are not whole together.
 */
export async function copyTo(
  ctx: Ctx,
  blob: Known,
  { from, to }: { from: number; to: number },
  pace: Pace,
): Promise<void> {
  const target = await ctx.blobs.place(to)
  let fault: unknown
  const opened: Opened = {}
  async function* chunks() {
    try {
      const reading = examine(ctx, blob, [from, to], opened)
      let next = await reading.next()
      for (; !next.done; next = await reading.next()) {
        yield next.value
        const waits = pace(next.value.length)
        if (waits) await waits
      }
      await noteSums(ctx, blob, next.value)
    } catch (error) {
      // A driver may wrap what its source throws.
      fault = error
      throw error
    }
  }
  const source = Object.assign(chunks(), { recycle: (chunk: Uint8Array) => opened.recycle?.(chunk) })
  await whileItMoves(source, ctx.config.mirrorTimeoutMs, (moving) =>
    target.putOver(blob.id, moving, storedSizeOfBlob(blob)),
  ).catch((error: unknown) => {
    throw fault ?? error
  })
  if (!(await isThere(ctx, blob, to))) throw new Error(`The place ${to} did not keep blob ${blob.id}`)
}
