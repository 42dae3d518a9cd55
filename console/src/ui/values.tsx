import { IconAlertTriangle, IconCheck, IconCircleX, IconClock, IconInfoCircle } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { formatAgo, formatBoth, formatBytes, formatCount, GB } from '../i18n.ts'
import { text } from './messages.ts'

/** A relative time, with local time and UTC on hover. Without a time: `never`, or `none`. */
export function TimeAgo({ time, none = text.never }: { time: string | null | undefined; none?: string }) {
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 30_000)
    return () => clearInterval(timer)
  }, [])
  if (!time) return <span className="dim">{none}</span>
  return (
    <time dateTime={time} title={formatBoth(time)} className="nowrap">
      {formatAgo(time)}
    </time>
  )
}

/** A size, with the exact bytes on hover. */
export const Bytes = ({ bytes }: { bytes: number }) => (
  <span className="number" title={`${formatCount(bytes)} B`}>
    {formatBytes(bytes)}
  </span>
)
export const Count = ({ n }: { n: number }) => <span className="number">{formatCount(n)}</span>

/** The share of a quota from which its use is a warning. */
export const NEARLY_FULL = 0.8
/**
 * A bucket's use of its quota: amber from 80%, red and in words when full. What unfinished uploads reserve counts toward
 * the quota and is named beside what is stored, so that this is one figure everywhere.
 */
export function QuotaBar({ used, reserved, quotaGb }: { used: number; reserved: number; quotaGb: number | null }) {
  const also = reserved > 0 ? <span className="dim small nowrap">{text.reservedToo(formatBytes(reserved))}</span> : null
  if (quotaGb === null)
    return (
      <span className="quota">
        <span className="dim number">{text.noQuota(formatBytes(used))}</span>
        {also}
      </span>
    )
  const quota = quotaGb * GB
  const share = (used + reserved) / quota
  const kind = share >= 1 ? 'bad' : share >= NEARLY_FULL ? 'warn' : 'fine'
  const label = text.ofQuota(formatBytes(used), formatBytes(quota))
  return (
    <span className="quota">
      <span className="number">{label}</span>
      {also}
      {/* A <meter> cannot be styled alike everywhere. */}
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      <span
        className={`meter meter-${kind}`}
        role="meter"
        aria-label={label}
        aria-valuenow={Math.round(share * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <span style={{ inlineSize: `${Math.min(100, share * 100)}%` }} />
      </span>
      {share >= 1 ? <span className="bad small">{text.full}</span> : null}
    </span>
  )
}

const icons = {
  ok: IconCheck,
  warn: IconAlertTriangle,
  bad: IconCircleX,
  note: IconInfoCircle,
  idle: IconClock,
} as const
export type Tone = keyof typeof icons
/** A state in a word with an icon, never by colour alone. */
export function Status({ tone, children }: { tone: Tone; children: string }) {
  const Icon = icons[tone]
  return (
    <span className={`status status-${tone}`}>
      <Icon size={13} stroke={2} aria-hidden />
      {children}
    </span>
  )
}
