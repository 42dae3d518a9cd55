import { leaseOn } from '../../work/lease.ts'
import * as store from './store.ts'

/** The lease that a process holds on a run while it works on it. */
export const lease = leaseOn({ table: 'policy_runs', columns: store.runColumns, isOpen: store.isOpen })
