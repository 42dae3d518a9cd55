import './attached.css'
import { Alert } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { BucketSource } from '../../../../contract/buckets.ts'
import { bucketQuery } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { latestScansQuery } from '../../api/scans.ts'
import { useView } from '../../navigation/useView.ts'
import { BucketTabs } from '../../ui/BucketTabs.tsx'
import { moreOf } from '../../ui/ListTable.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { SourceCard } from '../buckets/Source.tsx'
import { HeldScan } from './HeldScan.tsx'
import { scanText as text } from './messages.ts'
import { Progress } from './Progress.tsx'
import { scansQuery } from './queries.ts'
import { ScanNow } from './ScanNow.tsx'
import { ScanTable } from './ScanTable.tsx'
import { useScanEnd } from './useScanEnd.ts'

/** The scans of an attached bucket, or of one that was taken over: the one that runs, the one that is held, and those before. */
export default function Scans() {
  const me = useMe()
  const { bucket: name = '' } = useView().params
  const bucket = useQuery(bucketQuery(name))
  const mine = me.can('manage', name)
  const source = bucket.data?.source ?? null
  return (
    <Page
      inBuckets
      title={name}
      windowTitle={`${text.title} – ${name}`}
      call={{ operation: 'listScans', params: { bucket: name } }}
      actions={mine && source !== null && source.release_job === null ? <ScanNow bucket={name} /> : null}
    >
      <BucketTabs bucket={name} active="scans" />
      {source === null ? null : <p className="dim">{source.taken_over_at === null ? text.hint : text.hintTakenOver}</p>}
      <StateView query={bucket}>
        {(data) =>
          data.source === null ? (
            <EmptyView title={text.notAttached}>{text.notAttachedHint}</EmptyView>
          ) : mine ? (
            <>
              <Current bucket={name} source={data.source} />
              <SourceCard bucket={data} source={data.source} />
              <List bucket={name} takenOverAt={data.source.taken_over_at} />
            </>
          ) : (
            <Alert role="status">{text.needsManage}</Alert>
          )
        }
      </StateView>
    </Page>
  )
}

/** What needs attention now. */
function Current({ bucket, source: { storage, taken_over_at } }: { bucket: string; source: BucketSource }) {
  const { data } = useQuery(latestScansQuery(bucket))
  useScanEnd(bucket, data)
  return (
    <>
      {data?.held ? <HeldScan key={data.held.id} scan={data.held} storage={storage} isBusy={!!data.active} /> : null}
      {data?.active ? (
        <section className="card stack-tight" aria-labelledby="scan-active">
          <h2 id="scan-active">{text.active(data.active.status)}</h2>
          <Progress scan={data.active} takenOverAt={taken_over_at} />
        </section>
      ) : null}
    </>
  )
}

function List({ bucket, takenOverAt }: { bucket: string; takenOverAt: string | null }) {
  const scans = useInfiniteQuery(scansQuery(bucket))
  return (
    <section className="stack-tight" aria-labelledby="scan-list">
      <h2 id="scan-list">{text.title}</h2>
      <StateView query={scans}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items)
          return rows.length === 0 ? (
            <p className="dim">{text.none}</p>
          ) : (
            <ScanTable rows={rows} takenOverAt={takenOverAt} more={moreOf(scans)} />
          )
        }}
      </StateView>
    </section>
  )
}
