import { sql } from 'kysely'
import { afterPrefix } from '../../../contract/permissions.ts'
import type { Db, Row } from '../../db/schema.ts'

export interface Filter {
  actions: readonly string[]
  bucket?: string | undefined
  objectKeyPrefix?: string | undefined
  userId?: string | undefined
  email?: string | undefined
  result?: Row<'audit'>['result'] | undefined
  authMethod?: string | undefined
  tokenId?: string | undefined
  resourceId?: string | undefined
  ip?: string | undefined
  requestId?: string | undefined
  from?: string | undefined
  to?: string | undefined
}
/** Where a list continues: after this record, which may be gone. */
export interface Position {
  time: string
  id: string
}
type Place = Position | undefined

type EqualColumn =
  | ('request_id' | 'token_id' | 'resource_id' | 'actor_user_id' | 'actor_email' | 'actor_ip')
  | ('bucket' | 'action' | 'auth_method' | 'result')

/** The columns filtered by equality, most selective first. */
function equalities(filter: Filter): [column: EqualColumn, value: string][] {
  const columns: { [C in EqualColumn]: string | undefined } = {
    request_id: filter.requestId,
    token_id: filter.tokenId,
    resource_id: filter.resourceId,
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
const sealed = (db: Db) => db.selectFrom('audit_sealed as audit')
type Query = ReturnType<typeof sealed>

/** The index for the other results is limited to `result <> 'success'`; a literal lets the planner match it. */
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
/** `unindexed` compares keys in a way no index serves, so that the index on times is read. */
function underPrefix(query: Query, prefix: string | undefined, unindexed = false): Query {
  if (!prefix) return query
  const end = afterPrefix(prefix)
  const key = unindexed ? sql<string>`object_key || ''` : sql.ref<string>('object_key')
  const begun = query.where(key, '>=', prefix)
  return end === null ? begun : begun.where(key, '<', end)
}
function matching(from: Query, filter: Filter, after: Place, unindexed?: boolean): Query {
  let query = within(from, filter, after)
  for (const [column, value] of equalities(filter)) query = equal(query, column, value)
  if (filter.actions.length > 1) query = query.where('action', 'in', filter.actions)
  return underPrefix(query, filter.objectKeyPrefix, unindexed)
}

const recent = (db: Db) => db.selectFrom('audit_recent as audit') as unknown as Query

/** Counts matching records, up to `most`. */
export async function countRecords(db: Db, filter: Filter, most: number): Promise<number> {
  let sum = 0
  for (const table of [recent(db), sealed(db)]) {
    const { count } = await db
      .selectFrom(matching(table, filter, undefined).select('id').limit(most).as('matching'))
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    sum += count
  }
  return sum
}

/** Finds one record. Looks among the unsealed first, so that one being sealed meanwhile is not missed. */
export async function findRecord(db: Db, id: string): Promise<Row<'audit'> | undefined> {
  for (const table of [recent(db), sealed(db)]) {
    const row = await table.selectAll().where('id', '=', id).executeTakeFirst()
    if (row) return row
  }
  return undefined
}

export interface Page {
  after: Position | undefined
  offset: number
  limit: number
}
/**
 * A page of matching records, latest first. `few`: so few match that a prefix's index finds them all fastest. Recent
 * records are read before the sealed ones, so that one sealed meanwhile is seen twice rather than missed.
 */
export async function findRecords(db: Db, filter: Filter, page: Page, few: boolean): Promise<Row<'audit'>[]> {
  const { after, offset, limit } = page
  const waiting = await latest(matching(recent(db), filter, after), offset + limit)
  // At least this many sealed records come before the page.
  const skipped = Math.max(0, offset - waiting.length)
  const rows = await findSealed(db, filter, { after, offset: skipped, limit: offset - skipped + limit }, few)
  const known = new Set(rows.map(({ id }) => id))
  const merged = [...waiting.filter(({ id }) => !known.has(id)), ...rows].sort(byTime)
  return merged.slice(offset - skipped, offset - skipped + limit)
}
/** Latest first. Ids are hex digits and hyphens, which JavaScript and both databases order alike. */
const byTime = (a: Row<'audit'>, b: Row<'audit'>): number =>
  a.time === b.time ? (a.id < b.id ? 1 : -1) : a.time < b.time ? 1 : -1

const latest = (query: Query, limit: number, offset = 0): Promise<Row<'audit'>[]> =>
  query.selectAll().orderBy('time', 'desc').orderBy('id', 'desc').offset(offset).limit(limit).execute()

/**
 * With `few`, matches of a prefix are found by its index and then sorted; otherwise the latest are near the end of the
 * index on times. Every other filter has an index in the order of the page.
 */
async function findSealed(db: Db, filter: Filter, page: Page, few: boolean): Promise<Row<'audit'>[]> {
  const { after, offset, limit } = page
  if (equalities(filter).length > 0) return latest(matching(sealed(db), filter, after, true), limit, offset)
  if (filter.objectKeyPrefix) {
    const late = few ? [] : await amongLatest(db, filter, after, offset + limit)
    return late.length === offset + limit ? late.slice(offset) : inOrder(db, matching(sealed(db), filter, after), page)
  }
  return filter.actions.length > 1
    ? mergeActions(db, filter, page)
    : latest(matching(sealed(db), filter, after), limit, offset)
}

/**
 * Sorts and cuts a query's results, which need not come in order. The inner limit keeps the planner from reading
 * everything in order instead.
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
    .innerJoin('audit_sealed as audit', 'audit.id', 'page.id')
    .selectAll('audit')
    .orderBy('page.time', 'desc')
    .orderBy('page.id', 'desc')
    .execute()

const LATEST = 5000
/** Matches among the latest 5,000 records. */
function amongLatest(db: Db, filter: Filter, after: Place, limit: number): Promise<Row<'audit'>[]> {
  const slice = within(sealed(db), filter, after)
    .selectAll()
    .orderBy('time', 'desc')
    .orderBy('id', 'desc')
    .limit(LATEST)
  const from = db.selectFrom(slice.as('audit')) as unknown as Query
  return latest(matching(from, { ...filter, from: undefined, to: undefined }, undefined), limit)
}

/** Merges the latest records of each action: the index on actions returns each action's in order. */
async function mergeActions(db: Db, filter: Filter, { after, offset, limit }: Page): Promise<Row<'audit'>[]> {
  const ids = [...new Set(filter.actions)].map((action) =>
    db
      .selectFrom(
        equal(within(sealed(db), filter, after), 'action', action)
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
    .innerJoin('audit_sealed as audit', 'audit.id', 'found.id')
    .selectAll('audit')
    .orderBy('found.time', 'desc')
    .orderBy('found.id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
}

/**
 * Matches among the next `limit` sealed records that the filter's first column selects, and the last record examined.
 * Reading slice by slice costs the same however few match, and no query takes long.
 */
export async function findSealedSlice(db: Db, filter: Filter, after: Place, limit: number) {
  const lead = equalities(filter)[0]
  const some = within(sealed(db), filter, after)
  const led = lead ? equal(some, lead[0], lead[1]) : some
  const rows = await latest(led, limit)
  const wanted = equalities(filter)
  const actions = new Set(filter.actions)
  const fits = (row: Row<'audit'>) =>
    wanted.every(([column, value]) => row[column] === value) &&
    (actions.size === 0 || actions.has(row.action)) &&
    (row.object_key ?? '').startsWith(filter.objectKeyPrefix ?? '')
  return { rows: rows.filter(fits), last: rows.length === limit ? rows.at(-1) : undefined }
}
