import { type Kysely, type Migration, sql } from 'kysely'

/** What happened to one policy, user or webhook, latest first. Only adds an index. */
export const auditByResource = (): Migration => ({
  async up(db: Kysely<never>) {
    await sql
      .raw('create index audit_resource on audit_sealed (resource_id, time, id) where resource_id is not null')
      .execute(db)
  },
})
