import { Select } from '@mantine/core'
import { formatBoth, formatTime, locale } from '../i18n.ts'
import { MomentField } from './MomentField.tsx'
import { text } from './messages.ts'

/** A duration as in the API (`7d`), `never`, or a chosen time. */
export interface Expiry {
  choice: string
  /** The date field's value, in the local time zone. */
  at: string
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000 }
/** Seconds in `7d` and the like; `never` is infinite. */
export function secondsOf(length: string): number {
  if (length === 'never') return Number.POSITIVE_INFINITY
  return Number.parseInt(length, 10) * (UNITS[length.slice(-1)] ?? 1)
}
/** `7 days`, `12 hours`. */
export function nameLength(length: string): string {
  if (length === 'never') return text.lengthNever
  const seconds = secondsOf(length)
  for (const [unit, size] of [
    ...(length.endsWith('y') ? [['year', 31_536_000] as const] : []),
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ] as const)
    if (seconds % size === 0)
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / size)
  return new Intl.NumberFormat(locale, { style: 'unit', unit: 'second', unitDisplay: 'long' }).format(seconds)
}

/** The durations to offer: those of `usual` and `more` up to `longest` (null: no limit). */
export function lengthsUpTo(longest: string | null, usual: readonly string[], more: readonly string[] = []): string[] {
  const most = longest === null ? Number.POSITIVE_INFINITY : secondsOf(longest)
  const all = [...usual, ...more, ...(longest === null ? ['never'] : [longest])]
  const bySeconds = new Map(all.map((length) => [secondsOf(length), length] as const))
  return [...bySeconds]
    .filter(([seconds]) => seconds <= most)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, length]) => length)
}

/** A date field's value for a time, local and to the minute. */
export function localValue(time: Date): string {
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 16)
}

/** When that is, counted from `from`; undefined unless it is in the future. */
export function endOf({ choice, at }: Expiry, from = Date.now()): Date | undefined {
  const end = choice === 'custom' ? new Date(at) : new Date(from + secondsOf(choice) * 1000)
  return end.getTime() > Date.now() ? end : undefined
}

/** The value for the API: a duration, or the seconds until the chosen time; undefined unless that is in the future. */
export function expiresIn({ choice, at }: Expiry): string | number | undefined {
  if (choice !== 'custom') return choice
  const seconds = Math.floor((new Date(at).getTime() - Date.now()) / 1000)
  return seconds > 0 ? seconds : undefined
}

/** When something expires: a usual duration, a custom time, or never. */
export function ExpiryField({
  label,
  lengths,
  value,
  onChange,
  error,
}: {
  label: string
  lengths: readonly string[]
  value: Expiry
  onChange: (next: Expiry) => void
  error?: string | undefined
}) {
  const options = [
    ...lengths.filter((length) => length !== 'never'),
    'custom',
    ...lengths.filter((length) => length === 'never'),
  ].map((length) => ({ value: length, label: length === 'custom' ? text.lengthCustom : nameLength(length) }))
  const custom = value.choice === 'custom'
  const seconds = secondsOf(value.choice)
  const until = custom ? new Date(value.at) : new Date(Date.now() + seconds * 1000)
  const known = Number.isFinite(until.getTime())
  const past = custom && known && until.getTime() <= Date.now()
  const hint = past ? undefined : known ? text.until(formatBoth(until)) : custom ? text.pickTime : text.untilNever
  return (
    <div className="stack-tight">
      <Select
        label={label}
        data={options}
        value={value.choice}
        onChange={(choice) => {
          if (choice !== null) onChange({ choice, at: value.at || localValue(new Date(Date.now() + 86_400_000)) })
        }}
        description={custom ? undefined : hint}
        error={custom ? undefined : error}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
      />
      {custom ? (
        <MomentField
          label={text.pickedTime}
          value={value.at}
          min={localValue(new Date())}
          onChange={(event) => onChange({ ...value, at: event.currentTarget.value })}
          description={hint}
          error={past ? text.pastTime(formatTime(until)) : error}
        />
      ) : null}
    </div>
  )
}
