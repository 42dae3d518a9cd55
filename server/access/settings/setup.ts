import type { Db, Tx } from '../../db/schema.ts'
import * as store from './store.ts'

/** The hash of the valid setup link's token; null where there is none. */
export const findSetupHash = ({ db }: { db: Db }): Promise<string | null> => store.readSetupHash(db)

/** Step: the same, with the lock of the administration: whoever sets up waits here for the others. */
export const lockSetupHash = (tx: Tx): Promise<string | null> => store.lockSetupHash(tx)

/** Step: keeps another hash in its place, or none. */
export const replaceSetupHash = (tx: Tx, hash: string | null) => store.writeSetupHash(tx, hash)
