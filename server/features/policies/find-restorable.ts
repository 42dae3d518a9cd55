import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/schema.ts'

type Table = 'trash' | 'versions'

/**
 * Names of the existing buckets where something that these runs deleted is left to restore, by run. Looks at one item a
 * bucket and run, since there may be millions: the last, as the first are restored first.
 */
export async function findRestorable(db: Db, runIds: readonly string[]): Promise<Map<string, string[]>> {
  if (runIds.length === 0) return new Map()
  const last = (table: Table, where: RawBuilder<unknown>) =>
    sql`(select d.bucket_id from ${sql.table(table)} d where ${where} order by d.bucket_id desc limit 1)`
  const buckets = (table: Table) => sql`
    select r.id as run_id, ${last(table, sql`d.job_id = r.id`)} as bucket_id
    from policy_runs r where r.id in (${sql.join(runIds)})
    union all
    select f.run_id, ${last(table, sql`d.job_id = f.run_id and d.bucket_id < f.bucket_id`)}
    from ${sql.table(`in_${table}`)} f where f.bucket_id is not null`
  const { rows } = await sql<{ run_id: string; name: string }>`
    with recursive in_trash as (${buckets('trash')}), in_versions as (${buckets('versions')})
    select distinct f.run_id, b.name
    from (select * from in_trash union all select * from in_versions) f
      join buckets b on b.id = f.bucket_id and b.deleted_at is null
    order by b.name`.execute(db)
  return new Map(
    [...Map.groupBy(rows, ({ run_id }) => run_id)].map(([id, found]) => [id, found.map(({ name }) => name)]),
  )
}
