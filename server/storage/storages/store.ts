import type { NewRow, RowChange, Tx } from '../../db/schema.ts'
import type { StorageRow } from '../../drivers/routing/store.ts'

/** Undefined if the name is taken. */
export const insertStorage = (tx: Tx, row: NewRow<'storages'>): Promise<StorageRow | undefined> =>
  tx
    .insertInto('storages')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst()

export const lockStorage = (tx: Tx, name: string): Promise<StorageRow | undefined> =>
  tx.selectFrom('storages').selectAll().where('name', '=', name).forUpdate().executeTakeFirst()

/** Locked, so that it cannot be deleted or turned off meanwhile. */
export const shareStorage = (tx: Tx, name: string): Promise<StorageRow | undefined> =>
  tx.selectFrom('storages').selectAll().where('name', '=', name).forShare().executeTakeFirst()

export const lockAllStorages = (tx: Tx): Promise<StorageRow[]> =>
  tx.selectFrom('storages').selectAll().orderBy('id').forUpdate().execute()

export const updateStorage = (tx: Tx, id: number, change: RowChange<'storages'>) =>
  tx.updateTable('storages').set(change).where('id', '=', id).execute()

export const deleteStorage = (tx: Tx, id: number) => tx.deleteFrom('storages').where('id', '=', id).execute()
