import type { Upkeep } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import * as store from './store.ts'

/** Step: holds a bucket against every other change; undefined if there is none. */
export const holdWhole = (tx: Tx, name: string) => store.lockBucket(tx, name)

/** Step: frees the name of a bucket that was held whole. Its row stays until nothing belongs to it any more. */
export const softDeleteStep = ({ tx, now }: Upkeep, bucket: { id: string; name: string }): Promise<void> =>
  store.softDeleteBucket(tx, bucket, now())
