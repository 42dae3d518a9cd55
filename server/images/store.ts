import type { Db } from '../db/schema.ts'

/** Which of these blobs an object has as its contents. */
export const findShown = async (db: Db, blobIds: readonly string[]): Promise<string[]> =>
  (await db.selectFrom('objects').select('blob_id').where('blob_id', 'in', blobIds).execute()).map(
    ({ blob_id }) => blob_id,
  )
