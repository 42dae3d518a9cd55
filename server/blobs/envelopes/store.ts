import { sql } from 'kysely'
import { countUpToMost } from '../../db/count.ts'
import { prepared } from '../../db/prepare.ts'
import type { Db, Tx } from '../../db/schema.ts'

/** A blob whose key a service key wraps. */
export interface WrappedBlob {
  id: string
  envelope: string
  service_key: number
}

/** Blobs whose keys an older service key wraps than this version, after one, in the order of versions and ids. */
export async function findOlder(
  db: Db,
  { version, after, limit }: { version: number; after: WrappedBlob | undefined; limit: number },
): Promise<WrappedBlob[]> {
  let query = db
    .selectFrom('blobs')
    .select(['id', 'envelope', 'service_key'])
    .where('service_key', '<', version)
    .where('envelope', 'is not', null)
  if (after) query = query.where((e) => e(e.refTuple('service_key', 'id'), '>', e.tuple(after.service_key, after.id)))
  return (await query.orderBy('service_key').orderBy('id').limit(limit).execute()) as WrappedBlob[]
}

export const countOlder = (db: Db, version: number): Promise<number> =>
  countUpToMost(db, sql`blobs where service_key < ${version}`)

/** Whether a version of the service key wraps the key of any blob. */
export const isServiceKeyUsed = async (db: Db, version: number): Promise<boolean> =>
  (await db.selectFrom('blobs').select('id').where('service_key', '=', version).limit(1).execute()).length > 0

/** Rewraps the key of a blob, unless that was done meanwhile. */
export const replaceEnvelope = prepared(
  (tx: Tx, { id, before, ...columns }: { id: string; before: number; envelope: string; service_key: number }) =>
    tx.updateTable('blobs').set(columns).where('id', '=', id).where('service_key', '=', before),
)
