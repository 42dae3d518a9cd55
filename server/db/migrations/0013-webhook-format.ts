import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** In which form an endpoint gets its events. */
export const webhookFormat = ({ text }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await sql.raw(`alter table webhooks add column format ${text} default 'strongroom' not null`).execute(db)
  },
})
