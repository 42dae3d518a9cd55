import type { Db, Tx } from '../db/schema.ts'
import type { Changed } from './effective.ts'
import * as store from './store.ts'

/** The hash of the setup link's token that is good now (R8); null where there is none. */
export const findSetupHash = async ({ db }: { db: Db }): Promise<string | null> =>
  (JSON.parse(await store.readChanged(db)) as Changed).setup ?? null

/** Step: the same, with the lock of the administration: whoever sets up waits here for the others. */
export const lockSetupHash = async (tx: Tx): Promise<string | null> =>
  (JSON.parse(await store.lockChanged(tx)) as Changed).setup ?? null

/** Step: keeps another hash in its place, or none. */
export async function replaceSetupHash(tx: Tx, hash: string | null): Promise<void> {
  const { setup: _old, ...changed } = JSON.parse(await store.lockChanged(tx)) as Changed
  await store.writeChanged(tx, JSON.stringify(hash === null ? changed : { ...changed, setup: hash }))
}
