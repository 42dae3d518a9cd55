import type { Ctx } from '../../context.ts'
import * as store from './store.ts'

/** Whether an upload has expired. Also true for one being aborted, or whose bucket was deleted. */
export const isOver = (row: Pick<store.UploadRow, 'expires_at'>, now: Date): boolean =>
  row.expires_at <= now.toISOString()

/** Parts that passed through the service have rows; parts sent straight to the storage are known only there. */
export async function receivedParts(ctx: Ctx, row: store.UploadRow): Promise<store.PartRow[]> {
  const rows = await store.listParts(ctx.db, row.id)
  const isDirect = row.blob_id !== null && (await isDirectUpload(ctx, row))
  if (!isDirect || row.blob_id === null) return rows
  const known = new Map(rows.map((part) => [part.part_number, part]))
  const stored = await ctx.blobs.listParts(row.blob_id, row.handle)
  // No parts at all means that they are already joined; their rows were stored before that.
  if (stored.length === 0) return rows
  return stored.map(({ number, size, ref }) => {
    const part = known.get(number)
    if (part?.ref === ref) return part
    return { upload_id: row.id, part_number: number, size, etag: ref, ref, received_at: row.created_at }
  })
}

const isDirectUpload = async (ctx: Ctx, row: store.UploadRow): Promise<boolean> =>
  (await ctx.blobs.partUrl(row.blob_id ?? '', row.handle, 1, { expiresIn: 60, size: row.part_size })) !== null
