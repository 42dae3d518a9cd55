import { sql } from 'kysely'
import { afterPrefix } from '../../contract/permissions.ts'
import { prepared } from '../db/prepared.ts'
import type { Db, NewRow, Row, Tx } from '../db/schema.ts'

const insertOne = prepared((tx: Tx, row: Row<'audit'>) => tx.insertInto('audit').values(row))

export async function insertRecords(tx: Tx, rows: readonly Row<'audit'>[]): Promise<void> {
  const [only] = rows
  if (rows.length === 1 && only) return void (await insertOne(tx, only))
  // PostgreSQL takes 65,535 parameters a statement, SQLite 32,766.
  for (let i = 0; i < rows.length; i += 1000)
    await tx
      .insertInto('audit')
      .values(rows.slice(i, i + 1000))
      .execute()
}

export interface Filter {
  actions: readonly string[]
  bucket?: string | undefined
  objectKeyPrefix?: string | undefined
  userId?: string | undefined
  email?: string | undefined
  result?: Row<'audit'>['result'] | undefined
  authMethod?: string | undefined
  tokenId?: string | undefined
  ip?: string | undefined
  requestId?: string | undefined
  from?: string | undefined
  to?: string | undefined
}
/** Where a list is read on from: behind this record, which may be gone. */
export interface Position {
  time: string
  id: string
}
type Place = Position | undefined

type EqualColumn =
  | ('request_id' | 'token_id' | 'actor_user_id' | 'actor_email' | 'actor_ip')
  | ('bucket' | 'action' | 'auth_method' | 'result')

/** The columns that are asked for by equality, those first that leave the fewest records. */
function equalities(filter: Filter): [column: EqualColumn, value: string][] {
  const columns: { [C in EqualColumn]: string | undefined } = {
    request_id: filter.requestId,
    token_id: filter.tokenId,
    actor_user_id: filter.userId,
    actor_email: filter.email,
    actor_ip: filter.ip,
    bucket: filter.bucket,
    action: filter.actions.length === 1 ? filter.actions[0] : undefined,
    auth_method: filter.authMethod,
    result: filter.result,
  }
  return Object.entries(columns).flatMap(([column, value]) =>
    value === undefined ? [] : [[column as EqualColumn, value]],
  )
}
const all = (db: Db) => db.selectFrom('audit')
type Query = ReturnType<typeof all>

/** `result <> 'success'` is what the index of the others is limited to; said as a text, so that the planner sees it. */
function equal(query: Query, column: EqualColumn, value: string): Query {
  const narrowed = query.where(sql.ref<string>(column), '=', value)
  return column === 'result' && value !== 'success' ? narrowed.where(sql<boolean>`result <> 'success'`) : narrowed
}
function within(query: Query, { from, to }: Filter, after: Place): Query {
  let narrowed = query
  if (from !== undefined) narrowed = narrowed.where('time', '>=', from)
  if (to !== undefined) narrowed = narrowed.where('time', '<', to)
  if (after) narrowed = narrowed.where(sql<boolean>`(time, id) < (${after.time}, ${after.id})`)
  return narrowed
}
/** `unindexed` asks for the keys in a way that no index serves: the one on times is to be read. */
function underPrefix(query: Query, prefix: string | undefined, unindexed = false): Query {
  if (!prefix) return query
  const end = afterPrefix(prefix)
  const key = unindexed ? sql<string>`object_key || ''` : sql.ref<string>('object_key')
  const begun = query.where(key, '>=', prefix)
  return end === null ? begun : begun.where(key, '<', end)
}
const matching = (db: Db, filter: Filter, after: Place, unindexed?: boolean): Query => {
  let query = within(all(db), filter, after)
  for (const [column, value] of equalities(filter)) query = equal(query, column, value)
  if (filter.actions.length > 1) query = query.where('action', 'in', filter.actions)
  return underPrefix(query, filter.objectKeyPrefix, unindexed)
}

