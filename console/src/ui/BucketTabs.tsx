import './BucketTabs.css'
import { useQuery } from '@tanstack/react-query'
import { bucketQuery, useReadOnly } from '../api/buckets.ts'
import { useMe } from '../api/queries.ts'
import { Link } from '../navigation/Link.tsx'
import { AttachedBadges, ReleasingNotice } from './AttachedBadges.tsx'
import { text } from './messages.ts'
import { PublicBadge } from './PublicBadge.tsx'

export type BucketTab =
  | 'objects'
  | 'changes'
  | 'snapshots'
  | 'deleted'
  | 'trash'
  | 'scans'
  | 'findings'
  | 'protection'
  | 'access'
  | 'policy'
  | 'connect'
  | 'settings'
  | 'overview'
  | 'uploads'

interface Section {
  tab: BucketTab
  label: string
  to: string
  search?: Record<string, string>
  shown: boolean
}

/**
 * A bucket's tabs, and below them the pages of the open one, without those the user has no permission for or that a
 * read-only bucket has nothing for; and whether it is public, read-only, taken over or being released. A tab without its
 * main page has the name of the first that is left.
 */
export function BucketTabs({ bucket, active }: { bucket: string; active: BucketTab }) {
  const { can, canIn, seesAccess, s3 } = useMe()
  const about = useQuery(bucketQuery(bucket))
  const readOnly = useReadOnly(bucket) === true
  const manages = can('manage', bucket)
  const source = about.data?.source
  const lists = !readOnly && canIn('list', bucket)
  const page = (tab: BucketTab, label: string, shown: boolean, search?: Record<string, string>): Section => ({
    tab,
    label,
    // The pages of the past have one address.
    to: `/b/${bucket}/${search ? 'history' : tab}`,
    search: search ?? {},
    shown,
  })
  const groups: readonly (readonly [label: string, ...pages: Section[]])[] = [
    [text.tabObjects, { tab: 'objects', label: text.tabObjects, to: `/b/${bucket}`, shown: true }],
    [
      text.tabHistory,
      page('changes', text.tabChanges, lists, {}),
      page('snapshots', text.tabSnapshots, lists, { tab: 'snapshots' }),
      page('deleted', text.tabDeleted, lists && (about.data?.versioning ?? 'off') !== 'off'),
      page('trash', text.tabTrash, lists),
    ],
    [
      text.tabScans,
      page('scans', text.tabScans, (readOnly || source != null) && manages),
      page('findings', text.tabFindings, about.data?.mode === 'taken_over' && manages),
    ],
    [text.tabProtection, page('protection', text.tabProtection, !readOnly || about.data?.public_access != null)],
    [
      text.tabAccess,
      page('access', text.tabWho, seesAccess(bucket)),
      page('policy', text.tabPolicy, manages),
      page('connect', text.tabConnect, s3 !== null),
    ],
    [
      text.tabSettings,
      page('settings', text.tabGeneral, manages),
      page('overview', text.tabOverview, true),
      page('uploads', text.tabUploads, !readOnly && canIn('write', bucket)),
    ],
  ]
  const shown = groups.flatMap(([label, main, ...others]) => {
    const pages = [main, ...others].flatMap((one) => (one?.shown ? [one] : []))
    const [first] = pages
    return first ? [{ label: first === main ? label : first.label, first, pages }] : []
  })
  const open = shown.find(({ pages }) => pages.some(({ tab }) => tab === active))
  const link = (
    className: string,
    { to, search = {} }: Section,
    label: string,
    current: 'page' | 'true' | undefined,
  ) => (
    <Link key={label} to={to} search={search} className={className} exact aria-current={current}>
      {label}
    </Link>
  )
  return (
    <>
      <nav className="bucket-tabs" aria-label={text.bucketPages(bucket)}>
        {shown.map((group) =>
          link(
            'bucket-tab',
            group.first,
            group.label,
            group !== open ? undefined : group.first.tab === active ? 'page' : 'true',
          ),
        )}
        <span className="bucket-badge">
          {about.data ? <AttachedBadges bucket={about.data} /> : null}
          <PublicBadge access={about.data?.public_access} />
        </span>
      </nav>
      {open && open.pages.length > 1 ? (
        <nav className="bucket-pages" aria-label={open.label}>
          {open.pages.map((one) => link('bucket-page', one, one.label, one.tab === active ? 'page' : undefined))}
        </nav>
      ) : null}
      {source?.release_job ? <ReleasingNotice job={source.release_job} /> : null}
    </>
  )
}
