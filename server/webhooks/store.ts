import { prepared } from '../db/prepared.ts'
import type { Db, NewRow, Tx } from '../db/schema.ts'

const enabled = prepared((db: Db, _none: object) =>
  db.selectFrom('webhook_endpoints').select(['id', 'events']).where('disabled_at', 'is', null),
)
/** The endpoints events are queued for. */
export const findEnabledEndpoints = (db: Db) => enabled(db, {})

export async function insertDeliveries(tx: Tx, rows: readonly NewRow<'webhook_deliveries'>[]): Promise<void> {
  for (let i = 0; i < rows.length; i += 1000)
    await tx
      .insertInto('webhook_deliveries')
      .values(rows.slice(i, i + 1000))
      .execute()
}
