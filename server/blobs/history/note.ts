import type { Tx } from '../../db/schema.ts'
import * as store from './store.ts'

/** Step: of these blobs notes those that nothing has any more but snapshots. */
export const noteHistory = ({ tx }: { tx: Tx }, ids: readonly string[]): Promise<void> => store.noteHistory(tx, ids)
