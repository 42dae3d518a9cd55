import type { Policy } from '../../../../contract/policies.ts'
import { reachesObjects, reachesVersions } from '../../../../contract/reach.ts'
import { formatBytes, formatTime, locale, MB } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { text } from './messages.ts'

const lists = new Intl.ListFormat(locale, { type: 'conjunction' })

/** A rule as edited in the form. Empty numbers mean no condition. */
export type Draft = {
  name: string
  bucket_patterns: string[]
  prefix: string
  glob: string
  older_than_days: number | string
  min_size: number | string
  max_size: number | string
  /** A line `name=value` for each. */
  tags: string
  /** ISO 8601, UTC. */
  date: string
  keep_newest: number | string
  noncurrent_days: number | string
  keep_versions: number | string
  expired_markers: boolean
  keep_snapshots: number | string
  max_deletes: number | string
  max_delete_percent: number | string
  cron: string
  timezone: string
  enabled: boolean
}
export const emptyDraft = (): Draft => ({
  name: '',
  bucket_patterns: [],
  prefix: '',
  glob: '',
  older_than_days: '',
  min_size: '',
  max_size: '',
  tags: '',
  date: '',
  keep_newest: '',
  noncurrent_days: '',
  keep_versions: '',
  expired_markers: false,
  keep_snapshots: '',
  max_deletes: '',
  max_delete_percent: '',
  cron: '',
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  enabled: true,
})
export const draftOf = (policy: Policy): Draft => ({
  name: policy.name,
  bucket_patterns: policy.bucket_patterns,
  prefix: policy.prefix,
  glob: policy.glob ?? '',
  older_than_days: policy.older_than_days ?? '',
  min_size: policy.min_size === null ? '' : policy.min_size / MB,
  max_size: policy.max_size === null ? '' : policy.max_size / MB,
  tags: linesOf(policy.tags ?? {}).join('\n'),
  date: policy.date ?? '',
  keep_newest: policy.keep_newest ?? '',
  noncurrent_days: policy.noncurrent_days ?? '',
  keep_versions: policy.keep_versions ?? '',
  expired_markers: policy.expired_markers,
  keep_snapshots: policy.keep_snapshots ?? '',
  max_deletes: policy.max_deletes ?? '',
  max_delete_percent: policy.max_delete_percent ?? '',
  cron: policy.cron ?? '',
  timezone: policy.timezone,
  enabled: policy.enabled,
})

const number = (value: number | string): number | null => (typeof value === 'number' ? value : null)
/** Bytes of a size in megabytes. */
const bytes = (value: number | string, least: number): number | null => {
  const megabytes = number(value)
  return megabytes === null ? null : Math.max(least, Math.round(megabytes * MB))
}
/** Tags as lines `name=value`. */
const linesOf = (tags: { [name: string]: string }): string[] => Object.entries(tags).map((pair) => pair.join('='))
/** Tags of lines; one without `=` has an empty value. */
function tagsOf(lines: string): { [name: string]: string } | null {
  const pairs = lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', ...value] = line.split('=')
      return [name.trim(), value.join('=').trim()]
    })
  return pairs.length === 0 ? null : Object.fromEntries(pairs)
}
/** The rule for the API: everything that decides what a run does and when. */
export const ruleOf = (draft: Draft) => ({
  bucket_patterns: draft.bucket_patterns,
  prefix: draft.prefix,
  glob: draft.glob === '' ? null : draft.glob,
  older_than_days: number(draft.older_than_days),
  min_size: bytes(draft.min_size, 1),
  max_size: bytes(draft.max_size, 0),
  tags: tagsOf(draft.tags),
  date: draft.date === '' ? null : draft.date,
  keep_newest: number(draft.keep_newest),
  noncurrent_days: number(draft.noncurrent_days),
  keep_versions: number(draft.keep_versions),
  expired_markers: draft.expired_markers,
  keep_snapshots: number(draft.keep_snapshots),
  max_deletes: number(draft.max_deletes),
  max_delete_percent: number(draft.max_delete_percent),
  cron: draft.cron === '' ? null : draft.cron,
  timezone: draft.timezone,
})
export type Rule = ReturnType<typeof ruleOf>

/** Whether the rule has a bucket and at least one condition. */
export const isComplete = ({ bucket_patterns, ...rule }: Rule): boolean =>
  bucket_patterns.length > 0 && conditions.some((one) => rule[one] !== null && rule[one] !== false)
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
  'keep_snapshots',
] as const

/** A rule in words: `Delete objects older than 30 days under logs/ in media`. */
export function inWords(rule: Pick<Rule, 'prefix' | 'bucket_patterns' | (typeof conditions)[number]>): string {
  const { older_than_days: days, min_size, max_size, tags, date, glob, keep_newest, prefix } = rule
  const { noncurrent_days: since, keep_versions: kept } = rule
  const named = glob === null ? [] : [text.wordsGlob(legible(glob))]
  const like = [
    ...(min_size === null ? [] : [text.wordsSize(formatBytes(min_size))]),
    ...(max_size === null ? [] : [text.wordsMost(formatBytes(max_size))]),
    ...(tags === null ? [] : [text.wordsTags(lists.format(linesOf(tags).map(legible)))]),
  ]
  const ofObjects = [
    ...named,
    ...(days === null ? [] : [days === 0 ? text.wordsAnyAge : text.wordsOlder(days)]),
    ...like,
    ...(keep_newest === null ? [] : [text.wordsKeep(keep_newest)]),
  ]
  const ofVersions = [
    ...named,
    ...(since === null ? [] : [text.wordsSince(since)]),
    ...like,
    ...(kept === null ? [] : [text.wordsKeepVersions(kept)]),
  ]
  const kinds = [
    ...(reachesObjects(rule) ? [text.wordsObjects(ofObjects.join(', ') || text.wordsAnyAge)] : []),
    ...(reachesVersions(rule) ? [text.wordsVersions(ofVersions.join(', '))] : []),
    ...(rule.expired_markers ? [text.wordsMarkers] : []),
  ]
  const buckets = lists.format(rule.bucket_patterns)
  if (rule.keep_snapshots !== null) return text.wordsSnapshots(buckets, rule.keep_snapshots)
  const where = prefix === '' ? text.wordsIn(buckets) : text.wordsUnder(legible(prefix), buckets)
  const words = text.words(lists.format(kinds), where)
  return date === null ? words : text.wordsFrom(words, formatTime(date))
}

/** The named schedules; others are written as cron. */
export const schedules = [
  { value: '', label: text.byHand },
  { value: '0 * * * *', label: text.hourly },
  { value: '0 3 * * *', label: text.daily },
  { value: '0 3 * * 0', label: text.weekly },
  { value: '0 3 1 * *', label: text.monthly },
]
export const nameSchedule = (cron: string | null, timezone: string): string => {
  if (!cron) return text.byHand
  const known = schedules.find(({ value }) => value === cron)
  const [, minute = '', hour] = /^(\d+) (\d+) \* \* \*$/.exec(cron) ?? []
  const daily = hour === undefined ? cron : text.dailyAt(`${hour}:${minute.padStart(2, '0')}`)
  return text.scheduled(known?.label ?? daily, timezone)
}
