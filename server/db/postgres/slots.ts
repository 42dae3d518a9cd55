import { sql } from 'kysely'
import { prepared } from '../prepare.ts'
import type { Tx } from '../schema.ts'

/** Tells our advisory locks from those that others take in the same database. */
const OURS = 0x5374726f

/** Locks 32-bit numbers in this order until the transaction ends. */
export const lockSlots = prepared((tx: Tx, { slots }: { slots: readonly number[] }) =>
  tx.selectNoFrom(slots.map((slot, i) => sql`pg_advisory_xact_lock(${sql.lit(OURS)}, ${slot}::int)`.as(`slot_${i}`))),
)
