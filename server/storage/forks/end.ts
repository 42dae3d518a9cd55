import type { Upkeep } from '../../context.ts'
import * as store from './store.ts'

/** Step: has a fork end at another time; returns the time before, and undefined where the bucket is no fork, or is gone. */
export const moveForkEnd = ({ tx }: Pick<Upkeep, 'tx'>, name: string, end: string | null) =>
  store.moveForkEnd(tx, name, end)
