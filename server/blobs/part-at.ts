import type { Db, Row } from '../db/schema.ts'

/** The part that takes up exactly these bytes of a blob that was uploaded in parts. */
export const findPartAt = (
  db: Db,
  id: string,
  { start, size }: { start: number; size: number },
): Promise<Row<'blob_parts'> | undefined> =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('blob_parts')
        .selectAll()
        .select((e) =>
          e.fn
            .sum<number>('size')
            .over((over) => over.orderBy('part_number'))
            .as('until'),
        )
        .where('blob_id', '=', id)
        .as('parts'),
    )
    .select(['blob_id', 'part_number', 'size', 'md5', 'checksum'])
    .where('until', '=', start + size)
    .where('size', '=', size)
    .executeTakeFirst()
