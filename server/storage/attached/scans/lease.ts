import { leaseOn } from '../../../work/lease.ts'
import * as store from './store.ts'

/** Claims on scans. */
export const lease = leaseOn({ table: 'scans', columns: store.columns, isOpen: store.isOpen })
