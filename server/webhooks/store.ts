import type { Db, NewRow, Row, Tx } from '../db/schema.ts'

export const findEnabledEndpoints = (db: Db): Promise<Pick<Row<'webhook_endpoints'>, 'id' | 'events'>[]> =>
  db.selectFrom('webhook_endpoints').select(['id', 'events']).where('disabled_at', 'is', null).execute()

export async function insertDeliveries(tx: Tx, rows: readonly NewRow<'webhook_deliveries'>[]): Promise<void> {
  for (let i = 0; i < rows.length; i += 1000)
    await tx
      .insertInto('webhook_deliveries')
      .values(rows.slice(i, i + 1000))
      .execute()
}
