import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { isInSnapshot } from '../../blobs/history/store.ts'
import { isExternal } from '../../blobs/store.ts'
import type { Db } from '../../db/schema.ts'

/** The tables whose rows point at a bucket's contents, in the order in which contents pass through them. */
export const tables = ['objects', 'versions', 'trash', 'history_contents', 'former_objects'] as const
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
  /** Whether the row keeps its contents: of what objects were, only what a snapshot needs and nothing else in the bucket has. */
  kept: boolean
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
  former_objects: [
    ['ended', '>'],
    ['moment', '>'],
    ['key', '>'],
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
  const order = orders[table].map(([name, follows], i) => ({
    column: sql.ref<string | number>(`c.${name}`),
    follows: sql.raw(follows),
    way: sql.raw(follows === '<' ? 'desc' : 'asc'),
    as: sql.ref(PLACES[i] ?? ''),
  }))
  const kept = table === 'former_objects' ? IS_KEPT_ALONE : sql<SqlBool>`1 = 1`
  const { rows } = await sql<Omit<ContentRow, 'at' | 'kept'> & { kept: number } & { [name: string]: string | number }>`
    select c.key, c.size, c.sha256, c.etag, c.blob_id, c.encryption, b.md5, b.envelope,
      ${sql.join(order.map(({ column, as }) => sql`${column} as ${as}`))},
      case when ${kept} then 1 else 0 end as kept,
      case when b.inline = 0 and (b.storage_id is distinct from ${storage} or ${isExternal('b.id')}) and ${kept}
        then 1 else 0 end as elsewhere
    from ${sql.table(table)} c ${sql.raw(table === 'former_objects' ? 'left join' : 'join')} blobs b on b.id = c.blob_id
    where c.bucket_id = ${bucketId} ${after === null ? sql`` : sql`and ${isAfter(order, after)}`}
    order by ${sql.join(order.map(({ column, way }) => sql`${column} ${way}`))}
    limit ${limit}`.execute(db)
  return rows.map(({ elsewhere, kept: isKept, ...row }) => ({
    ...row,
    size: Number(row.size),
    elsewhere: Number(elsewhere) === 1,
    kept: Number(isKept) === 1,
    at: order.map((_, n) => row[PLACES[n] ?? ''] ?? ''),
  }))
}

/** What the columns of a row's position are called. */
const PLACES = ['first', 'second', 'third'] as const

/** Whether a snapshot needs the contents of a row of `former_objects`, and no other row of the bucket has them. */
const IS_KEPT_ALONE = sql<SqlBool>`(b.id is not null and ${isInSnapshot('c')}
  and not exists (select 1 from objects o where o.blob_id = c.blob_id and o.bucket_id = c.bucket_id)
  and not exists (select 1 from versions v where v.blob_id = c.blob_id and v.bucket_id = c.bucket_id)
  and not exists (select 1 from trash t where t.blob_id = c.blob_id and t.bucket_id = c.bucket_id)
  and not exists (select 1 from history_contents h where h.blob_id = c.blob_id and h.bucket_id = c.bucket_id))`

interface Ordered {
  column: RawBuilder<unknown>
  follows: RawBuilder<unknown>
}

/** Whether a row comes after a position in an order. Begins with a bound of the first column, from which an index is read. */
function isAfter([first, ...rest]: readonly Ordered[], [value, ...values]: Position): RawBuilder<unknown> {
  if (!first) return sql`1 = 0`
  const { column, follows } = first
  return rest.length === 0
    ? sql`${column} ${follows} ${value}`
    : sql`(${column} ${follows}= ${value} and (${column} ${follows} ${value} or ${isAfter(rest, values)}))`
}

/** How many rows of a bucket point at contents, but for those of what objects were, which are very many and rarely do. */
export async function countContents(db: Db, bucketId: string): Promise<number> {
  let total = 0
  for (const table of tables) {
    if (table === 'former_objects') continue
    const { count } = await db
      .selectFrom(table)
      .select((e) => e.fn.count<number>('blob_id').as('count'))
      .where('bucket_id', '=', bucketId)
      .executeTakeFirstOrThrow()
    total += Number(count)
  }
  return total
}
