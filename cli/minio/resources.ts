/**
 * Resources of MinIO's policies. MinIO compares them with `bucket/` for what is about a bucket, and with `bucket/key`; here as
 * at AWS, it is `bucket` and `bucket/key`. Without the ARN's start.
 */
import { isPattern } from './wildcards.ts'

/** Resources here that match the same. */
export interface Resources {
  /** For actions on buckets. */
  bucket: string[]
  /** For actions on objects. */
  object: string[]
  /** For both in one statement, where each matches the same for either. */
  both: string[] | undefined
}

/** The resources that match what these match in MinIO. */
export function resourcesFor(patterns: readonly string[]): Resources {
  const each = patterns.map((one) => one.replaceAll(/\*+/g, '*'))
  // No bucket has a slash in its name.
  const bucket = [...new Set(each.flatMap(bucketsOf))].filter((one) => !one.includes('/'))
  const object = [...new Set(each.flatMap(objectsOf))]
  const both = each.every(isPlain) ? [...new Set([...object, ...bucket])] : undefined
  return { bucket, object, both }
}

/** Patterns of names of buckets for which MinIO matches `bucket/`. */
function bucketsOf(pattern: string): string[] {
  const start = pattern.slice(0, -1)
  if (pattern.endsWith('/')) return [start]
  if (pattern.endsWith('?')) return [start].filter(Boolean)
  if (pattern.endsWith('*')) return /[/?]$/.test(start) ? [pattern, start.slice(0, -1)].filter(Boolean) : [pattern]
  return isPattern(pattern) || pattern.includes('/') ? [] : [pattern]
}

/** Patterns of objects: one without wildcards also means the key with a slash at its end. */
const objectsOf = (pattern: string): string[] =>
  !isPattern(pattern) && pattern.includes('/') && !pattern.endsWith('/') ? [pattern, `${pattern}/`] : [pattern]

/** Whether a pattern, next to those for the bucket, matches nothing more at the other level. */
function isPlain(pattern: string): boolean {
  if (!isPattern(pattern)) return true
  if (!pattern.endsWith('*') || pattern.endsWith('?*')) return false
  if (!pattern.endsWith('/*')) return true
  const bucket = pattern.slice(0, -2)
  return !isPattern(bucket) || bucket.endsWith('*')
}
