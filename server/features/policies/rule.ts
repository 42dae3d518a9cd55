import { type Fault, ServiceError } from '../../../contract/errors.ts'
import { compileGlob, MOST_WILDCARDS, matchesPattern, wildcardsIn } from '../../../contract/patterns.ts'
import { compareKeys, covers, type GrantingGroup } from '../../../contract/permissions.ts'
import type { Tags } from '../../../contract/shapes.ts'
import type { Actor } from '../../context.ts'
import type { Row } from '../../db/schema.ts'
import { hasTags } from '../../storage/buckets/documents/lifecycle.ts'
import { cronFault, isTimeZone, nextTime } from './schedule.ts'

/**
 * What a policy deletes, and limits beyond which a run must not delete. `glob`, sizes and tags say which objects and
 * versions it is about; the others each say of one kind when they go: of objects, of versions that are not current, of
 * delete markers. If all those are of versions, objects stay.
 */
export interface Rule {
  bucket_patterns: readonly string[]
  prefix: string
  glob: string | null
  older_than_days: number | null
  min_size: number | null
  max_size: number | null
  tags: Tags | null
  /** Nothing is deleted before. */
  date: string | null
  keep_newest: number | null
  /** Versions that have not been current for this many days. */
  noncurrent_days: number | null
  /** How many of the newest versions that are not current stay of each key. */
  keep_versions: number | null
  /** Delete markers of which nothing else is left. */
  expired_markers: boolean
  /** How many of the snapshots that it takes of each bucket stay; then it deletes no objects. */
  keep_snapshots: number | null
  max_deletes: number | null
  max_delete_percent: number | null
}
/** Everything about a policy that a user sets. */
export interface PolicyText extends Rule {
  name: string
  cron: string | null
  timezone: string
  enabled: boolean
}
/** A rule as a run carries it out. */
export interface RunRule extends Rule {
  /** The only bucket it reaches, whatever has its name by now; absent where the patterns alone decide. */
  bucket_id?: string | null
  /** The policy's, after which its snapshots are named. */
  name?: string
}
/** What a request says of a policy. */
export type Given = { [K in keyof Omit<PolicyText, 'expired_markers'>]?: PolicyText[K] | undefined } & {
  expired_markers?: boolean | null | undefined
}

/** A policy of which nothing is said. */
export const noPolicy: PolicyText = {
  name: '',
  bucket_patterns: [],
  prefix: '',
  glob: null,
  older_than_days: null,
  min_size: null,
  max_size: null,
  tags: null,
  date: null,
  keep_newest: null,
  noncurrent_days: null,
  keep_versions: null,
  expired_markers: false,
  keep_snapshots: null,
  max_deletes: null,
  max_delete_percent: null,
  cron: null,
  timezone: 'UTC',
  enabled: true,
}

const conditions = [
  'glob',
  'older_than_days',
  'min_size',
  'max_size',
  'tags',
  'date',
  'keep_newest',
  'noncurrent_days',
  'keep_versions',
  'expired_markers',
] as const

