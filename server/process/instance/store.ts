import type { Db, Row, Tx } from '../../db/schema.ts'

export const readInstance = (db: Db): Promise<Row<'instance'>> =>
  db.selectFrom('instance').selectAll().executeTakeFirstOrThrow()

/** The same, locked until the transaction ends. */
export const lockInstance = (tx: Tx): Promise<Row<'instance'>> =>
  tx.selectFrom('instance').selectAll().forUpdate().executeTakeFirstOrThrow()

/**
 * The newest time that anything in the database has: audit records, whose log has every change, samples of the usage and
 * the clock when it was last found right. Null in an empty one. Each is one look into an index.
 */
export async function findNewestTime(db: Db): Promise<Date | null> {
  const times = await Promise.all([
    db.selectFrom('audit_sealed').select('time').orderBy('time', 'desc').orderBy('id', 'desc').limit(1).execute(),
    // Sealed within seconds; their ids are in the order of time.
    db.selectFrom('audit_recent').select('time').orderBy('id', 'desc').limit(1).execute(),
    db.selectFrom('usage_samples').select('time').orderBy('time', 'desc').limit(1).execute(),
    db.selectFrom('instance').select('clock_trusted_at as time').execute(),
  ])
  const newest = Math.max(...times.flat().flatMap(({ time }) => (time === null ? [] : [Date.parse(time)])))
  return Number.isFinite(newest) ? new Date(newest) : null
}

export const noteGap = (tx: Tx, gap: { from: Date; seen: Date } | null) =>
  tx
    .updateTable('instance')
    .set({ clock_gap_from: gap?.from.toISOString() ?? null, clock_gap_seen: gap?.seen.toISOString() ?? null })
    .execute()

export const writeFingerprint = (tx: Tx, key_fingerprint: string) =>
  tx.updateTable('instance').set({ key_fingerprint }).execute()

/** How much there is, for those who compare two databases. */
export async function countHeld(db: Db): Promise<{ buckets: number; objects: number; users: number }> {
  const count = (table: 'buckets' | 'objects' | 'users') =>
    db.selectFrom(table).select((e) => e.fn.countAll<number>().as('n'))
  const [buckets, objects, users] = await Promise.all([
    count('buckets').where('deleted_at', 'is', null).executeTakeFirstOrThrow(),
    count('objects').executeTakeFirstOrThrow(),
    count('users').executeTakeFirstOrThrow(),
  ])
  return { buckets: Number(buckets.n), objects: Number(objects.n), users: Number(users.n) }
}

/** An epoch of a database; see its table. */
interface Epoch {
  number: number
  holder: string
}
/** Writes the next epoch, unless the database has another one than `before` by now; resolves to whether it did. */
export async function writeEpoch(tx: Tx, before: Epoch, next: Epoch): Promise<boolean> {
  const { id, epoch, epoch_holder } = await lockInstance(tx)
  if (epoch !== before.number || (epoch_holder ?? id) !== before.holder) return false
  await tx.updateTable('instance').set({ epoch: next.number, epoch_holder: next.holder }).execute()
  return true
}
