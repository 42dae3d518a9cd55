// What every statement writes that changes an object: when that was, and who did it. The functions are the connection's on
// SQLite, and the database's on PostgreSQL.
import { type Expression, sql } from 'kysely'
import type { ObjectRow, Tx } from './schema.ts'

interface MomentColumns {
  moment: Expression<number>
  author: Expression<number | null>
}
const author = sql<number | null>`strongroom_author()`
const OVER: MomentColumns = { moment: sql<number>`strongroom_moment(objects.moment)`, author }
const NEW: MomentColumns = { moment: sql<number>`strongroom_moment(0)`, author }

/** The columns that every change of an object sets as well: then a trigger keeps what it was before. */
export const changed = (): MomentColumns => OVER

/** An object as it is inserted. A trigger sees to it that its moment is not before the end of what was under its key. */
export const inserted = (row: ObjectRow): ObjectRow & MomentColumns => ({ ...row, ...NEW })

/** Step: draws the moment of the transaction that runs, which is later than `floor`, before it has changed any object. */
export async function drawMoment(tx: Tx, floor: number): Promise<number> {
  const { moment } = await tx
    .selectNoFrom(sql<number>`strongroom_moment(${floor})`.as('moment'))
    .executeTakeFirstOrThrow()
  return Number(moment)
}
