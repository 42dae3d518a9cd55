import './BucketTabs.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { bucketQuery } from '../api/buckets.ts'
import { useMe } from '../api/queries.ts'
import { text } from './messages.ts'
import { PublicBadge } from './PublicBadge.tsx'

export type BucketTab = 'objects' | 'overview' | 'trash' | 'uploads' | 'protection' | 'connect' | 'settings'

/** A bucket's tabs, without those the user has no permission for, and whether it is public. */
export function BucketTabs({ bucket, active }: { bucket: string; active: BucketTab }) {
  const { can, canIn, s3 } = useMe()
  const about = useQuery(bucketQuery(bucket))
  const tabs: readonly [BucketTab, string, string, boolean][] = [
    ['objects', text.tabObjects, `/b/${bucket}`, true],
    ['overview', text.tabOverview, `/b/${bucket}/overview`, true],
    ['trash', text.tabTrash, `/b/${bucket}/trash`, canIn('list', bucket)],
    ['uploads', text.tabUploads, `/b/${bucket}/uploads`, canIn('write', bucket)],
    ['protection', text.tabProtection, `/b/${bucket}/protection`, true],
    ['connect', text.tabConnect, `/b/${bucket}/connect`, s3 !== null],
    ['settings', text.tabSettings, `/b/${bucket}/settings`, can('manage', bucket)],
  ]
  return (
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
        <PublicBadge access={about.data?.public_access} />
      </span>
    </nav>
  )
}
