import './AttachedBadges.css'
import { Alert, Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Bucket } from '../../../contract/buckets.ts'
import { useMe } from '../api/queries.ts'
import { latestScansQuery } from '../api/scans.ts'
import { formatBoth, formatMoment } from '../i18n.ts'
import { Link } from '../navigation/Link.tsx'
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

/**
 * That an attached bucket is read-only, taken over or being released, and whether a scan of it is held or found changes by
 * others; nothing for other buckets.
 */
export function AttachedBadges({ bucket: { name, mode, source }, asOf = true }: { bucket: Bucket; asOf?: boolean }) {
  if (source === null) return null
  const isShown = mode === 'read_only'
  return (
    <span className="attached-badges">
      {source.release_job === null ? (
        <span title={isShown ? text.readOnlyHint : text.takenOverHint}>
          <Status tone="note">{isShown ? text.readOnly : text.takenOver}</Status>
        </span>
      ) : (
        <span title={text.releasingHint}>
          <Status tone="note">{text.releasing}</Status>
        </span>
      )}
      {asOf && isShown ? <AsOf time={source.as_of} /> : null}
      <Held bucket={name} />
      {isShown ? null : <Findings bucket={name} n={source.findings ?? 0} />}
    </span>
  )
}

/** That a bucket cannot be changed while a job releases it. */
export function ReleasingNotice({ job }: { job: string }) {
  const { isAdmin } = useMe()
  return (
    <Alert role="status" title={text.releasingTitle}>
      <p>
        {text.releasingHint}{' '}
        {isAdmin ? (
          <Anchor component={Link} to={`/jobs/${job}`}>
            {text.releasingJob}
          </Anchor>
        ) : null}
      </p>
    </Alert>
  )
}

/** Leads to what others changed since the bucket was taken over, if the user can see it. */
function Findings({ bucket, n }: { bucket: string; n: number }) {
  const { can } = useMe()
  if (n === 0) return null
  const status = <Status tone="warn">{text.findings(n)}</Status>
  if (!can('manage', bucket)) return <span title={text.findingsHint}>{status}</span>
  return (
    <Link to={`/b/${bucket}/findings`} title={text.findingsHint} className="attached-held">
      {status}
    </Link>
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
