import type { Db, Row, Tx } from '../db/schema.ts'

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
