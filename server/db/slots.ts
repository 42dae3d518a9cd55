import { SqliteAdapter } from 'kysely'
import { lockSlots as lockOnPostgres } from './postgres/slots.ts'
import type { Tx } from './schema.ts'

/**
 * Locks numbers until the transaction ends, whatever they stand for; others that want one of them wait. For what no row
 * stands for that could be locked. SQLite has one writer at a time, who needs none.
 */
export async function lockSlots(tx: Tx, slots: Iterable<number>): Promise<void> {
  if (tx.getExecutor().adapter instanceof SqliteAdapter) return
  // In one order everywhere, so that two transactions cannot wait for each other.
  const sorted = [...new Set(slots)].sort((a, b) => a - b)
  if (sorted.length > 0) await lockOnPostgres(tx, { slots: sorted })
}
