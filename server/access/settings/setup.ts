import type { Db, Tx } from '../../db/schema.ts'
import * as store from './store.ts'

/** The hash of the current setup link's token, or null. */
export const findSetupHash = ({ db }: { db: Db }): Promise<string | null> => store.readSetupHash(db)

/** Step: the same, with the administration lock: concurrent setups wait here for each other. */
export const lockSetupHash = (tx: Tx): Promise<string | null> => store.lockSetupHash(tx)

/** Step: replaces the hash, or removes it. */
export const replaceSetupHash = (tx: Tx, hash: string | null) => store.writeSetupHash(tx, hash)
