import './home.css'
import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Bucket } from '../../../../contract/buckets.ts'
import { bucketsQuery } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
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

/** The start page: first steps, what needs attention, what runs, and the largest buckets. */
export default function Home() {
  const me = useMe()
  const buckets = useQuery(bucketsQuery)
  return (
    <Page title={text.title} call={{ operation: 'listBuckets' }}>
      <StateView query={buckets}>
        {(all) =>
          all.length === 0 && !me.grantsAnything ? (
            <NoRights />
          ) : (
            <>
              {me.isAdmin ? <FirstSteps buckets={all} /> : null}
              <Figures buckets={all} />
              <div className="home-columns">
                <Attention buckets={all} />
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
  const sum = (of: (bucket: Bucket) => number) => buckets.reduce((total, bucket) => total + of(bucket), 0)
  return (
    <Tiles>
      <Tile label={text.buckets}>
        <Count n={buckets.length} />
      </Tile>
      <Tile label={text.objects}>
        <Count n={sum(({ object_count }) => object_count)} />
      </Tile>
      <Tile label={text.stored}>
        <Bytes bytes={sum(({ used_bytes }) => used_bytes)} />
      </Tile>
      <Tile label={text.inTrash}>
        <Bytes bytes={sum(({ trash_bytes }) => trash_bytes)} />
      </Tile>
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

function Largest({ buckets }: { buckets: readonly Bucket[] }) {
  if (buckets.length === 0) return null
  const largest = buckets.toSorted((a, b) => b.used_bytes - a.used_bytes).slice(0, LARGEST)
  return (
    <section className="card stack-tight" aria-labelledby="largest">
      <header className="row">
        <h2 id="largest">{text.largest}</h2>
        <span className="grow" />
        <Anchor component={Link} to="/buckets">
          {text.allBuckets}
        </Anchor>
      </header>
      <ul className="home-list">
        {largest.map(({ name, mode, used_bytes, reserved_bytes, quota_gb }) => (
          <li key={name}>
            <Anchor component={Link} to={`/b/${name}`} fw={600}>
              {name}
            </Anchor>
            {mode === 'read_only' ? (
              <Bytes bytes={used_bytes} />
            ) : (
              <QuotaBar used={used_bytes + reserved_bytes} quotaGb={quota_gb} />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
