import { crc32 } from 'node:zlib'
import type { Tx } from '../../db/schema.ts'
import { lockSlots } from '../../db/slots.ts'
import type { HeldBucket } from '../buckets/service.ts'

/** Most locks that one bucket's keys take in a transaction. */
const SLOTS = 256

/**
 * Step: makes others wait who change the versions of these keys, until the transaction ends. Which version of a key is
 * the latest depends on rows of two tables, and perhaps on none at all, so no row's lock could do it. Must come before
 * any of the keys' rows is read or locked. Costs nothing in buckets that keep no versions.
 */
export async function lockKeys(
  tx: Tx,
  ...places: readonly (readonly [bucket: HeldBucket, keys: readonly string[]])[]
): Promise<void> {
  const slots = places.flatMap(([bucket, keys]) =>
    bucket.versioning === null ? [] : keys.map((key) => slotOf(bucket.id, key)),
  )
  if (slots.length > 0) await lockSlots(tx, slots)
}

/** Two keys may share one: then their writers wait for each other. */
const slotOf = (bucketId: string, key: string): number => crc32(`${bucketId} ${crc32(key) % SLOTS}`) | 0
