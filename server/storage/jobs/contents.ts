import { sql } from 'kysely'
import { isExternal } from '../../blobs/store.ts'
import type { Db } from '../../db/schema.ts'

/** The tables whose rows point at a bucket's contents, in the order in which contents pass through them. */
export const tables = ['objects', 'versions', 'trash', 'history_contents'] as const
export type ContentTable = (typeof tables)[number]

/** A row that points at contents, and what is known of these. */
export interface ContentRow {
  key: string
  blob_id: string
  size: number
  sha256: string | null
  etag: string
  md5: string | null
  /** How it is encrypted, as its own row has it, and as its blob's. */
  encryption: string | null
  envelope: string | null
  /** Whether its bytes are on another storage than asked for, or among what others keep. */
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
  history_contents: [['blob_id', '>']],
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
    select c.key, c.size, c.sha256, c.etag, c.blob_id, c.encryption, b.md5, b.envelope, ${first.column} as first,
      ${(second ?? first).column} as second,
      case when b.inline = 0 and (b.storage_id is distinct from ${storage} or ${isExternal('b.id')})
        then 1 else 0 end as elsewhere
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
