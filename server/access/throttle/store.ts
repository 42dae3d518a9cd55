import type { Row, Tx } from '../../db/schema.ts'

/** Counts one failure, restarting when the window (ms) is over; returns the updated row. */
export function countFailure(tx: Tx, key: string, now: Date, window: number): Promise<Row<'login_throttle'>> {
  const started = new Date(now.getTime() - window).toISOString()
  return tx
    .insertInto('login_throttle')
    .values({ key, failures: 1, window_started_at: now.toISOString(), blocked_until: null })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((e) => ({
        failures: e
          .case()
          .when('login_throttle.window_started_at', '<=', started)
          .then(1)
          .else(e('login_throttle.failures', '+', 1))
          .end(),
        window_started_at: e
          .case()
          .when('login_throttle.window_started_at', '<=', started)
          .then(e.ref('excluded.window_started_at'))
          .else(e.ref('login_throttle.window_started_at'))
          .end(),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

export const blockUntil = (tx: Tx, key: string, until: Date) =>
  tx.updateTable('login_throttle').set({ blocked_until: until.toISOString() }).where('key', '=', key).execute()

/** Ends a key's delay. */
export const unblock = (tx: Tx, key: string) =>
  tx.updateTable('login_throttle').set({ blocked_until: null }).where('key', '=', key).execute()

/** Takes back a failure; returns how many are left, undefined if there was none. */
export const uncountFailure = async (tx: Tx, key: string): Promise<number | undefined> =>
  (
    await tx
      .updateTable('login_throttle')
      .set((e) => ({ failures: e('failures', '-', 1) }))
      .where('key', '=', key)
      .where('failures', '>', 0)
      .returning('failures')
      .executeTakeFirst()
  )?.failures

/** Clears a key's failures; false if there were none. */
export const clearFailures = async (tx: Tx, key: string): Promise<boolean> =>
  ((await tx.deleteFrom('login_throttle').where('key', '=', key).returning('failures').executeTakeFirst())?.failures ??
    0) > 0
