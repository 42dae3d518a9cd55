import { ServiceError } from '../../../contract/errors.ts'
import type { ByteRange } from '../../base/byte-range.ts'
import { newClaim, renewIfDue } from '../../blobs/claim.ts'
import { takeBlobId } from '../../blobs/id-pool.ts'
import { discardBlobs } from '../../blobs/write.ts'
import type { Ctx } from '../../context.ts'
import { BlobMissing, type StoredPart, UnnamedPartsRefused } from '../../drivers/driver.ts'
import { storageOf } from '../../drivers/routing/ids.ts'
import { writtenSize } from '../../segments/layout.ts'
import { type OpenUpload, rowOf, storedSizeOfPart } from './receive.ts'
import * as store from './store.ts'

/**
 * Makes parts of an upload a blob and returns its id: the upload's own, or a copy where the engine cannot leave out the
 * others. Then it joins them all, and the named ranges are copied inside the engine. What is known of the parts says which
 * ranges they are, so that a later call continues after a crash. Rejects as the driver does.
 */
export async function joinParts(ctx: Ctx, upload: OpenUpload, named: readonly store.PartRow[]): Promise<string> {
  const complete = (parts: readonly store.PartRow[]) =>
    ctx.blobs.completeParts(
      upload.blob_id,
      upload.handle,
      parts.map((part) => asStored(upload, part)),
    )
  try {
    await complete(named)
    return upload.blob_id
  } catch (error) {
    if (error instanceof UnnamedPartsRefused) await clearTheWay(ctx, upload, named)
    else if (!(error instanceof BlobMissing)) throw error
    const others = without(await store.listParts(ctx.db, upload.id), named)
    if (others.length === 0) throw error
    const all = [...named, ...others].sort((a, b) => a.part_number - b.part_number)
    await complete(all).catch((another: unknown) => {
      throw another instanceof UnnamedPartsRefused ? stillArriving(another) : another
    })
    return copyNamed(ctx, upload, { all, named })
  }
}

/** The parts whose numbers are not among those of `named`. */
function without(parts: readonly store.PartRow[], named: readonly store.PartRow[]): store.PartRow[] {
  const numbers = new Set(named.map(({ part_number }) => part_number))
  return parts.filter(({ part_number }) => !numbers.has(part_number))
}

const asStored = (upload: OpenUpload, { part_number, size, ref }: store.PartRow): StoredPart => ({
  number: part_number,
  size: storedSizeOfPart(upload, size),
  ref,
})

const stillArriving = (cause: unknown) =>
  new ServiceError('conflict', 'A part arrived that is not named. Complete the upload again.', { cause })

/**
 * Prepares an upload for being joined with everything that the engine has of it: writes down what only the engine knows,
 * and replaces parts that are too small to have others after them. Throws conflict if that is a part that is named.
 */
async function clearTheWay(ctx: Ctx, upload: OpenUpload, named: readonly store.PartRow[]): Promise<void> {
  const { leastPart } = await ctx.blobs.traitsOf(upload.blob_id)
  const present = await ctx.blobs.listParts(upload.blob_id, upload.handle)
  const lastNumber = present.at(-1)?.number ?? 0
  const last = named.at(-1)
  if (last && last.size < leastPart && last.part_number < lastNumber)
    throw new ServiceError(
      'conflict',
      `The storage cannot leave out parts after one that has fewer than ${leastPart} bytes. Send that part again under a higher number.`,
      { faults: [{ path: 'body.parts', message: `part ${lastNumber} cannot be left out` }] },
    )
  const received = new Map((await store.listParts(ctx.db, upload.id)).map((row) => [row.part_number, row]))
  const known = present.map((part) => {
    const row = received.get(part.number)
    return row?.ref === part.ref ? row : rowOf(upload, part)
  })
  const rows: store.PartRow[] = []
  for (const row of without(known, named))
    if (row.size >= leastPart || row.part_number === lastNumber) rows.push(row)
    else {
      const ref = await fill(ctx, upload, { number: row.part_number, size: leastPart })
      const size = upload.encryption === null ? leastPart : writtenSize(leastPart)
      rows.push({ ...row, size, etag: ref, ref })
    }
  await ctx.upkeep(async ({ tx }) => {
    for (const row of rows) await store.upsertPart(tx, row)
  })
}

/** Replaces a part by zeros; returns its ref. */
function fill(ctx: Ctx, { blob_id, handle }: OpenUpload, part: { number: number; size: number }): Promise<string> {
  async function* zeros() {
    yield Buffer.alloc(part.size)
  }
  return ctx.blobs.putPart(blob_id, handle, part, zeros())
}

/** Copies the named parts out of a blob that was made of all of them; returns the copy's id. */
async function copyNamed(
  ctx: Ctx,
  upload: OpenUpload,
  { all, named }: { all: readonly store.PartRow[]; named: readonly store.PartRow[] },
): Promise<string> {
  const wanted = new Set(named.map(({ part_number }) => part_number))
  const ranges: ByteRange[] = []
  let at = 0
  for (const part of all) {
    const size = storedSizeOfPart(upload, part.size)
    if (wanted.has(part.part_number) && size > 0) ranges.push({ start: at, end: at + size - 1 })
    at += size
  }
  const { blob_id: from } = upload
  const storage = storageOf(from)
  const id = await takeBlobId(ctx, storage)
  const claim = { ...newClaim(ctx, storage), ids: [id] }
  try {
    await ctx.blobs.copyRanges(id, { id: from, size: at }, ranges, async () => renewIfDue(ctx, claim))
  } catch (error) {
    await discardBlobs(ctx, [{ id, body: null }])
    throw error
  }
  return id
}
