import { sql } from 'kysely'
import type { Tx } from '../../db/schema.ts'
import * as store from './store.ts'

/** Step: of these blobs notes those that nothing has any more but snapshots. */
export const noteHistory = ({ tx }: { tx: Tx }, ids: readonly string[]): Promise<void> => store.noteHistory(tx, ids)

/**
 * Step: of these blobs, to which objects were just made to point, notes that it is not snapshots alone any more that keep
 * them. Where contents of the past become current, everything that makes them so calls this, or the one below.
 */
export const notePointed = async ({ tx }: { tx: Tx }, ids: readonly string[]): Promise<void> => {
  if (ids.length > 0) await store.forgetPointed(tx, sql.join(ids))
}

/** Step: the same of all that a bucket has between two keys, with these. */
export const notePointedIn = (
  { tx }: { tx: Tx },
  bucketId: string,
  { first, last }: { first: string; last: string },
): Promise<void> =>
  store.forgetPointed(
    tx,
    sql`select blob_id from objects where bucket_id = ${bucketId} and key >= ${first} and key <= ${last}`,
  )
