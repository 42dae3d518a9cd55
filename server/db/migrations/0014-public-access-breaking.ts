import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

const GROUP = '00000000-0000-7000-8000-000000000001'

/**
 * Public access: what ACLs say of objects, and the group of everyone. Only adds nullable columns, so it takes no longer on
 * large tables. Breaking because an earlier release would give copies of an object its ACL.
 */
export const publicAccess = ({ text }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const table of ['objects', 'versions', 'trash', 'uploads'])
      await sql.raw(`alter table ${table} add column acl ${text}`).execute(db)
    const isTaken = sql`exists (select 1 from groups where name_key = 'public')`
    await sql`insert into groups (id, name, name_key, description, builtin, global, created_at)
      select ${GROUP},
        case when ${isTaken} then 'Public (built-in)' else 'Public' end,
        case when ${isTaken} then 'public (built-in)' else 'public' end,
        'Everyone, without signing in, at the S3 endpoint.', 'public', '[]', ${new Date().toISOString()}
      where true`.execute(db)
  },
})
