import { sql } from 'kysely'
import { countUpToMost } from '../db/count.ts'
import type { Db } from '../db/schema.ts'

/** How many bytes these blobs have, and how they are encrypted; without those that nothing points at. */
export const findSizes = async (
  db: Db,
  ids: readonly string[],
): Promise<{ id: string; size: number; envelope: string | null }[]> => {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('blobs').select(['id', 'size', 'envelope']).where('id', 'in', ids).execute()
  return rows.flatMap((row) => (row.size === null ? [] : { ...row, size: Number(row.size) }))
}

/** What is waiting for the collector. */
export const findCollectable = async (db: Db, now: string): Promise<{ check: number; removal: number }> => ({
  check: await countUpToMost(db, sql`blobs where check_after is not null and check_after <= ${now}`),
  removal: await countUpToMost(db, sql`blob_removals`),
})
