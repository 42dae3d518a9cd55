// What was opened through links: uses counted and accesses recorded, and downloads counted once that arrive in ranges.
import { prepared } from '../../../db/prepare.ts'
import type { Db, NewRow, Row, Tx } from '../../../db/schema.ts'

export const addUse = prepared((tx: Tx, row: NewRow<'share_access_counts'>) =>
  tx
    .insertInto('share_access_counts')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['share_id', 'shard']).doUpdateSet((e) => ({
        count: e('share_access_counts.count', '+', e.ref('excluded.count')),
        last_at: e.ref('excluded.last_at'),
      })),
    ),
)

export async function sumUses(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, { count: number; last_at: string }>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('share_access_counts')
    .select((e) => ['share_id', e.fn.sum<number>('count').as('count'), e.fn.max('last_at').as('last_at')])
    .where('share_id', 'in', ids)
    .groupBy('share_id')
    .execute()
  return new Map(rows.map(({ share_id, ...use }) => [share_id, use]))
}

export const insertAccess = (tx: Tx, row: NewRow<'share_accesses'>) =>
  tx.insertInto('share_accesses').values(row).execute()

/** How many of a link's latest accesses are looked through for an earlier opening. */
const LOOKED_THROUGH = 1000

/** Whether a visitor's opening of a link since a time is among its latest accesses. */
export async function hasOpened(
  db: Db,
  { share_id, ip, user_agent }: Pick<Row<'share_accesses'>, 'share_id' | 'ip' | 'user_agent'>,
  since: Date,
): Promise<boolean> {
  const rows = await db
    .selectFrom((e) =>
      e
        .selectFrom('share_accesses')
        .select(['outcome', 'time', 'ip', 'user_agent'])
        .where('share_id', '=', share_id)
        .orderBy('id', 'desc')
        .limit(LOOKED_THROUGH)
        .as('latest'),
    )
    .select('time')
    .where('outcome', '=', 'opened')
    .where('time', '>', since.toISOString())
    .where('ip', ip === null ? 'is' : '=', ip)
    .where('user_agent', user_agent === null ? 'is' : '=', user_agent)
    .limit(1)
    .execute()
  return rows.length > 0
}

/** A link has sent contents to an address, which may continue downloading them until `ends_at`. */
export type Serving = Omit<Row<'share_servings'>, 'left_bytes'>

/** Stores that contents were sent: as many more bytes may be requested to continue them. */
export const addServing = (tx: Tx, row: NewRow<'share_servings'>, now: Date) =>
  tx
    .insertInto('share_servings')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['share_id', 'ip', 'blob_id']).doUpdateSet((e) => ({
        left_bytes: e
          .case()
          .when('share_servings.ends_at', '<=', now.toISOString())
          .then(e.ref('excluded.left_bytes'))
          .else(e('share_servings.left_bytes', '+', e.ref('excluded.left_bytes')))
          .end(),
        ends_at: e.ref('excluded.ends_at'),
      })),
    )
    .execute()

export const findServing = async (db: Db, { share_id, ip, blob_id }: Serving, now: Date): Promise<boolean> =>
  (
    await db
      .selectFrom('share_servings')
      .select('share_id')
      .where('share_id', '=', share_id)
      .where('ip', '=', ip)
      .where('blob_id', '=', blob_id)
      .where('ends_at', '>', now.toISOString())
      .execute()
  ).length > 0

/** Takes bytes from those that an address may still request; false if there are not enough. */
export const takeRest = async (
  tx: Tx,
  { share_id, ip, blob_id }: Serving,
  bytes: number,
  now: Date,
): Promise<boolean> =>
  (
    await tx
      .updateTable('share_servings')
      .set((e) => ({ left_bytes: e('left_bytes', '-', bytes) }))
      .where('share_id', '=', share_id)
      .where('ip', '=', ip)
      .where('blob_id', '=', blob_id)
      .where('ends_at', '>', now.toISOString())
      .where('left_bytes', '>=', bytes)
      .returning('share_id')
      .execute()
  ).length > 0

export const giveBack = (tx: Tx, { share_id, ip, blob_id }: Serving, bytes: number) =>
  tx
    .updateTable('share_servings')
    .set((e) => ({ left_bytes: e('left_bytes', '+', bytes) }))
    .where('share_id', '=', share_id)
    .where('ip', '=', ip)
    .where('blob_id', '=', blob_id)
    .execute()

export const deleteServings = (tx: Tx, now: Date) =>
  tx.deleteFrom('share_servings').where('ends_at', '<=', now.toISOString()).execute()

export const listAccesses = (
  db: Db,
  shareId: string,
  offset: number,
  limit: number,
): Promise<Row<'share_accesses'>[]> =>
  db
    .selectFrom('share_accesses')
    .selectAll()
    .where('share_id', '=', shareId)
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

export const countAccesses = async (db: Db, shareId: string): Promise<number> =>
  (
    await db
      .selectFrom('share_accesses')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('share_id', '=', shareId)
      .executeTakeFirstOrThrow()
  ).count

export const deleteAccesses = (tx: Tx, before: Date) =>
  tx.deleteFrom('share_accesses').where('time', '<', before.toISOString()).execute()
