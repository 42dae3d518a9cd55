import { type BucketAction, bucketActions } from './names.ts'
import { matchesPattern } from './patterns.ts'

export { type BucketAction, bucketActions }

/** Permissions that apply everywhere. `admin` includes every other permission. */
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
export type Preset = keyof typeof presets
export const presetNames = Object.keys(presets) as readonly Preset[]

export interface Grant {
  id: string
  bucket_pattern: string
  /** Covers the keys that start with it; '' covers the whole bucket. */
  prefix: string
  actions: readonly BucketAction[]
  /** Covers only the key that `prefix` is. */
  exact?: boolean
  /** A second pattern that the bucket must match as well: that of the scope which limits the grant. */
  within?: string
}
/** A group the caller belongs to, with its grants. */
export interface GrantingGroup {
  id: string
  name: string
  global: readonly GlobalRight[]
  grants: readonly Grant[]
}
/** What allows something: a grant, or (null) the group's `admin` permission. */
export interface Reason {
  group_id: string
  group: string
  grant_id: string | null
}
export type Decision = { allowed: true; via: Reason } | { allowed: false }

/** Whether a grant covers a key of a bucket that it applies to. */
const coversKey = ({ prefix, exact = false }: Grant, key: string): boolean =>
  exact ? key === prefix : key.startsWith(prefix)

/** Whether a grant applies to a bucket of this name. */
export const grantReaches = ({ bucket_pattern, within }: Grant, bucket: string): boolean =>
  matchesPattern(bucket_pattern, bucket) && (within === undefined || matchesPattern(within, bucket))

/** What a credential is limited to: keys with `prefix` in buckets that match `bucket`, and these actions. */
export interface ScopeEntry {
  /** A name, or the start of one and `*`. */
  bucket: string
  prefix: string
  actions: readonly BucketAction[]
}

/**
 * The groups as a credential limited to `scope` has them: it may do what both its owner and the scope allow. An
 * administrator's has the rights of the scope, in grants with the id '', and no others.
 */
export const withinScope = (groups: readonly GrantingGroup[], scope: readonly ScopeEntry[]): GrantingGroup[] =>
  groups.map((group) => ({
    ...group,
    global: [],
    grants: [
      ...(group.global.includes('admin')
        ? scope.map(({ bucket, prefix, actions }) => ({ id: '', bucket_pattern: bucket, prefix, actions }))
        : []),
      ...group.grants.flatMap((grant) => scope.flatMap((entry) => intersection(grant, entry) ?? [])),
    ],
  }))

function intersection(grant: Grant, { bucket, prefix, actions }: ScopeEntry): Grant | undefined {
  const both = grant.actions.filter((action) => actions.includes(action))
  const [shorter, longer] = grant.prefix.length < prefix.length ? [grant.prefix, prefix] : [prefix, grant.prefix]
  if (both.length === 0 || !longer.startsWith(shorter) || (grant.exact && longer !== grant.prefix)) return undefined
  return { ...grant, prefix: longer, actions: both, within: bucket }
}

export const isAdmin = (groups: readonly GrantingGroup[]): boolean =>
  groups.some((group) => group.global.includes('admin'))

export const mayManageUsers = (groups: readonly GrantingGroup[]): boolean =>
  groups.some((group) => group.global.includes('admin') || group.global.includes('users.manage'))

/**
 * The only permission check: may a member of `groups` do `action` on `key` of `bucket`? Permissions on the bucket
 * itself (its settings, its creation) are checked with the key '', which only a grant without a prefix covers.
 */
export function decide(groups: readonly GrantingGroup[], action: BucketAction, bucket: string, key: string): Decision {
  for (const via of reasons(groups, action, bucket, key)) return { allowed: true, via }
  return { allowed: false }
}

/** Every grant that lets a member of `groups` do this; empty if it is not allowed. */
export function* reasons(
  groups: readonly GrantingGroup[],
  action: BucketAction,
  bucket: string,
  key: string,
): Generator<Reason> {
  for (const group of groups) {
    const via = { group_id: group.id, group: group.name }
    if (group.global.includes('admin')) yield { ...via, grant_id: null }
    for (const grant of group.grants)
      if (grant.actions.includes(action) && coversKey(grant, key) && grantReaches(grant, bucket))
        yield { ...via, grant_id: grant.id === '' ? null : grant.id }
  }
}

/**
 * Whether members of `own` have every permission that members of `other` have, so that they may grant it or manage
 * those who have it. A `*` in another's pattern counts as a character that only our `*` matches, and a single grant
 * must cover another's action: where permissions would only add up to the same, the answer is no.
 */
export function covers(own: readonly GrantingGroup[], other: readonly GrantingGroup[]): boolean {
  if (isAdmin(own)) return true
  const held = own.flatMap((group) => group.grants)
  const global = new Set(own.flatMap((group) => group.global))
  return other.every(
    (group) =>
      group.global.every((right) => global.has(right)) &&
      group.grants.every((grant) =>
        grant.actions.every((action) =>
          held.some(
            (mine) =>
              mine.actions.includes(action) &&
              coversKey(mine, grant.prefix) &&
              (!mine.exact || grant.exact === true) &&
              grantReaches(mine, grant.bucket_pattern),
          ),
        ),
      ),
  )
}

