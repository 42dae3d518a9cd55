import './attached.css'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Bucket, BucketSource } from '../../../../contract/buckets.ts'
import type { Scan } from '../../../../contract/scans.ts'
import { bucketQuery } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { latestScansQuery } from '../../api/scans.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { BucketTabs } from '../../ui/BucketTabs.tsx'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { HeldScan } from './HeldScan.tsx'
import { takeOverText as text } from './messages.ts'
import { Progress } from './Progress.tsx'
import { TakeOverForm } from './TakeOverForm.tsx'
import { useScanEnd } from './useScanEnd.ts'

/** Takes a read-only bucket over: what would happen, the scan that does it, and how that ended. */
export default function TakeOver() {
  const me = useMe()
  const { bucket: name = '' } = useView().params
  const bucket = useQuery(bucketQuery(name))
  return (
    <Page
      inBuckets
      title={name}
      windowTitle={`${text.title} – ${name}`}
      call={{ operation: 'takeOverBucket', params: { bucket: name }, body: { dry_run: true } }}
    >
      <BucketTabs bucket={name} active="settings" />
      {me.isAdmin ? (
        <StateView query={bucket}>
          {(data) =>
            data.source === null ? (
              <EmptyView title={text.notAttached}>{text.notAttachedHint}</EmptyView>
            ) : (
              <Attempt bucket={data} source={data.source} since={bucket.dataUpdatedAt} />
            )
          }
        </StateView>
      ) : (
        <ForbiddenView right={text.right} />
      )}
    </Page>
  )
}

/** `since`: when the bucket was fetched, in milliseconds. */
function Attempt({ bucket, source, since }: { bucket: Bucket; source: BucketSource; since: number }) {
  const { name, mode } = bucket
  const scans = useQuery(latestScansQuery(name))
  useScanEnd(name, scans.data)
  if (mode !== 'read_only') return <TakenOver bucket={bucket} />
  return (
    <StateView query={scans}>
      {({ latest, active, held }) => {
        if (active?.trigger === 'take_over') return <Running bucket={name} scan={active} />
        // It has just ended, and the bucket is fetched again.
        if (latest?.trigger === 'take_over' && latest.status === 'succeeded' && scans.dataUpdatedAt > since)
          return <Running bucket={name} scan={latest} />
        return (
          <div className="attach">
            {held?.trigger === 'take_over' && !active ? (
              <HeldScan scan={held} storage={source.storage} isBusy={false} />
            ) : null}
            <TakeOverForm bucket={name} source={source} isBusy={active !== undefined} />
          </div>
        )
      }}
    </StateView>
  )
}

function Running({ bucket, scan }: { bucket: string; scan: Scan }) {
  const { status, phase } = scan
  return (
    <section className="card stack take-over" aria-labelledby="take-over-runs">
      <div className="stack-tight">
        <h2 id="take-over-runs">{text.runs(bucket)}</h2>
        <p>{status === 'queued' ? text.waits : phase === 'reading' ? text.readingHint : text.listingHint}</p>
        <p className="dim">{text.runsHint}</p>
      </div>
      <Progress scan={scan} />
      <div className="dialog-actions">
        <Button variant="default" component={Link} to={`/b/${bucket}/scans`}>
          {text.scans}
        </Button>
        <Button variant="default" component={Link} to={`/b/${bucket}`}>
          {text.browse}
        </Button>
      </div>
    </section>
  )
}

function TakenOver({ bucket: { name, storage, trash_days } }: { bucket: Bucket }) {
  return (
    <section className="card stack take-over" aria-labelledby="take-over-done">
      <div className="stack-tight" role="status">
        <h2 id="take-over-done">{text.done(name)}</h2>
        <p>{text.doneHint(storage)}</p>
        <p className="dim">{text.doneTrash(trash_days)}</p>
      </div>
      <div className="dialog-actions">
        <Button variant="default" component={Link} to={`/b/${name}/settings`}>
          {text.settings}
        </Button>
        <Button component={Link} to={`/b/${name}`}>
          {text.browse}
        </Button>
      </div>
    </section>
  )
}
