import type { KeyRange } from '../../../contract/permissions.ts'
import type { Db } from '../../db/schema.ts'

/**
 * How many files are among the first `most` objects of a range, and their bytes; markers of folders are none. `seen` is how
 * many objects were looked at.
 */
export async function sumRange(db: Db, bucketId: string, { from, to }: KeyRange, most: number) {
  const open = db.selectFrom('objects').where('bucket_id', '=', bucketId).where('key', '>=', from)
  const range = to === null ? open : open.where('key', '<', to)
  const row = await db
    .selectFrom(range.select(['key', 'size']).orderBy('key').limit(most).as('some'))
    .select((e) => [
      e.fn.countAll<number>().as('seen'),
      e.fn
        .count<number>('key')
        .filterWhere((w) => w.or([w('size', '>', 0), w('key', 'not like', '%/')]))
        .as('files'),
      e.fn.sum<number | null>('size').as('bytes'),
    ])
    .executeTakeFirstOrThrow()
  return { seen: Number(row.seen), files: Number(row.files), bytes: Number(row.bytes ?? 0) }
}
