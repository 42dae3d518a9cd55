import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/**
 * Object Lock. Only adds nullable columns, so it takes no longer on large tables. Breaking because an earlier release
 * would delete what is locked.
 */
export const objectLock = ({ text, integer, timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    const locked = ['objects', 'versions', 'trash'].flatMap((table) => [
      `alter table ${table} add column lock_mode ${text}`,
      `alter table ${table} add column locked_until ${timestamp}`,
      `alter table ${table} add column legal_hold ${integer}`,
    ])
    for (const statement of [
      ...locked,
      `alter table buckets add column object_lock ${text}`,
      `alter table uploads add column lock ${text}`,
      `alter table instance add column clock_trusted_at ${timestamp}`,
    ])
      await sql.raw(statement).execute(db)
  },
})
