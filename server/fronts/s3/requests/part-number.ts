import { findFacts, listParts } from '../../../blobs/store.ts'
import type { Row } from '../../../db/schema.ts'
import type { ObjectRow } from '../../../storage/objects/store.ts'
import { invalidArgument } from '../errors.ts'
import { type Exchange, parameter } from './exchange.ts'

export const MOST_PARTS = 10_000

/** The part that `partNumber` names; throws InvalidArgument. */
export function partNumberOf(exchange: Exchange): number {
  const text = parameter(exchange, 'partNumber') ?? ''
  const number = Number(text)
  if (/^\d{1,5}$/.test(text) && number >= 1 && number <= MOST_PARTS) return number
  throw invalidArgument('partNumber', text, `Part number must be an integer between 1 and ${MOST_PARTS}, inclusive`)
}

/**
 * The parts that an object was uploaded in; none for one that came as a whole. Their checksums are by the algorithm of the
 * object's: a copy that was given one by another has none of its parts.
 */
export async function partsOf({ ctx }: Exchange, row: ObjectRow): Promise<Row<'blob_parts'>[]> {
  if (!row.etag.includes('-')) return []
  const parts = await listParts(ctx.db, row.blob_id)
  if (parts.every(({ checksum }) => checksum === null)) return parts
  const isSame = ((await findFacts(ctx.db, row.blob_id))?.checksums ?? null) === row.checksums
  return isSame ? parts : parts.map((part) => ({ ...part, checksum: null }))
}
