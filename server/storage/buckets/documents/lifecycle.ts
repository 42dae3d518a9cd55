import type { Tags } from '../../../../contract/shapes.ts'
import { DAY_MS, lastMidnight, nextMidnight } from '../../../base/time.ts'
import type { Config } from '../../../config/config.ts'

/** Which objects a lifecycle rule is about: those of which all this is so. */
export interface LifecycleFilter {
  prefix?: string
  tags?: Tags
  /** Sizes in bytes, both exclusive. */
  greater_than?: number
  less_than?: number
}

/** A rule of a bucket's lifecycle configuration. */
export interface LifecycleRule {
  id: string
  enabled: boolean
  filter: LifecycleFilter
  /** How the filter was written, so that clients read what they wrote. */
  written: 'prefix' | 'filter' | 'and'
  /** `days` after the last change, or from `date` (a midnight UTC) on. */
  expiration?: { days: number } | { date: string } | { expired_delete_marker: boolean }
  /** Versions expire `days` after they stopped being current, but not the `newer` latest of them. */
  noncurrent?: { days: number; newer?: number }
  /** Days after which an upload in parts that was not completed is aborted. */
  abort_days?: number
}

/** Whether a filter has conditions that neither uploads in parts nor delete markers can meet: tags and sizes. */
export const isNarrow = (filter: object): boolean => Object.keys(filter).some((name) => name !== 'prefix')

/** What rules judge of an object; `tags` is JSON, null without tags. */
export interface LifecycleSubject {
  key: string
  size: number
  tags: string | null
  last_modified: string
}

/** Whether an object has all of these tags. */
export function hasTags(
  object: Pick<LifecycleSubject, 'tags'>,
  wanted: readonly (readonly [name: string, value: string])[],
) {
  if (wanted.length === 0) return true
  const given = object.tags === null ? {} : (JSON.parse(object.tags) as Tags)
  return wanted.every(([name, value]) => Object.hasOwn(given, name) && given[name] === value)
}

const isAbout = (
  { prefix = '', tags = {}, greater_than, less_than }: LifecycleFilter,
  object: LifecycleSubject,
): boolean =>
  object.key.startsWith(prefix) &&
  (greater_than === undefined || object.size > greater_than) &&
  (less_than === undefined || object.size < less_than) &&
  hasTags(object, Object.entries(tags))

/** When a rule takes effect. */
export interface Due {
  at: Date
  rule: string
}

/** When an object expires first, and by which rule; undefined if it does not. */
export const expiryOf = (rules: readonly LifecycleRule[], object: LifecycleSubject): Due | undefined =>
  firstDue(rules, ({ filter, expiration }) => {
    if (!expiration || 'expired_delete_marker' in expiration || !isAbout(filter, object)) return undefined
    return 'date' in expiration ? new Date(expiration.date) : daysAfter(object.last_modified, expiration.days)
  })

/** When an upload in parts is aborted that is not completed before, and by which rule; undefined if none says so. */
export const abortionOf = (
  rules: readonly LifecycleRule[],
  upload: { key: string; created_at: string },
): Due | undefined =>
  firstDue(rules, ({ filter, abort_days }) =>
    abort_days === undefined || !upload.key.startsWith(filter.prefix ?? '')
      ? undefined
      : daysAfter(upload.created_at, abort_days),
  )

/** Whether days of lifecycle configurations are shorter than a day, for trying them out. */
export const isDayShort = ({ s3 }: Days): boolean => s3.lifecycleDayMs < DAY_MS
type Days = Pick<Config, 's3'>
/** How many times in a short day what is due is looked for. */
export const RUNS_A_SHORT_DAY = 5

/** The moment up to which days are counted at a time: the last midnight UTC; with short days, that time itself. */
export const endOfDay = (days: Days, now: Date): Date => (isDayShort(days) ? now : lastMidnight(now))

/** Days end at midnight UTC. */
const daysAfter = (time: string, days: number): Date => nextMidnight(new Date(Date.parse(time) + days * DAY_MS))

function firstDue(rules: readonly LifecycleRule[], dueBy: (rule: LifecycleRule) => Date | undefined): Due | undefined {
  let first: Due | undefined
  for (const rule of rules) {
    const at = rule.enabled ? dueBy(rule) : undefined
    if (at && (!first || at < first.at)) first = { at, rule: rule.id }
  }
  return first
}