/** How many records match, counted up to `most`. */
export async function countRecords(db: Db, filter: Filter, most: number): Promise<number> {
  const { count } = await db
    .selectFrom(matching(db, filter, undefined).select('id').limit(most).as('matching'))
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export interface Page {
  after: Position | undefined
  offset: number
  limit: number
}
/**
 * A page of matching records, latest first. What matches `few` of them is found by the index of the filter and put in
 * order; of what many match the latest are near the end of the index on times.
 */
export async function findRecords(db: Db, filter: Filter, page: Page, few: boolean): Promise<Row<'audit'>[]> {
  const { after, offset, limit } = page
  const narrow = equalities(filter).length > 0
  if (filter.objectKeyPrefix && !narrow) {
    if (few) return inOrder(db, matching(db, filter, after), page)
    const recent = await recentOnes(db, filter, after, offset + limit)
    if (recent.length === offset + limit) return recent.slice(offset)
    // None of late: all of them are looked through, in the index alone.
    return inOrder(db, matching(db, filter, after), page)
  }
  if (filter.actions.length > 1 && !narrow) return mergeActions(db, filter, page)
  const rows = matching(db, filter, after, true).selectAll().orderBy('time', 'desc').orderBy('id', 'desc')
  return rows.offset(offset).limit(limit).execute()
}

/**
 * The page of all that a query finds, which need not come in order. The limit keeps the planner from reading everything
 * in order instead.
 */
const inOrder = (db: Db, query: Query, { offset, limit }: Page): Promise<Row<'audit'>[]> =>
  db
    .selectFrom(
      db
        .selectFrom(query.select(['time', 'id']).limit(Number.MAX_SAFE_INTEGER).as('found'))
        .select(['time', 'id'])
        .orderBy('time', 'desc')
        .orderBy('id', 'desc')
        .offset(offset)
        .limit(limit)
        .as('page'),
    )
    .innerJoin('audit', 'audit.id', 'page.id')
    .selectAll('audit')
    .orderBy('page.time', 'desc')
    .orderBy('page.id', 'desc')
    .execute()

const RECENT = 20_000
/** The matching ones among the latest 20,000 records. */
async function recentOnes(db: Db, filter: Filter, after: Place, limit: number): Promise<Row<'audit'>[]> {
  const slice = within(all(db), filter, after).selectAll().orderBy('time', 'desc').orderBy('id', 'desc').limit(RECENT)
  let query = db.selectFrom(slice.as('audit')).selectAll() as unknown as Query
  if (filter.actions.length > 0) query = query.where('action', 'in', filter.actions)
  return underPrefix(query, filter.objectKeyPrefix)
    .selectAll()
    .orderBy('time', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** The latest of each action, merged: the index on actions has each of them in order. */
async function mergeActions(db: Db, filter: Filter, { after, offset, limit }: Page): Promise<Row<'audit'>[]> {
  const ids = [...new Set(filter.actions)].map((action) =>
    db
      .selectFrom(
        equal(within(all(db), filter, after), 'action', action)
          .select(['time', 'id'])
          .orderBy('time', 'desc')
          .orderBy('id', 'desc')
          .limit(offset + limit)
          .as('one'),
      )
      .select(['time', 'id']),
  )
  const [first, ...rest] = ids
  if (!first) return []
  const found = rest.reduce((union, one) => union.unionAll(one) as typeof union, first)
  return db
    .selectFrom(found.as('found'))
    .innerJoin('audit', 'audit.id', 'found.id')
    .selectAll('audit')
    .orderBy('found.time', 'desc')
    .orderBy('found.id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
}

/**
 * The matching ones among the next `limit` records that the first of the filter's columns leaves, and the last record
 * looked at: reading on by slices costs as much however few match, and no query takes long.
 */
export async function findSlice(db: Db, filter: Filter, after: Place, limit: number) {
  const lead = equalities(filter)[0]
  const some = within(all(db), filter, after)
  const led = lead ? equal(some, lead[0], lead[1]) : some
  const rows = await led.selectAll().orderBy('time', 'desc').orderBy('id', 'desc').limit(limit).execute()
  const wanted = equalities(filter)
  const actions = new Set(filter.actions)
  const fits = (row: Row<'audit'>) =>
    wanted.every(([column, value]) => row[column] === value) &&
    (actions.size === 0 || actions.has(row.action)) &&
    (row.object_key ?? '').startsWith(filter.objectKeyPrefix ?? '')
  return { rows: rows.filter(fits), last: rows.length === limit ? rows.at(-1) : undefined }
}

export const listKeys = (db: Db): Promise<Row<'audit_keys'>[]> =>
  db.selectFrom('audit_keys').selectAll().orderBy('created_at').orderBy('id').execute()
export const insertKey = (tx: Tx, row: NewRow<'audit_keys'>) => tx.insertInto('audit_keys').values(row).execute()
export const updateKey = (tx: Tx, id: string, sealed: string) =>
  tx.updateTable('audit_keys').set({ sealed }).where('id', '=', id).execute()
