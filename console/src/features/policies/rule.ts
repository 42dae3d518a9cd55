import type { Policy } from '../../../../contract/policies.ts'
import { formatBytes, MB } from '../../i18n.ts'
import { text } from './messages.ts'

const lists = new Intl.ListFormat('en', { type: 'conjunction' })

/** A rule as edited in the form. Empty numbers mean no condition. */
export type Draft = {
  name: string
  bucket_patterns: string[]
  prefix: string
  glob: string
  older_than_days: number | string
  min_size: number | string
  keep_newest: number | string
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
  keep_newest: '',
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
  keep_newest: policy.keep_newest ?? '',
  max_deletes: policy.max_deletes ?? '',
  max_delete_percent: policy.max_delete_percent ?? '',
  cron: policy.cron ?? '',
  timezone: policy.timezone,
  enabled: policy.enabled,
})

const number = (value: number | string): number | null => (typeof value === 'number' ? value : null)
/** The rule for the API: everything that decides what a run does and when. */
export const ruleOf = (draft: Draft) => {
  const megabytes = number(draft.min_size)
  return {
    bucket_patterns: draft.bucket_patterns,
    prefix: draft.prefix,
    glob: draft.glob === '' ? null : draft.glob,
    older_than_days: number(draft.older_than_days),
    min_size: megabytes === null ? null : Math.max(1, Math.round(megabytes * MB)),
    keep_newest: number(draft.keep_newest),
    max_deletes: number(draft.max_deletes),
    max_delete_percent: number(draft.max_delete_percent),
    cron: draft.cron === '' ? null : draft.cron,
    timezone: draft.timezone,
  }
}
export type Rule = ReturnType<typeof ruleOf>

/** Whether the rule has a bucket and at least one condition. */
export const isComplete = ({ bucket_patterns, glob, older_than_days, min_size, keep_newest }: Rule): boolean =>
  bucket_patterns.length > 0 && [glob, older_than_days, min_size, keep_newest].some((one) => one !== null)

/** A rule in words: `Delete objects older than 30 days under logs/ in media`. */
export function inWords(
  rule: Pick<Rule, 'prefix' | 'glob' | 'older_than_days' | 'min_size' | 'keep_newest' | 'bucket_patterns'>,
): string {
  const { older_than_days: days, min_size, glob, keep_newest, prefix } = rule
  const parts = [
    ...(glob === null ? [] : [text.wordsGlob(glob)]),
    ...(days === null ? [] : [days === 0 ? text.wordsAnyAge : text.wordsOlder(days)]),
    ...(min_size === null ? [] : [text.wordsSize(formatBytes(min_size))]),
    ...(keep_newest === null ? [] : [text.wordsKeep(keep_newest)]),
  ]
  const buckets = lists.format(rule.bucket_patterns)
  return text.words(parts.join(', '), prefix === '' ? text.wordsIn(buckets) : text.wordsUnder(prefix, buckets))
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
  const known = schedules.find(({ value }) => value === (cron ?? ''))
  if (!cron) return text.byHand
  return text.scheduled(known?.label ?? cron, timezone)
}
