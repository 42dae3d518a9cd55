import type { Db, NewRow, Row, Tx } from '../../db/schema.ts'

export type PlanRow = Row<'plans'>

export const insertPlan = (tx: Tx, row: NewRow<'plans'>) => tx.insertInto('plans').values(row).execute()

/** A plan of a credential that is not over. */
export const findPlan = (db: Db, { id, credential }: Pick<PlanRow, 'id' | 'credential'>, now: Date) =>
  db
    .selectFrom('plans')
    .selectAll()
    .where('id', '=', id)
    .where('credential', '=', credential)
    .where('expires_at', '>', now.toISOString())
    .executeTakeFirst()

/** Deletes a plan; false if somebody else has. */
export const deletePlan = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.deleteFrom('plans').where('id', '=', id).executeTakeFirstOrThrow()).numDeletedRows > 0n

/** Deletes the plans that are over, and of a credential all but the latest. */
export async function tidyPlans(
  tx: Tx,
  { credential, keep, now }: { credential: string; keep: number; now: Date },
): Promise<void> {
  await tx.deleteFrom('plans').where('expires_at', '<=', now.toISOString()).execute()
  const latest = tx
    .selectFrom('plans')
    .select('id')
    .where('credential', '=', credential)
    .orderBy('id', 'desc')
    .limit(keep)
  await tx.deleteFrom('plans').where('credential', '=', credential).where('id', 'not in', latest).execute()
}
