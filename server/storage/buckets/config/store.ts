import { prepared } from '../../../db/prepared.ts'
import type { Db, NewRow, Row, Tx } from '../../../db/schema.ts'

export type ConfigKind = Row<'bucket_config'>['kind']

/** A live bucket's document of a kind; none if there is no such bucket, or nothing is configured. */
export const findDocument = async (db: Db, name: string, kind: ConfigKind): Promise<string | undefined> =>
  (await byName(db, { name, kind }))[0]?.document
const byName = prepared((db: Db, { name, kind }: { name: string; kind: ConfigKind }) =>
  db
    .selectFrom('bucket_config')
    .innerJoin('buckets', 'buckets.id', 'bucket_config.bucket_id')
    .select('document')
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .where('kind', '=', kind),
)

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
