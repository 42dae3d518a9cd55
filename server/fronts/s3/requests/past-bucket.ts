import type { Db } from '../../../db/schema.ts'
import { findBucket } from '../../../storage/buckets/store.ts'

/** `20261127t140500z`, and after the seconds as many digits of them as are wanted: `20261127t140500.123456z`. */
const NAMED = /^(.+)\.at-(\d{4})(\d\d)(\d\d)t(\d\d)(\d\d)(\d\d)(\.\d{1,6})?z$/i

/** A bucket as it was. */
export interface PastBucket {
  bucket: string
  /** RFC 3339. */
  at: string
}

/** What a bucket's name means if it ends in a moment: `photos.at-20261127t140500z`; undefined for any other. */
export function readPastBucket(name: string): PastBucket | undefined {
  const [, bucket, year, month, day, hour, minute, second, fraction = ''] = NAMED.exec(name) ?? []
  if (bucket === undefined) return undefined
  return { bucket, at: `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}Z` }
}

/** The same, unless there is a bucket of the whole name. */
export async function pastBucketNamed(db: Db, name: string): Promise<PastBucket | undefined> {
  const past = readPastBucket(name)
  return past && !(await findBucket(db, name)) ? past : undefined
}
