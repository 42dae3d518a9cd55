import type { EffectiveSettings } from '../../access/settings/effective.ts'
import { DAY_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import type { StoredPart } from '../../drivers/driver.ts'
import { storedSize, writtenSize } from '../../segments/layout.ts'
import * as store from './store.ts'

/** Whether an upload has expired. Also true for one being aborted, or whose bucket was deleted. */
export const isOver = (row: Pick<store.UploadRow, 'expires_at'>, now: Date): boolean =>
  row.expires_at <= now.toISOString()

/** An upload that is not completed. */
export type OpenUpload = store.UploadRow & { blob_id: string }

/** When a free upload expires of which a part arrives now. */
export const freeUntil = (now: Date, { uploads }: Pick<EffectiveSettings, 'uploads'>): string =>
  new Date(now.getTime() + uploads.s3_expire_days * DAY_MS).toISOString()

/** Parts that passed through the service have rows; parts sent straight to the storage are known only there. */
export async function receivedParts(ctx: Ctx, row: store.UploadRow): Promise<store.PartRow[]> {
  const rows = await store.listParts(ctx.db, row.id)
  const isDirect = (await directUrl(ctx, row, 1, { expiresIn: 60, size: row.part_size })) !== null
  if (!isDirect || row.blob_id === null) return rows
  const known = new Map(rows.map((part) => [part.part_number, part]))
  const stored = await ctx.blobs.listParts(row.blob_id, row.handle)
  // No parts at all means that they are already joined; their rows were stored before that.
  if (stored.length === 0) return rows
  return stored.map(({ number, size, ref }) => {
    const part = known.get(number)
    return part?.ref === ref ? part : rowOf(row, { number, size, ref })
  })
}

/** Bytes that a part takes in the storage. */
export const storedSizeOfPart = ({ encryption }: Pick<store.UploadRow, 'encryption'>, size: number): number =>
  encryption === null ? size : storedSize(size)

/** A part's row from what the storage says, where the service knows nothing of it. */
export const rowOf = (
  { id: upload_id, created_at: received_at, encryption }: store.UploadRow,
  { number, size, ref }: StoredPart,
): store.PartRow => ({
  upload_id,
  part_number: number,
  size: encryption === null ? size : writtenSize(size),
  etag: ref,
  ref,
  checksum: null,
  brought: null,
  salt: null,
  sums: null,
  received_at,
})

/**
 * A URL of the storage itself for a planned part, valid for `expiresIn` seconds; null if the part must pass through the
 * service, which also computes its checksum.
 */
export async function directUrl(
  { blobs, actor }: Pick<Ctx, 'blobs' | 'actor'>,
  { kind, blob_id, handle, checksum_algorithm, encryption }: store.UploadRow,
  number: number,
  options: { expiresIn: number; size: number },
): Promise<string | null> {
  // What agents send is counted as it arrives.
  if (actor.agent) return null
  if (kind === 'free' || blob_id === null || checksum_algorithm !== null || encryption !== null) return null
  return blobs.partUrl(blob_id, handle, number, options)
}
