import { sql } from 'kysely'
import { isInsideTransaction } from '../guard.ts'
import type { Revision } from '../kept.ts'
import { prepared } from '../prepare.ts'
import type { Db } from '../schema.ts'
import { isMissingTable } from './errors.ts'

const ask = prepared((db: Db, _none: object) =>
  db.selectFrom('revisions').select(sql<number>`sum(value)`.as('revision')),
)
/** What a database that is not up to date yet does not have. */
const look = (db: Db): Promise<number | undefined> =>
  ask(db, {}).then(
    ([row]) => row?.revision,
    (error: unknown) => {
      if (isMissingTable(error)) return undefined
      throw error
    },
  )

/**
 * As those see it who ask outside of transactions. They share looks: one is under way at a time, and who asks meanwhile waits
 * for the next, which begins after they have asked. So no change is missed that is older than a request. A look also counts
 * for what follows from it without waiting, if it began after the request had arrived, which `arrived` says.
 */
export function revisionOfReaders(shared: Revision['shared'], arrived: () => number): Revision {
  let seen: { value: number; began: number } | undefined
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<number | undefined> | undefined

  async function lookNow(db: Db): Promise<number | undefined> {
    next = undefined
    const began = performance.now()
    const value = await look(db)
    if (value === undefined) return undefined
    shared.committed = value
    seen = { value, began }
    // That runs once nothing is left to do that waits for nothing else.
    process.nextTick(() => {
      seen = undefined
    })
    return value
  }

  return {
    shared,
    writes: false,
    locks: true,
    settle: () => undefined,
    now(db) {
      if (isInsideTransaction()) throw new Error('ctx.db was used inside a transaction; use its tx')
      if (seen && arrived() <= seen.began) return seen.value
      if (next) return next
      next = running.then(() => lookNow(db))
      running = next.catch(() => undefined)
      return next
    },
  }
}

/** What a transaction has sent so far. */
export interface SoFar {
  /** How many statements. */
  sent(): number
  /** How many of them may have changed what is kept. */
  changes(): number
}

/**
 * As a transaction sees it, with what it has changed itself. It looks where it is asked, after all that it has sent before,
 * such as the wait for a lock.
 */
export function revisionOfTransaction(shared: Revision['shared'], soFar: SoFar): Revision {
  let last: { value: Promise<number | undefined>; sent: number; changes: number } | undefined
  return {
    shared,
    writes: true,
    locks: true,
    settle: () => undefined,
    now(tx, lately) {
      // Nothing is kept yet, and where the table is missing, asking would end the transaction.
      if (Number.isNaN(shared.committed)) return undefined
      if (last && (last.sent === soFar.sent() || (lately && last.changes === soFar.changes()))) return last.value
      const value = look(tx)
      last = { value, sent: soFar.sent(), changes: soFar.changes() }
      return value
    },
  }
}
