import './AttachedBadges.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Bucket } from '../../../contract/buckets.ts'
import { useMe } from '../api/queries.ts'
import { latestScansQuery } from '../api/scans.ts'
import { formatBoth, formatMoment } from '../i18n.ts'
import { text } from './messages.ts'
import { Status } from './values.tsx'

/** When the list of an attached bucket was last complete. */
export const AsOf = ({ time }: { time: string | null }) =>
  time === null ? (
    <span className="dim small" title={text.firstScanHint}>
      {text.firstScan}
    </span>
  ) : (
    <time dateTime={time} className="dim small" title={text.asOfHint(formatBoth(time))}>
      {text.asOf(formatMoment(time))}
    </time>
  )

/** That an attached bucket is read-only, and whether a scan of it is held; nothing for other buckets. */
export function AttachedBadges({ bucket: { name, source }, asOf = true }: { bucket: Bucket; asOf?: boolean }) {
  if (source === null) return null
  return (
    <span className="attached-badges">
      <span title={text.readOnlyHint}>
        <Status tone="note">{text.readOnly}</Status>
      </span>
      {asOf ? <AsOf time={source.as_of} /> : null}
      <Held bucket={name} />
    </span>
  )
}

/** Leads to the scan that is held, if the user can see it. */
function Held({ bucket }: { bucket: string }) {
  const { can } = useMe()
  const { data } = useQuery({ ...latestScansQuery(bucket), enabled: can('manage', bucket) })
  if (!data?.held) return null
  return (
    <Link to={`/b/${bucket}/scans`} title={text.scanHeldHint} className="attached-held">
      <Status tone="warn">{text.scanHeld}</Status>
    </Link>
  )
}
