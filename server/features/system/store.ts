import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'

/** The cheapest possible query. */
export const selectOne = (db: Db) => db.selectNoFrom(sql<number>`1`.as('one')).executeTakeFirstOrThrow()
