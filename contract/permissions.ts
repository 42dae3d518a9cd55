/** Rights on names of buckets and keys. They are granted to groups and only ever add up; there are no deny rules. */
export const bucketActions = ['list', 'read', 'write', 'delete', 'share', 'policy', 'manage', 'create'] as const
export type BucketAction = (typeof bucketActions)[number]

/** Rights that hold everywhere. `admin` includes every other right. */
export const globalRights = ['admin', 'users.manage'] as const
export type GlobalRight = (typeof globalRights)[number]

/** Named sets of actions. A grant stores the actions; the name is shown when they are equal. */
export const presets = {
  viewer: ['list', 'read'],
  uploader: ['list', 'write'],
  editor: ['list', 'read', 'write', 'delete'],
  publisher: ['list', 'read', 'write', 'delete', 'share'],
  owner: ['list', 'read', 'write', 'delete', 'share', 'policy', 'manage', 'create'],
} as const satisfies Record<string, readonly BucketAction[]>

export interface Grant {
  id: string
  bucket_pattern: string
  /** Covers the keys that start with it; '' covers the whole bucket. */
  prefix: string
  actions: readonly BucketAction[]
}
/** A group the caller belongs to, with all it grants. */
export interface GrantingGroup {
  id: string
  name: string
  global: readonly GlobalRight[]
  grants: readonly Grant[]
}
export type Decision =
  | { allowed: true; via: { group_id: string; group: string; grant_id: string | null } }
  | { allowed: false }

/**
 * Whether `name` matches a grant's bucket pattern: `*` is any run of characters, everything else is literal, anchored
 * at both ends. Runs in O(pattern × name) whatever the pattern (R1).
 */
export function matchesPattern(pattern: string, name: string): boolean {
  let p = 0
  let n = 0
  let star = -1
  let resume = 0
  while (n < name.length) {
    if (p < pattern.length && pattern[p] === '*') {
      star = p++
      resume = n
    } else if (p < pattern.length && pattern[p] === name[n]) {
      p++
      n++
    } else if (star >= 0) {
      p = star + 1
      n = ++resume
    } else return false
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}

export const isAdmin = (groups: readonly GrantingGroup[]): boolean =>
  groups.some((group) => group.global.includes('admin'))

/**
 * The only gate (R2): may a member of `groups` do `action` on `key` of `bucket`? Rights on the bucket itself (its
 * settings, its creation) are asked with the key '', which only a grant without a prefix covers.
 */
export function decide(groups: readonly GrantingGroup[], action: BucketAction, bucket: string, key: string): Decision {
  for (const group of groups) {
    const via = { group_id: group.id, group: group.name }
    if (group.global.includes('admin')) return { allowed: true, via: { ...via, grant_id: null } }
    for (const grant of group.grants) {
      if (
        grant.actions.includes(action) &&
        key.startsWith(grant.prefix) &&
        matchesPattern(grant.bucket_pattern, bucket)
      )
        return { allowed: true, via: { ...via, grant_id: grant.id } }
    }
  }
  return { allowed: false }
}

/** Everything a member of `groups` may do somewhere in `bucket`; empty means the bucket is hidden from them. */
export function actionsOn(groups: readonly GrantingGroup[], bucket: string): BucketAction[] {
  if (isAdmin(groups)) return [...bucketActions]
  const found = new Set<BucketAction>()
  for (const group of groups)
    for (const grant of group.grants)
      if (matchesPattern(grant.bucket_pattern, bucket)) for (const action of grant.actions) found.add(action)
  return bucketActions.filter((action) => found.has(action))
}

/** A half-open range of keys in byte order; `to` null means up to the end. */
export interface KeyRange {
  from: string
  to: string | null
}

/** The smallest text greater than every text that starts with `prefix`, in UTF-8 byte order; null when there is none. */
export function afterPrefix(prefix: string): string | null {
  const points = [...prefix]
  while (points.length > 0) {
    const last = points.pop()?.codePointAt(0) ?? 0
    if (last === 0x10ffff) continue
    return points.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1)
  }
  return null
}

/**
 * The parts of `prefix` in `bucket` where `action` is allowed, as disjoint ranges in key order. A grant on a deeper
 * prefix opens just its own range, so that a listing above it shows the way there and no sibling.
 */
export function allowedRanges(
  groups: readonly GrantingGroup[],
  action: BucketAction,
  bucket: string,
  prefix: string,
): KeyRange[] {
  if (decide(groups, action, bucket, prefix).allowed) return [{ from: prefix, to: afterPrefix(prefix) }]
  const inside = new Set<string>()
  for (const group of groups)
    for (const grant of group.grants)
      if (
        grant.actions.includes(action) &&
        grant.prefix.startsWith(prefix) &&
        matchesPattern(grant.bucket_pattern, bucket)
      )
        inside.add(grant.prefix)
  const outermost = [...inside].filter((one) => ![...inside].some((other) => other !== one && one.startsWith(other)))
  return outermost.sort(compareKeys).map((one) => ({ from: one, to: afterPrefix(one) }))
}

/** Order of keys as the databases have it: by code point, which is the order of the UTF-8 bytes. */
export function compareKeys(a: string, b: string): number {
  let i = 0
  while (i < a.length && i < b.length) {
    const x = a.codePointAt(i) ?? 0
    const y = b.codePointAt(i) ?? 0
    if (x !== y) return x - y
    i += x > 0xffff ? 2 : 1
  }
  return a.length - b.length
}
