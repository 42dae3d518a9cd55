import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'
import type { Usage } from './quotas/store.ts'

/** The counters of a bucket. */
export const counters = [
  'bytes',
  'objects',
  'trash_bytes',
  'version_bytes',
  'encrypted_bytes',
  'encrypted_objects',
  'history_bytes',
  'reserved',
] as const satisfies readonly (keyof Usage)[]

export interface Counted extends Usage {
  id: string
  name: string
  /** Whether its bytes count against the quota over all buckets. */
  owned: boolean
}

/**
 * What the tables hold for each bucket and what its counters say, in one statement, since writers continue meanwhile.
 */
export async function compareUsage(db: Db): Promise<{ held: Counted; counted: Counted }[]> {
  const { rows } = await sql<{ [column: string]: string | number | null }>`
    select b.id, coalesce(b.former_name, b.name) as name, b.mode,
      coalesce((select sum(size) from objects o where o.bucket_id = b.id), 0)
        + coalesce((select sum(size) from versions v where v.bucket_id = b.id), 0) as held_bytes,
      (select count(*) from objects o where o.bucket_id = b.id) as held_objects,
      coalesce((select sum(size) from trash t where t.bucket_id = b.id), 0) as held_trash_bytes,
      coalesce((select sum(size) from versions v where v.bucket_id = b.id), 0) as held_version_bytes,
      coalesce((select sum(size) from objects o where o.bucket_id = b.id and o.encryption is not null), 0)
        + coalesce((select sum(size) from versions v where v.bucket_id = b.id and v.encryption is not null), 0)
        as held_encrypted_bytes,
      (select count(encryption) from objects o where o.bucket_id = b.id) as held_encrypted_objects,
      coalesce((select sum(size) from history_contents h where h.bucket_id = b.id), 0) as held_history_bytes,
      coalesce((select sum(reserved) from uploads u where u.bucket_id = b.id), 0) as held_reserved,
      coalesce((select sum(bytes) from bucket_usage s where s.bucket_id = b.id), 0) as counted_bytes,
      coalesce((select sum(objects) from bucket_usage s where s.bucket_id = b.id), 0) as counted_objects,
      coalesce((select sum(trash_bytes) from bucket_usage s where s.bucket_id = b.id), 0) as counted_trash_bytes,
      coalesce((select sum(version_bytes) from bucket_usage s where s.bucket_id = b.id), 0) as counted_version_bytes,
      coalesce((select sum(encrypted_bytes) from bucket_usage s where s.bucket_id = b.id), 0) as counted_encrypted_bytes,
      coalesce((select sum(encrypted_objects) from bucket_usage s where s.bucket_id = b.id), 0)
        as counted_encrypted_objects,
      coalesce((select sum(history_bytes) from bucket_usage s where s.bucket_id = b.id), 0) as counted_history_bytes,
      coalesce((select sum(reserved) from bucket_usage s where s.bucket_id = b.id), 0) as counted_reserved
    from buckets b order by b.name`.execute(db)
  const side = (row: { [column: string]: string | number | null }, kind: 'held' | 'counted'): Counted => ({
    id: String(row.id),
    name: String(row.name),
    owned: row.mode === null,
    ...(Object.fromEntries(counters.map((name) => [name, Number(row[`${kind}_${name}`])])) as Pick<
      Counted,
      (typeof counters)[number]
    >),
  })
  return rows.map((row) => ({ held: side(row, 'held'), counted: side(row, 'counted') }))
}
