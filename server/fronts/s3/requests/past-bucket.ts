import { isSnapshotName } from '../../../../contract/names.ts'
import type { Db } from '../../../db/schema.ts'
import { findBucket } from '../../../storage/buckets/store.ts'
import { findSnapshot } from '../../../storage/history/former/store.ts'

/** `20261127t140500z`, and after the seconds as many digits of them as are wanted: `20261127t140500.123456z`. */
const MOMENT = /^(\d{4})(\d\d)(\d\d)t(\d\d)(\d\d)(\d\d)(\.\d{1,6})?z$/i
const BEFORE = '.at-'

/** A bucket as it was. */
export interface PastBucket {
  bucket: string
  /** RFC 3339, or the name of a snapshot. */
  at: string
}

/** What a bucket's name means if it ends in a moment, or may mean if it ends in a snapshot's name; undefined for any other. */
export function readPastBucket(name: string): PastBucket | undefined {
  const end = name.lastIndexOf(BEFORE)
  if (end < 1) return undefined
  const [bucket, at] = [name.slice(0, end), name.slice(end + BEFORE.length)]
  const [, year, month, day, hour, minute, second, fraction = ''] = MOMENT.exec(at) ?? []
  if (year !== undefined) return { bucket, at: `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}Z` }
  return isSnapshotName(at) ? { bucket, at } : undefined
}

/** The same, unless there is a bucket of the whole name, or no snapshot of that name. */
export async function pastBucketNamed(db: Db, name: string): Promise<PastBucket | undefined> {
  const past = readPastBucket(name)
  if (!past || (await findBucket(db, name))) return undefined
  if (!isSnapshotName(past.at)) return past
  const bucket = await findBucket(db, past.bucket)
  return bucket && (await findSnapshot(db, bucket.id, { name: past.at })) ? past : undefined
}
