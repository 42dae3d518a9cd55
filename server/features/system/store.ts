import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'

/** The cheapest question a database can be asked. */
export const selectOne = (db: Db) => db.selectNoFrom(sql<number>`1`.as('one')).executeTakeFirstOrThrow()
