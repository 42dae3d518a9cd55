import { sql } from 'kysely'
import type { Db, NewRow, Row, RowChange, Tx } from '../db/schema.ts'

export type ServiceKeyRow = Row<'encryption_keys'>

/** All, the latest first. */
export const listServiceKeys = (db: Db): Promise<ServiceKeyRow[]> =>
  db.selectFrom('encryption_keys').selectAll().orderBy('version', 'desc').execute()

/** The same; nobody can change them until the transaction ends. */
export const lockServiceKeys = (tx: Tx): Promise<ServiceKeyRow[]> =>
  tx.selectFrom('encryption_keys').selectAll().orderBy('version', 'desc').forUpdate().execute()

/** Of two who insert the same version, one is refused. */
export const insertServiceKey = (tx: Tx, row: Pick<ServiceKeyRow, 'version' | 'sealed' | 'created_at'>) =>
  tx.insertInto('encryption_keys').values(row).execute()

export const resealServiceKey = (tx: Tx, version: number, sealed: string) =>
  tx.updateTable('encryption_keys').set({ sealed }).where('version', '=', version).execute()

export const retireServiceKeys = (tx: Tx, before: number, retired_at: string) =>
  tx
    .updateTable('encryption_keys')
    .set({ retired_at })
    .where('version', '<', before)
    .where('retired_at', 'is', null)
    .execute()

export const deleteServiceKey = (tx: Tx, version: number) =>
  tx.deleteFrom('encryption_keys').where('version', '=', version).execute()

export type KmsKeyRow = Row<'kms_keys'>

export const findKmsKey = (db: Db, name: string): Promise<KmsKeyRow | undefined> =>
  db.selectFrom('kms_keys').selectAll().where('name', '=', name).executeTakeFirst()

/** All, in name order. */
export const listKmsKeys = (db: Db): Promise<KmsKeyRow[]> =>
  db.selectFrom('kms_keys').selectAll().orderBy('name').execute()

export const lockKmsKey = (tx: Tx, name: string): Promise<KmsKeyRow | undefined> =>
  tx.selectFrom('kms_keys').selectAll().where('name', '=', name).forUpdate().executeTakeFirst()

/** Whether a key is registered, as it then is until the transaction ends. */
export const shareKmsKey = async (tx: Tx, name: string): Promise<boolean> =>
  (await tx.selectFrom('kms_keys').select('name').where('name', '=', name).forShare().executeTakeFirst()) !== undefined

/** Undefined if the name is taken. */
export const insertKmsKey = (tx: Tx, row: NewRow<'kms_keys'>): Promise<KmsKeyRow | undefined> =>
  tx
    .insertInto('kms_keys')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst()

export const changeKmsKey = (tx: Tx, name: string, change: RowChange<'kms_keys'>) =>
  tx.updateTable('kms_keys').set(change).where('name', '=', name).execute()

export const deleteKmsKey = (tx: Tx, name: string) => tx.deleteFrom('kms_keys').where('name', '=', name).execute()

/** What the index of a table's key names has; every condition is repeated, so that a prepared query can use it. */
const isKeyed = sql<boolean>`encryption is not null and encryption <> 'AES256' and encryption <> 'SSE-C'`

/** Whether anything is encrypted with a key, or a bucket says that what comes is to be. */
export async function isKmsKeyUsed(db: Db, name: string): Promise<boolean> {
  for (const table of ['objects', 'versions', 'trash', 'uploads', 'history_contents'] as const) {
    const found = await db
      .selectFrom(table)
      .select('key')
      .where('encryption', '=', `aws:kms ${name}`)
      .where(isKeyed)
      .limit(1)
      .execute()
    if (found.length > 0) return true
  }
  const text = JSON.stringify({ algorithm: 'aws:kms', key: name })
  return (await db.selectFrom('buckets').select('id').where('encryption', '=', text).limit(1).execute()).length > 0
}
