import { leaseOn } from '../../work/lease.ts'
import * as runStore from './runs/store.ts'

/** The lease that a process holds on a run while it works on it. */
export const lease = leaseOn({ table: 'inventory_runs', columns: runStore.runColumns, isOpen: runStore.isOpen })
