import { afterPrefix } from '../../contract/permissions.ts'
import { prepared } from '../db/prepared.ts'
import type { Db, Row, Tx } from '../db/schema.ts'

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
  bucket?: string
  objectKeyPrefix?: string
  userId?: string
  email?: string
  result?: Row<'audit'>['result']
  authMethod?: string
  tokenId?: string
  ip?: string
  requestId?: string
  from?: string
  to?: string
}

function matching(db: Db, filter: Filter) {
  let query = db.selectFrom('audit')
  if (filter.actions.length > 0) query = query.where('action', 'in', filter.actions)
  const equal = {
    bucket: filter.bucket,
    actor_user_id: filter.userId,
    actor_email: filter.email,
    result: filter.result,
    auth_method: filter.authMethod,
    token_id: filter.tokenId,
    actor_ip: filter.ip,
    request_id: filter.requestId,
  }
  for (const [column, value] of Object.entries(equal))
    if (value !== undefined) query = query.where(column as keyof typeof equal, '=', value)
  if (filter.objectKeyPrefix) {
    query = query.where('object_key', '>=', filter.objectKeyPrefix)
    const end = afterPrefix(filter.objectKeyPrefix)
    if (end !== null) query = query.where('object_key', '<', end)
  }
  if (filter.from) query = query.where('time', '>=', filter.from)
  if (filter.to) query = query.where('time', '<', filter.to)
  return query
}

/** A page of matching records, latest first. */
export const findRecords = (db: Db, filter: Filter, offset: number, limit: number): Promise<Row<'audit'>[]> =>
  matching(db, filter).selectAll().orderBy('time', 'desc').orderBy('id', 'desc').offset(offset).limit(limit).execute()

/** How many records match, counted up to `most`. */
export async function countRecords(db: Db, filter: Filter, most: number): Promise<number> {
  const { count } = await db
    .selectFrom(matching(db, filter).select('id').limit(most).as('matching'))
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