/** Applies a request to the policy as it was; throws invalid_request if the result is invalid. */
export function complete(given: Given, before: PolicyText = noPolicy, now: Date): PolicyText {
  const { expired_markers = before.expired_markers, ...others } = given
  const changed = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined))
  const text: PolicyText = { ...before, ...changed, expired_markers: expired_markers ?? false }
  const faults: Fault[] = []
  if (text.keep_snapshots !== null) {
    const others = [...conditions, 'max_deletes', 'max_delete_percent'] as const
    for (const name of others)
      if (text[name] !== null && text[name] !== false)
        faults.push({ path: `body.${name}`, message: 'cannot be combined with keep_snapshots' })
    if (text.prefix !== '')
      faults.push({
        path: 'body.prefix',
        message: 'cannot be combined with keep_snapshots, which is about whole buckets',
      })
  } else if (conditions.every((condition) => text[condition] === null || text[condition] === false))
    faults.push({
      path: 'body',
      message: `requires at least one condition: ${conditions.join(', ')}, or keep_snapshots`,
    })
  if (text.min_size !== null && text.max_size !== null && text.min_size > text.max_size)
    faults.push({ path: 'body.max_size', message: 'must not be less than min_size' })
  // A glob accepted before there was a limit keeps working.
  if (text.glob !== null && text.glob !== before.glob && wildcardsIn(text.glob) > MOST_WILDCARDS)
    faults.push({ path: 'body.glob', message: `must not have more than ${MOST_WILDCARDS} wildcards ("*" or "**")` })
  const from = new Date(text.date ?? 0)
  if (Number.isNaN(from.getTime())) faults.push({ path: 'body.date', message: 'must be a time that exists' })
  if (!isTimeZone(text.timezone)) faults.push({ path: 'body.timezone', message: 'must be an IANA time zone name' })
  else if (text.cron !== null) {
    const message = cronFault(text.cron)
    if (message !== null) faults.push({ path: 'body.cron', message })
    else if (nextTime(text.cron, text.timezone, now) === null)
      faults.push({ path: 'body.cron', message: 'never matches any time' })
  }
  const [first] = faults
  if (first) throw new ServiceError('invalid_request', `${first.path} ${first.message}`, { faults })
  return { ...text, date: text.date === null ? null : from.toISOString() }
}

export const textOf = (row: Row<'policies'>): PolicyText => ({
  name: row.name,
  ...ruleOf(row),
  cron: row.cron,
  timezone: row.timezone,
  enabled: row.disabled_at === null,
})
export const ruleOf = (row: Row<'policies'>): Rule => ({
  bucket_patterns: JSON.parse(row.bucket_patterns) as string[],
  prefix: row.prefix,
  glob: row.glob,
  older_than_days: row.older_than_days,
  min_size: row.min_size,
  max_size: row.max_size,
  tags: row.tags === null ? null : (JSON.parse(row.tags) as Tags),
  date: row.date,
  keep_newest: row.keep_newest,
  noncurrent_days: row.noncurrent_days,
  keep_versions: row.keep_versions,
  expired_markers: row.expired_markers !== null,
  keep_snapshots: row.keep_snapshots,
  max_deletes: row.max_deletes,
  max_delete_percent: row.max_delete_percent,
})

type Place = Pick<Rule, 'bucket_patterns' | 'prefix'>
type Scope = Place & Pick<Rule, 'keep_snapshots'>

/** The right with which a policy does what it does, as its author. */
export const rightOf = ({ keep_snapshots }: Pick<Rule, 'keep_snapshots'>): 'delete' | 'manage' =>
  keep_snapshots === null ? 'delete' : 'manage'

/**
 * The rights that a caller needs on everything a policy may reach, to see, change and run it: it acts with those of its
 * author, which a token with a scope has to have as well.
 */
const rightsOver = ({ scope }: Pick<Actor, 'scope'>, of: Scope) =>
  scope === undefined ? (['policy'] as const) : (['policy', rightOf(of)] as const)

/** Whether a policy is the caller's to see, change and run. */
export const mayManagePolicy = (actor: Pick<Actor, 'groups' | 'scope'>, scope: Scope): boolean =>
  rightsOver(actor, scope).every((action) => missing(actor.groups, action, scope) === undefined)

/** Throws forbidden, naming what is missing, unless a policy would be the caller's. */
export const assertMayManagePolicy = (actor: Pick<Actor, 'groups' | 'scope'>, scope: Scope): void =>
  allowOnAll(actor.groups, rightsOver(actor, scope), scope)

const missing = (
  groups: readonly GrantingGroup[],
  action: 'policy' | 'delete' | 'manage',
  { bucket_patterns, prefix }: Place,
) =>
  bucket_patterns.find((bucket_pattern) => {
    const grants = [{ id: '', bucket_pattern, prefix, actions: [action] }]
    return !covers(groups, [{ id: '', name: '', global: [], grants }])
  })

