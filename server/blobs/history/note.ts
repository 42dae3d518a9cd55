import { sql } from 'kysely'
import type { Tx } from '../../db/schema.ts'
import * as store from './store.ts'

/** Step: of these blobs notes those that nothing has any more but snapshots. */
export const noteHistory = ({ tx }: { tx: Tx }, ids: readonly string[]): Promise<void> => store.noteHistory(tx, ids)

/**
 * Step: of these blobs, to which objects were just made to point, notes that it is not snapshots alone any more that keep
 * them. Where contents of the past become current, everything that makes them so calls this, or the one below. Returns how many
 * bytes less snapshots alone keep of each bucket.
 */
export const notePointed = async ({ tx }: { tx: Tx }, ids: readonly string[]): Promise<ReadonlyMap<string, number>> =>
  ids.length > 0 ? store.forgetPointed(tx, sql.join(ids)) : new Map()

/** Which of these blobs nothing of a bucket has any more but snapshots, as far as the collector has noted that. */
export const findAlone = store.findAlone

/** Step: the same of all that a bucket has between two keys, with these. */
export const notePointedIn = (
  { tx }: { tx: Tx },
  bucketId: string,
  { first, last }: { first: string; last: string },
): Promise<ReadonlyMap<string, number>> =>
  store.forgetPointed(
    tx,
    sql`select blob_id from objects where bucket_id = ${bucketId} and key >= ${first} and key <= ${last}`,
  )
