import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { isInsideTransaction } from '../guard.ts'
import type { Revision } from '../kept.ts'
import type { DatabaseObserver } from '../observe.ts'

const TEXT = 'select revision from instance'

/** Reads the revision on a connection; undefined before the migration that adds it. */
function readerOf(database: DatabaseSync): () => number | undefined {
  let statement: StatementSync | undefined
  return () => {
    if (!statement)
      try {
        statement = database.prepare(TEXT)
      } catch {
        return undefined
      }
    return statement.get()?.revision as number | undefined
  }
}

/** As the connection of transactions sees it. */
export const revisionOfWriter = (shared: Revision['shared'], database: DatabaseSync): Revision => ({
  shared,
  writes: true,
  locks: false,
  settle: () => undefined,
  now: readerOf(database),
})

/**
 * As the connection sees it that only reads. It looks once in each turn of the event loop's callbacks, with all that follows
 * from it without waiting: what is answered there had arrived before that look, so no change that is older than a request
 * is missed. `forget` has it look again, after each commit of this process. `settle`: see Revision.
 */
export function revisionOfReader(
  shared: Revision['shared'],
  database: DatabaseSync,
  observer: DatabaseObserver,
  settle: () => Promise<void> | undefined,
): Revision & { forget(): void } {
  const read = readerOf(database)
  let seen: number | undefined
  const forget = () => {
    seen = undefined
  }
  return {
    shared,
    writes: false,
    locks: false,
    settle,
    forget,
    now() {
      if (isInsideTransaction()) throw new Error('ctx.db was used inside a transaction; use its tx')
      if (seen !== undefined) return seen
      const began = performance.now()
      const revision = read()
      // The answer to a request that has read anything waits until that is durable.
      observer.statement('select', TEXT, began)
      if (revision !== undefined) shared.committed = revision
      seen = revision
      // Those run once nothing is left to do that waits for nothing else.
      process.nextTick(forget)
      return revision
    },
  }
}
