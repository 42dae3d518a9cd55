import { sql } from 'kysely'
import { countUpToMost, type Queue } from '../../db/count.ts'
import { prepared } from '../../db/prepare.ts'
import type { Db, NewRow, Row, Tx } from '../../db/schema.ts'

const insertOne = prepared((tx: Tx, row: Row<'audit'>) => tx.insertInto('audit_recent').values(row), { blind: true })

export async function insertRecords(tx: Tx, rows: readonly Row<'audit'>[]): Promise<void> {
  const [only] = rows
  if (rows.length === 1 && only) return void (await insertOne(tx, only))
  // PostgreSQL allows 65,535 parameters per statement, SQLite 32,766.
  for (let i = 0; i < rows.length; i += 1000)
    await tx
      .insertInto('audit_recent')
      .values(rows.slice(i, i + 1000))
      .execute()
}

export const listKeys = (db: Db): Promise<Row<'audit_keys'>[]> =>
  db.selectFrom('audit_keys').selectAll().orderBy('created_at').orderBy('id').execute()
export const insertKey = (tx: Tx, row: NewRow<'audit_keys'>) => tx.insertInto('audit_keys').values(row).execute()
export const updateKey = (tx: Tx, id: string, sealed: string) =>
  tx.updateTable('audit_keys').set({ sealed }).where('id', '=', id).execute()

/** How many audit records are not sealed yet, and since when. */
export async function findUnsealed(db: Db): Promise<Queue> {
  const first = await db.selectFrom('audit_recent').select('time').orderBy('id').limit(1).executeTakeFirst()
  return { count: await countUpToMost(db, sql`audit_recent`), since: first?.time ?? null }
}
