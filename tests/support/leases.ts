import type { Database } from '../../server/db/open.ts'

/** As if a minute had passed: until then a silent process may still be at its work. */
export const endLeases = (database: Database, table: 'scans' | 'jobs' | 'policy_runs') =>
  database.transaction((tx) =>
    tx
      .updateTable(table)
      .set({ leased_until: new Date(0).toISOString() })
      .where('leased_until', 'is not', null)
      .execute(),
  )
