import { leaseOn } from '../../work/lease.ts'
import * as store from './store.ts'

/** Claims on jobs. */
export const lease = leaseOn({ table: 'jobs', columns: store.columns, isOpen: store.isOpen })
