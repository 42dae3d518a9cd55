import type { Db, NewRow, Row, RowChange, Tx } from '../../db/schema.ts'

export type ProviderRow = Row<'oidc_providers'>

/** False if there is one for the issuer. */
export const insertProvider = async (tx: Tx, row: NewRow<'oidc_providers'>): Promise<boolean> =>
  (
    await tx
      .insertInto('oidc_providers')
      .values(row)
      .onConflict((conflict) => conflict.column('issuer_key').doNothing())
      .returning('issuer_key')
      .execute()
  ).length > 0

export const updateProvider = (tx: Tx, issuerKey: string, change: RowChange<'oidc_providers'>) =>
  tx.updateTable('oidc_providers').set(change).where('issuer_key', '=', issuerKey).execute()

export const deleteProvider = (tx: Tx, issuerKey: string) =>
  tx.deleteFrom('oidc_providers').where('issuer_key', '=', issuerKey).execute()

export const findProvider = (db: Db, issuerKey: string): Promise<ProviderRow | undefined> =>
  db.selectFrom('oidc_providers').selectAll().where('issuer_key', '=', issuerKey).executeTakeFirst()

export const lockProvider = (tx: Tx, issuerKey: string): Promise<ProviderRow | undefined> =>
  tx.selectFrom('oidc_providers').selectAll().where('issuer_key', '=', issuerKey).forUpdate().executeTakeFirst()

/** One that stays as it is until the transaction ends; many may hold it at once. */
export const holdProvider = (tx: Tx, issuerKey: string): Promise<ProviderRow | undefined> =>
  tx.selectFrom('oidc_providers').selectAll().where('issuer_key', '=', issuerKey).forShare().executeTakeFirst()

/** All of them: there are a hundred at most. */
export const listProviders = (db: Db): Promise<ProviderRow[]> =>
  db.selectFrom('oidc_providers').selectAll().orderBy('issuer_key').execute()
