import type { Tx } from '../../db/schema.ts'
import type { Usage } from './quotas/store.ts'

/** What the tables hold for a bucket. */
export async function measureBucket(tx: Tx, bucketId: string): Promise<Usage> {
  const sumOf = async (table: 'objects' | 'trash' | 'versions') =>
    tx
      .selectFrom(table)
      .select((e) => [
        e.fn.coalesce(e.fn.sum<number>('size'), e.lit(0)).as('bytes'),
        e.fn.countAll<number>().as('count'),
        e.fn.coalesce(e.fn.sum<number>('size').filterWhere('encryption', 'is not', null), e.lit(0)).as('encrypted'),
        e.fn.count<number>('encryption').as('encrypted_count'),
      ])
      .where('bucket_id', '=', bucketId)
      .executeTakeFirstOrThrow()
  const objects = await sumOf('objects')
  const trash = await sumOf('trash')
  const versions = await sumOf('versions')
  const history = await tx
    .selectFrom('history_contents')
    .select((e) => e.fn.coalesce(e.fn.sum<number>('size'), e.lit(0)).as('bytes'))
    .where('bucket_id', '=', bucketId)
    .executeTakeFirstOrThrow()
  const uploads = await tx
    .selectFrom('uploads')
    .select((e) => e.fn.coalesce(e.fn.sum<number>('reserved'), e.lit(0)).as('bytes'))
    .where('bucket_id', '=', bucketId)
    .executeTakeFirstOrThrow()
  return {
    bytes: objects.bytes + versions.bytes,
    objects: objects.count,
    trash_bytes: trash.bytes,
    version_bytes: versions.bytes,
    encrypted_bytes: objects.encrypted + versions.encrypted,
    encrypted_objects: objects.encrypted_count,
    history_bytes: history.bytes,
    reserved: uploads.bytes,
  }
}