/** The preset with exactly these actions, or null. */
export function presetOf(actions: readonly BucketAction[]): Preset | null {
  const found = Object.entries(presets).find(
    ([, preset]) => preset.length === new Set(actions).size && preset.every((action) => actions.includes(action)),
  )
  return (found?.[0] as Preset | undefined) ?? null
}

/** Everything a member of `groups` may do somewhere in `bucket`; empty means the bucket is hidden from them. */
export function actionsOn(groups: readonly GrantingGroup[], bucket: string): BucketAction[] {
  if (isAdmin(groups)) return [...bucketActions]
  const found = new Set(grantsIn(groups, bucket).flatMap(({ actions }) => actions))
  return bucketActions.filter((action) => found.has(action))
}

/** The grants of `groups` that reach something in `bucket`. */
const grantsIn = (groups: readonly GrantingGroup[], bucket: string) =>
  groups.flatMap(({ grants }) => grants).filter((grant) => grantReaches(grant, bucket))

/**
 * Whether members of `groups` may know how much is in the whole of `bucket`: those who can list all of it, or manage it.
 */
export const seesTotals = (groups: readonly GrantingGroup[], bucket: string): boolean =>
  decide(groups, 'list', bucket, '').allowed || decide(groups, 'manage', bucket, '').allowed

/**
 * The prefixes below which members of `groups` have a permission in `bucket`, in key order; one inside another is left
 * out. Only '' means something in the whole bucket.
 */
export function prefixesIn(groups: readonly GrantingGroup[], bucket: string): string[] {
  if (isAdmin(groups)) return ['']
  return outermostOf(grantsIn(groups, bucket)).map(({ prefix }) => prefix)
}

/** Prefixes, and keys that stand for themselves (`exact`), without those inside of another prefix; in key order, each once. */
function outermostOf<G extends Pick<Grant, 'prefix' | 'exact'>>(grants: readonly G[]): G[] {
  const found: G[] = []
  let [prefix, key]: (string | undefined)[] = []
  const rank = ({ exact }: G) => (exact ? 1 : 0)
  // A prefix is followed by all that is inside of it.
  for (const one of [...grants].sort((a, b) => compareKeys(a.prefix, b.prefix) || rank(a) - rank(b))) {
    if (one.prefix === key || (prefix !== undefined && one.prefix.startsWith(prefix))) continue
    found.push(one)
    if (one.exact) key = one.prefix
    else prefix = one.prefix
  }
  return found
}

/** What members of `groups` may do in `bucket` below each prefix that a grant names, in key order. */
export function actionsByPrefix(
  groups: readonly GrantingGroup[],
  bucket: string,
): (readonly [prefix: string, actions: BucketAction[]])[] {
  if (isAdmin(groups)) return [['', [...bucketActions]]]
  return [...Map.groupBy(grantsIn(groups, bucket), ({ prefix }) => prefix)]
    .map(
      ([prefix, grants]) =>
        [prefix, bucketActions.filter((one) => grants.some(({ actions }) => actions.includes(one)))] as const,
    )
    .sort(([a], [b]) => compareKeys(a, b))
}

/** A half-open range of keys in byte order; `to` null means up to the end. */
export interface KeyRange {
  from: string
  to: string | null
}

/** The smallest text greater than every text that starts with `prefix`, in UTF-8 byte order; null if there is none. */
export function afterPrefix(prefix: string): string | null {
  const points = [...prefix]
  while (points.length > 0) {
    const last = points.pop()?.codePointAt(0) ?? 0
    if (last === 0x10ffff) continue
    return points.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1)
  }
  return null
}

/** The smallest key greater than `key`: no key contains NUL. */
export const afterKey = (key: string): string => `${key}\u0001`

/**
 * The parts of `prefix` in `bucket` where `action` is allowed, as disjoint ranges in key order. A grant on a deeper
 * prefix opens just its own range, so a listing above it shows the path there and no siblings.
 */
export function allowedRanges(
  groups: readonly GrantingGroup[],
  action: BucketAction,
  bucket: string,
  prefix: string,
): KeyRange[] {
  const whole = { from: prefix, to: afterPrefix(prefix) }
  const inside: Grant[] = []
  for (const group of groups) {
    if (group.global.includes('admin')) return [whole]
    for (const grant of group.grants) {
      if (!grant.actions.includes(action) || !grantReaches(grant, bucket)) continue
      if (!grant.exact && prefix.startsWith(grant.prefix)) return [whole]
      if (grant.prefix.startsWith(prefix)) inside.push(grant)
    }
  }
  return outermostOf(inside).map(({ prefix: from, exact }) => ({
    from,
    to: exact ? afterKey(from) : afterPrefix(from),
  }))
}

/** The databases' key order: by code point, which is the order of the UTF-8 bytes. */
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
