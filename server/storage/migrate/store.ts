import { sql } from 'kysely'
import type { Db, Row, Tx } from '../../db/schema.ts'

/** The tables whose rows point at a bucket's contents, in the order in which contents pass through them. */
export const tables = ['objects', 'versions', 'trash'] as const
export type ContentTable = (typeof tables)[number]

/** A row that points at contents, and what is known of these. */
export interface ContentRow {
  key: string
  blob_id: string
  size: number
  sha256: string | null
  etag: string
  md5: string | null
  /** Whether its bytes are on another storage than asked for. */
  elsewhere: boolean
  /** Where it is in the order of its table. */
  at: Position
}
/** The columns that order a table's rows, as an index of it does. */
export type Position = readonly (string | number)[]
const orders = {
  objects: [['key', '>']],
  versions: [
    ['key', '>'],
    ['seq', '<'],
  ],
  trash: [
    ['deleted_at', '>'],
    ['id', '>'],
  ],
} as const satisfies { [T in ContentTable]: readonly (readonly [string, '<' | '>'])[] }

/** The rows of a bucket in a table after a position, in order; null for the first. */
export async function listContents(
  db: Db,
  table: ContentTable,
  {
    bucketId,
    after,
    storage,
    limit,
  }: { bucketId: string; after: Position | null; storage: number | null; limit: number },
): Promise<ContentRow[]> {
  const order = orders[table].map(([name, follows]) => {
    const column = sql.ref<string | number>(`c.${name}`)
    return { name, column, follows: sql.raw(follows), way: sql.raw(follows === '<' ? 'desc' : 'asc') }
  })
  const [first, second] = order
  if (!first) throw new Error('A table without an order')
  const isAfter = (position: Position) =>
    second
      ? sql`and (${first.column} ${first.follows} ${position[0]}
          or (${first.column} = ${position[0]} and ${second.column} ${second.follows} ${position[1]}))`
      : sql`and ${first.column} ${first.follows} ${position[0]}`
  const { rows } = await sql<Omit<ContentRow, 'at'> & { first: string; second: string | number }>`
    select c.key, c.size, c.sha256, c.etag, c.blob_id, b.md5, ${first.column} as first,
      ${(second ?? first).column} as second,
      case when b.inline = 0 and b.storage_id is distinct from ${storage} then 1 else 0 end as elsewhere
    from ${sql.table(table)} c join blobs b on b.id = c.blob_id
    where c.bucket_id = ${bucketId} ${after === null ? sql`` : isAfter(after)}
    order by ${sql.join(order.map(({ column, way }) => sql`${column} ${way}`))}
    limit ${limit}`.execute(db)
  return rows.map(({ first: one, second: two, elsewhere, ...row }) => ({
    ...row,
    size: Number(row.size),
    elsewhere: Number(elsewhere) === 1,
    at: second ? [one, two] : [one],
  }))
}

/** How many rows of a bucket point at contents. */
export async function countContents(db: Db, bucketId: string): Promise<number> {
  let total = 0
  for (const table of tables) {
    const { count } = await db
      .selectFrom(table)
      .select((e) => e.fn.count<number>('blob_id').as('count'))
      .where('bucket_id', '=', bucketId)
      .executeTakeFirstOrThrow()
    total += Number(count)
  }
  return total
}

/**
 * Has everything in a bucket that points at a blob point at its copy, and what jobs have noted of it. Rows of other buckets
 * stay.
 */
export async function replaceBlob(tx: Tx, bucketId: string, from: string, to: string): Promise<void> {
  for (const table of tables)
    await tx
      .updateTable(table)
      .set({ blob_id: to })
      .where('bucket_id', '=', bucketId)
      .where('blob_id', '=', from)
      .execute()
  await tx
    .updateTable('job_moves')
    .set({ blob_id: to })
    .where('bucket_id', '=', bucketId)
    .where('blob_id', '=', from)
    .execute()
  await tx.updateTable('job_items').set({ blob_id: to }).where('blob_id', '=', from).execute()
}

export const setStorage = (tx: Tx, bucketId: string, storage_id: number | null) =>
  tx.updateTable('buckets').set({ storage_id }).where('id', '=', bucketId).execute()

/** Locks a bucket against every other change. */
export const lockBucket = (tx: Tx, name: string): Promise<Row<'buckets'> | undefined> =>
  tx
    .selectFrom('buckets')
    .selectAll()
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
