import './home.css'
import { Anchor } from '@mantine/core'
import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Bucket } from '../../../../contract/buckets.ts'
import { attentionQuery } from '../../api/attention.ts'
import { bucketsQuery, totalsOf } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { Link } from '../../navigation/Link.tsx'
import { text as common } from '../../ui/messages.ts'
import { OwnFolders } from '../../ui/OwnFolders.tsx'
import { Page } from '../../ui/Page.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { Tile, Tiles } from '../../ui/Tiles.tsx'
import { Bytes, Count, QuotaBar } from '../../ui/values.tsx'
import { NoRights } from '../buckets/NoRights.tsx'
import { isOver, titleOf } from '../jobs/describe.ts'
import { Progress } from '../jobs/Progress.tsx'
import { latestJobsQuery } from '../jobs/queries.ts'
import { Attention } from './Attention.tsx'
import { FirstSteps } from './FirstSteps.tsx'
import { text } from './messages.ts'

const LARGEST = 6
/** Milliseconds after which what needs attention is asked for again. */
const AGAIN_MS = 30_000

/** The start page: first steps, what needs attention, what runs, and the largest buckets. */
export default function Home() {
  const me = useMe()
  const buckets = useQuery(bucketsQuery)
  // Asked for at the same time as the buckets; whatever changed it, the page shows how it is now.
  const { data: found } = useQuery({ ...attentionQuery, refetchOnMount: 'always', refetchInterval: AGAIN_MS })
  usePrefetchQuery(latestJobsQuery)
  return (
    <Page title={text.title} call={{ operation: 'listBuckets' }}>
      <StateView query={buckets}>
        {(all) =>
          all.length === 0 && !me.grantsAnything ? (
            <NoRights />
          ) : (
            <>
              {me.isAdmin ? <FirstSteps buckets={all} found={found} /> : null}
              <Figures buckets={all} />
              <div className="home-columns">
                <Folders buckets={all} />
                <Attention buckets={all} found={found} />
                <Running />
                <Largest buckets={all} />
              </div>
            </>
          )
        }
      </StateView>
    </Page>
  )
}

function Figures({ buckets }: { buckets: readonly Bucket[] }) {
  const known = buckets.flatMap((bucket) => totalsOf(bucket) ?? [])
  const sum = (of: (totals: (typeof known)[number]) => number) => known.reduce((total, one) => total + of(one), 0)
  const note = known.length < buckets.length ? text.withoutFolders : null
  return (
    <Tiles>
      <Tile label={text.buckets}>
        <Count n={buckets.length} />
      </Tile>
      {known.length === 0 && buckets.length > 0 ? null : (
        <>
          <Tile label={text.objects} note={note}>
            <Count n={sum(({ object_count }) => object_count)} />
          </Tile>
          <Tile label={text.stored} note={note}>
            <Bytes bytes={sum(({ used_bytes }) => used_bytes)} />
          </Tile>
          <Tile label={text.inTrash} note={note}>
            <Bytes bytes={sum(({ trash_bytes }) => trash_bytes)} />
          </Tile>
        </>
      )}
    </Tiles>
  )
}

function Running() {
  const jobs = useQuery(latestJobsQuery)
  const running = jobs.data?.filter((job) => !isOver(job)) ?? []
  if (running.length === 0) return null
  return (
    <section className="card stack-tight" aria-labelledby="running">
      <h2 id="running">{text.running}</h2>
      <ul className="home-list">
        {running.map((job) => (
          <li key={job.id}>
            <Anchor component={Link} to={`/jobs/${job.id}`}>
              {titleOf(job)}
            </Anchor>
            <Progress job={job} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Some of the buckets, with the way to all of them. */
const SomeBuckets = ({ id, title, children }: { id: string; title: string; children: ReactNode }) => (
  <section className="card stack-tight" aria-labelledby={id}>
    <header className="row">
      <h2 id={id}>{title}</h2>
      <span className="grow" />
      <Anchor component={Link} to="/buckets">
        {text.allBuckets}
      </Anchor>
    </header>
    <ul className="home-list">{children}</ul>
  </section>
)

/** The folders of a user who has nothing but folders in a bucket. */
function Folders({ buckets }: { buckets: readonly Bucket[] }) {
  const me = useMe()
  const partly = buckets.filter(({ name }) => !me.prefixesIn(name).includes(''))
  if (partly.length === 0) return null
  return (
    <SomeBuckets id="own-folders" title={common.ownFolders}>
      {partly.slice(0, LARGEST).map(({ name }) => (
        <li key={name}>
          <span>{name}</span>
          <OwnFolders bucket={name} label={false} />
        </li>
      ))}
    </SomeBuckets>
  )
}

function Largest({ buckets }: { buckets: readonly Bucket[] }) {
  const known = buckets.flatMap((bucket) => {
    const totals = totalsOf(bucket)
    return totals ? [{ ...totals, name: bucket.name, mode: bucket.mode }] : []
  })
  if (known.length === 0) return null
  const largest = known.toSorted((a, b) => b.used_bytes - a.used_bytes).slice(0, LARGEST)
  return (
    <SomeBuckets id="largest" title={text.largest}>
      {largest.map(({ name, mode, used_bytes, filled_bytes, reserved_bytes, quota_gb }) => (
        <li key={name}>
          <Anchor component={Link} to={`/b/${name}`} fw={600}>
            {name}
          </Anchor>
          {mode === 'read_only' ? (
            <Bytes bytes={used_bytes} />
          ) : (
            <QuotaBar used={filled_bytes} reserved={reserved_bytes} quotaGb={quota_gb} />
          )}
        </li>
      ))}
    </SomeBuckets>
  )
}
