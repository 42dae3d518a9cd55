import { prepared } from '../db/prepared.ts'
import type { Db, Tx } from '../db/schema.ts'

const changed = prepared((db: Db) => db.selectFrom('settings').select('changed'))
/** What was set, as JSON; the row is always there. */
export const readChanged = async (db: Db): Promise<string> => (await changed(db, {}))[0]?.changed ?? '{}'

/** The same, locked until the transaction ends. */
export const lockChanged = async (tx: Tx): Promise<string> =>
  (await tx.selectFrom('settings').select('changed').forUpdate().executeTakeFirstOrThrow()).changed

export const writeChanged = (tx: Tx, text: string) => tx.updateTable('settings').set({ changed: text }).execute()

/** The hash of the setup link's token, which lies in the same row so that it is under the same lock. */
export const readSetupHash = async (db: Db): Promise<string | null> =>
  (await db.selectFrom('settings').select('setup_hash').executeTakeFirstOrThrow()).setup_hash

/** The same, locked until the transaction ends. */
export const lockSetupHash = async (tx: Tx): Promise<string | null> =>
  (await tx.selectFrom('settings').select('setup_hash').forUpdate().executeTakeFirstOrThrow()).setup_hash

export const writeSetupHash = (tx: Tx, setup_hash: string | null) =>
  tx.updateTable('settings').set({ setup_hash }).execute()
