import { isBucketPattern, isKeyText } from '../../contract/names.ts'
import { deniedResource, type Statement } from './statements.ts'
import { includes, wildcardsOverlap } from './wildcards.ts'

/** Keys that start with `prefix`, in buckets that match a pattern. */
export interface Place {
  bucket: string
  prefix: string
}
/** What a resource of MinIO's covers. */
export interface Covered extends Place {
  /** The buckets themselves: their list, their configuration. */
  buckets: boolean
  /** The objects. */
  objects: boolean
}

/**
 * What a resource covers, without the ARN's start; as text why it cannot be said with a pattern and a prefix. MinIO compares
 * its patterns with `bucket/` for what is about a bucket, and with `bucket/key`: a `*` of the bucket's part matches slashes
 * too, which is left out here.
 */
export function coveredBy(resource: string): Covered | string {
  const pattern = resource.replaceAll(/\*+/g, '*')
  if (pattern.includes('?')) return 'patterns with ? cannot be said with a prefix'
  const slash = pattern.indexOf('/')
  const bucket = slash < 0 ? pattern : pattern.slice(0, slash)
  const rest = slash < 0 ? undefined : pattern.slice(slash + 1)
  if (!isBucketPattern(bucket))
    return /^([^*]*\*){4}/.test(bucket) ? 'more than three * in a bucket’s name' : 'no bucket here can have that name'
  if (rest === undefined) {
    const isOpen = bucket.endsWith('*')
    if (!isOpen && bucket.includes('*')) return 'a * before the end is about the ends of keys'
    return { bucket, prefix: '', buckets: true, objects: isOpen }
  }
  if (rest === '') return { bucket, prefix: '', buckets: true, objects: false }
  if (!rest.endsWith('*')) return 'grants cover all keys that start with a prefix, not a single one'
  const prefix = rest.slice(0, -1)
  if (prefix.includes('*')) return 'a * within keys cannot be said with a prefix'
  if (prefix.startsWith('/') || prefix.includes('//') || !isKeyText(prefix, 0)) return 'MinIO has no such keys'
  return { bucket, prefix, buckets: prefix === '', objects: true }
}

/** Whether one place is within another. */
export const isWithin = (place: Place, other: Place): boolean =>
  includes(other.bucket, place.bucket) && place.prefix.startsWith(other.prefix)

/** The part that two places have in common, if one's bucket pattern includes the other's and one's prefix the other's. */
export function common(one: Place, other: Place): Place | undefined {
  const bucket = includes(one.bucket, other.bucket)
    ? other.bucket
    : includes(other.bucket, one.bucket)
      ? one.bucket
      : undefined
  const [shorter, longer] = one.prefix.length < other.prefix.length ? [one, other] : [other, one]
  return bucket !== undefined && longer.prefix.startsWith(shorter.prefix)
    ? { bucket, prefix: longer.prefix }
    : undefined
}

/** Whether a statement that denies something may be about a bucket, or about any key, of a place. */
export function reaches(statement: Statement, user: string | undefined, place: Place, level: 'bucket' | 'object') {
  if (statement.everywhere) return true
  // MinIO compares a resource without wildcards with the path without a slash at its end as well.
  const texts = level === 'bucket' ? [place.bucket, `${place.bucket}/`] : [`${place.bucket}/${place.prefix}*`]
  return statement.resources
    .map((one) => deniedResource(one, user))
    .some((one) => texts.some((text) => wildcardsOverlap(one, text) || wildcardsOverlap(`${one}/`, text)))
}
