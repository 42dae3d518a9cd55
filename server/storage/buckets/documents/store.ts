// The documents of buckets: lifecycle, CORS, policy and the like, a row each.
import type { NewRow, Row, Tx } from '../../../db/schema.ts'

export type ConfigKind = Row<'bucket_config'>['kind']

export const putDocument = (tx: Tx, row: NewRow<'bucket_config'>) =>
  tx
    .insertInto('bucket_config')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['bucket_id', 'kind']).doUpdateSet((e) => ({
        document: e.ref('excluded.document'),
        updated_at: e.ref('excluded.updated_at'),
        updated_by: e.ref('excluded.updated_by'),
      })),
    )
    .execute()

export const deleteDocument = (tx: Tx, bucketId: string, kind: ConfigKind) =>
  tx.deleteFrom('bucket_config').where('bucket_id', '=', bucketId).where('kind', '=', kind).execute()
