import './BucketTabs.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { bucketQuery, useReadOnly } from '../api/buckets.ts'
import { useMe } from '../api/queries.ts'
import { AttachedBadges, ReleasingNotice } from './AttachedBadges.tsx'
import { text } from './messages.ts'
import { PublicBadge } from './PublicBadge.tsx'

export type BucketTab =
  | 'objects'
  | 'overview'
  | 'history'
  | 'scans'
  | 'findings'
  | 'trash'
  | 'uploads'
  | 'protection'
  | 'access'
  | 'connect'
  | 'settings'

/**
 * A bucket's tabs, without those the user has no permission for or that a read-only bucket has nothing for, and whether
 * it is public, read-only, taken over or being released.
 */
export function BucketTabs({ bucket, active }: { bucket: string; active: BucketTab }) {
  const { can, canIn, seesAccess, s3 } = useMe()
  const about = useQuery(bucketQuery(bucket))
  const readOnly = useReadOnly(bucket) === true
  const manages = can('manage', bucket)
  const source = about.data?.source
  const mayBePublic = about.data?.public_access != null
  const tabs: readonly [BucketTab, string, string, boolean][] = [
    ['objects', text.tabObjects, `/b/${bucket}`, true],
    ['overview', text.tabOverview, `/b/${bucket}/overview`, true],
    ['history', text.tabHistory, `/b/${bucket}/history`, !readOnly && canIn('list', bucket)],
    ['scans', text.tabScans, `/b/${bucket}/scans`, (readOnly || source != null) && manages],
    ['findings', text.tabFindings, `/b/${bucket}/findings`, about.data?.mode === 'taken_over' && manages],
    ['trash', text.tabTrash, `/b/${bucket}/trash`, !readOnly && canIn('list', bucket)],
    ['uploads', text.tabUploads, `/b/${bucket}/uploads`, !readOnly && canIn('write', bucket)],
    ['protection', text.tabProtection, `/b/${bucket}/protection`, !readOnly || mayBePublic],
    ['access', text.tabAccess, `/b/${bucket}/access`, seesAccess(bucket)],
    ['connect', text.tabConnect, `/b/${bucket}/connect`, s3 !== null],
    ['settings', text.tabSettings, `/b/${bucket}/settings`, manages],
  ]
  return (
    <>
      <nav className="bucket-tabs" aria-label={text.bucketPages(bucket)}>
        {tabs
          .filter(([, , , shown]) => shown)
          .map(([name, label, to]) => (
            <Link
              key={name}
              to={to}
              className="bucket-tab"
              activeOptions={{ exact: true, includeSearch: false }}
              activeProps={{}}
              aria-current={name === active ? 'page' : undefined}
            >
              {label}
            </Link>
          ))}
        <span className="bucket-badge">
          {about.data ? <AttachedBadges bucket={about.data} /> : null}
          <PublicBadge access={about.data?.public_access} />
        </span>
      </nav>
      {source?.release_job ? <ReleasingNotice job={source.release_job} /> : null}
    </>
  )
}
