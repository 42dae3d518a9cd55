import type { ExpressionBuilder } from 'kysely'
import type { Db, Schema, Tx } from '../../db/schema.ts'

/** Times by which a clock is judged: when it was last found right, and of the last sealed audit record. */
export interface KnownTimes {
  trusted: Date | null
  sealed: Date | null
}

export async function findTimes(db: Db): Promise<KnownTimes> {
  const { clock_trusted_at } = await db.selectFrom('instance').select('clock_trusted_at').executeTakeFirstOrThrow()
  const last = await db
    .selectFrom('audit_chain')
    .innerJoin('audit_sealed', 'audit_sealed.id', 'audit_chain.audit_id')
    .select('audit_sealed.time')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  const dateOf = (time: string | null | undefined) => (time ? new Date(time) : null)
  return { trusted: dateOf(clock_trusted_at), sealed: dateOf(last?.time) }
}

export const noteTime = (tx: Tx, now: Date) =>
  tx.updateTable('instance').set({ clock_trusted_at: now.toISOString() }).execute()

/** Whether any bucket has Object Lock, also one that is deleted and still has a trash. */
export const isAnyLockable = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('buckets').select('id').where('object_lock', 'is not', null).limit(1).execute()).length > 0

/** By when locks have ended, as `judgeLocks` says. */
interface Ended {
  endedBy: string | null
}
type Lockable = 'objects' | 'versions' | 'trash'

/** The condition of rows with a lock, of any mode, that is not over. */
export const isUnderLock = (e: ExpressionBuilder<Schema, Lockable>, { endedBy }: Ended) =>
  endedBy === null ? e('locked_until', 'is not', null) : e('locked_until', '>', endedBy)

/** The condition of rows that never had a lock, or one that is over. */
export const isFree = (e: ExpressionBuilder<Schema, Lockable>, { endedBy }: Ended) =>
  e.or([e('locked_until', 'is', null), ...(endedBy === null ? [] : [e('locked_until', '<=', endedBy)])])

/** Whether a bucket's trash has anything that must not go: `governance` locks did not count when it was removed. */
export const hasLockedTrash = async (db: Db, bucketId: string, ended: Ended): Promise<boolean> =>
  (
    await db
      .selectFrom('trash')
      .select('id')
      .where('bucket_id', '=', bucketId)
      .where((e) =>
        e.or([e.and([e('lock_mode', '=', 'compliance'), isUnderLock(e, ended)]), e('legal_hold', 'is not', null)]),
      )
      .limit(1)
      .execute()
  ).length > 0
