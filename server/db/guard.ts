import { AsyncLocalStorage } from 'node:async_hooks'
import type { KyselyPlugin } from 'kysely'

const inside = new AsyncLocalStorage<true>()

/** Runs `work` as the inside of a transaction, where the root handle must not be used. */
export const insideTransaction = <T>(work: () => Promise<T>): Promise<T> => inside.run(true, work)
/** Whether the caller runs inside a transaction. */
export const isInsideTransaction = (): boolean => inside.getStore() === true

/**
 * Rejects queries of the root handle inside a transaction. They would silently read the state before the transaction,
 * and a nested transaction would deadlock on SQLite.
 */
export const rootHandleGuard: KyselyPlugin = {
  transformQuery({ node }) {
    if (isInsideTransaction()) throw new Error('ctx.db was used inside a transaction; use its tx')
    return node
  },
  transformResult: async ({ result }) => result,
}