/** Throws forbidden, naming what is missing, unless these groups grant the rights on everything a policy may reach. */
export function allowOnAll(
  groups: readonly GrantingGroup[],
  actions: readonly ('policy' | 'delete' | 'manage')[],
  scope: Place,
  who = 'You need',
): void {
  for (const action of actions) {
    const pattern = missing(groups, action, scope)
    if (pattern === undefined) continue
    const where = scope.prefix === '' ? 'all keys' : `all keys under "${scope.prefix}"`
    throw new ServiceError('forbidden', `${who} the right "${action}" on ${where} of bucket "${pattern}".`)
  }
}

/** An object or version as the rule sees it. */
export interface Subject {
  key: string
  /** Null of a delete marker, which no condition on sizes or tags is about. */
  size: number | null
  last_modified: string
  /** JSON; null without tags. */
  tags: string | null
}

/** A rule's conditions at one moment, with days of `day` milliseconds, each a function of one object or version. */
export function conditionsAt(rule: Rule, cutoff: Date, day: number) {
  const { glob, min_size, max_size, older_than_days, prefix, date, noncurrent_days } = rule
  const matchesGlob = glob === null ? () => true : compileGlob(glob)
  const before = (days: number | null) => new Date(cutoff.getTime() - (days ?? 0) * day).toISOString()
  const oldest = before(older_than_days)
  const longest = before(noncurrent_days)
  const isEarly = date !== null && cutoff.toISOString() < date
  const wanted = Object.entries(rule.tags ?? {})
  return {
    hasTags: (object: Pick<Subject, 'tags'>) => hasTags(object, wanted),
    /** The first condition on the object itself that keeps it. */
    unlike(object: Subject): 'glob' | 'min_size' | 'max_size' | 'tags' | null {
      const { key, size } = object
      if (!matchesGlob(key.slice(prefix.length))) return 'glob'
      if (min_size !== null && (size === null || size < min_size)) return 'min_size'
      if (max_size !== null && (size === null || size > max_size)) return 'max_size'
      return hasTags(object, wanted) ? null : 'tags'
    },
    /** The first condition on the time that keeps it. */
    early({ last_modified }: Pick<Subject, 'last_modified'>): 'older_than_days' | 'date' | null {
      if (older_than_days !== null && last_modified > oldest) return 'older_than_days'
      return isEarly ? 'date' : null
    },
    /** Whether a version stopped being current too lately to go. */
    isRecent: (noncurrentSince: string) => noncurrent_days !== null && noncurrentSince > longest,
  }
}

/** From when on an object is old enough, and the rule in force; with days of `day` milliseconds. */
export const dueAt = (
  { older_than_days, date }: Rule,
  { last_modified }: Pick<Subject, 'last_modified'>,
  day: number,
): Date =>
  new Date(Math.max(Date.parse(last_modified) + (older_than_days ?? 0) * day, date === null ? 0 : Date.parse(date)))

/** Whether a rule may delete in a bucket. */
export const reachesBucket = (
  { bucket_patterns, bucket_id = null }: Pick<RunRule, 'bucket_patterns' | 'bucket_id'>,
  { id, name }: { id: string; name: string },
): boolean =>
  (bucket_id === null || bucket_id === id) && bucket_patterns.some((pattern) => matchesPattern(pattern, name))

/** What decides which of two objects is newer. */
type Aged = Pick<Subject, 'key' | 'last_modified'>
/** Whether `a` is newer than `b`; if equally old, the one with the later key counts as newer. */
export const isNewer = (a: Aged, b: Aged): boolean =>
  a.last_modified === b.last_modified ? compareKeys(a.key, b.key) > 0 : a.last_modified > b.last_modified

/** An object's folder with its slash; '' at the top. */
export const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1)

/** Why a run with these numbers must not delete anything; null if it may. */
export function guardRail(rule: Rule, { examined, matched }: { examined: number; matched: number }): string | null {
  const { max_deletes, max_delete_percent } = rule
  if (max_deletes !== null && matched > max_deletes)
    return `It matches ${matched} objects, more than the ${max_deletes} that max_deletes allows. Nothing was deleted.`
  if (max_delete_percent !== null && matched * 100 > max_delete_percent * examined)
    return `It matches ${matched} of ${examined} objects, more than the ${max_delete_percent} % that max_delete_percent allows. Nothing was deleted.`
  return null
}
