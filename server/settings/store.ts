import { prepared } from '../db/prepared.ts'
import type { Db, Tx } from '../db/schema.ts'

const overrides = prepared((db: Db) => db.selectFrom('settings').select('overrides'))
/** What was set, as JSON; the row is always there. */
export const readOverrides = async (db: Db): Promise<string> => (await overrides(db, {}))[0]?.overrides ?? '{}'

/** The same, locked until the transaction ends. */
export const lockOverrides = async (tx: Tx): Promise<string> =>
  (await tx.selectFrom('settings').select('overrides').forUpdate().executeTakeFirstOrThrow()).overrides

export const writeOverrides = (tx: Tx, text: string) => tx.updateTable('settings').set({ overrides: text }).execute()

/** The hash of the setup link's token, which lies in the same row so that it is under the same lock. */
export const readSetupHash = async (db: Db): Promise<string | null> =>
  (await db.selectFrom('settings').select('setup_hash').executeTakeFirstOrThrow()).setup_hash

/** The same, locked until the transaction ends. */
export const lockSetupHash = async (tx: Tx): Promise<string | null> =>
  (await tx.selectFrom('settings').select('setup_hash').forUpdate().executeTakeFirstOrThrow()).setup_hash

export const writeSetupHash = (tx: Tx, setup_hash: string | null) =>
  tx.updateTable('settings').set({ setup_hash }).execute()
