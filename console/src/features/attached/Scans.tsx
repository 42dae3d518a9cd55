import './attached.css'
import { Alert, Button } from '@mantine/core'
import { IconRadar2 } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { bucketQuery } from '../../api/buckets.ts'
import { queries, useMe } from '../../api/queries.ts'
import { latestScansQuery } from '../../api/scans.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation.ts'
import { BucketTabs } from '../../ui/BucketTabs.tsx'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { SourceCard } from '../buckets/Source.tsx'
import { HeldScan } from './HeldScan.tsx'
import { scanText as text } from './messages.ts'
import { Progress } from './Progress.tsx'
import { scansQuery } from './queries.ts'
import { ScanTable } from './ScanTable.tsx'
import { useScanEnd } from './useScanEnd.ts'

/** The scans of an attached bucket: the one that runs, the one that is held, and those before. */
export default function Scans() {
  const me = useMe()
  const { bucket: name = '' } = useView().params
  const bucket = useQuery(bucketQuery(name))
  const mine = me.can('manage', name)
  const isAttached = bucket.data?.mode === 'read_only'
  return (
    <Page
      title={name}
      windowTitle={`${text.title} – ${name}`}
      hint={isAttached ? text.hint : undefined}
      call={{ operation: 'listScans', params: { bucket: name } }}
      actions={mine && isAttached ? <ScanNow bucket={name} /> : null}
    >
      <BucketTabs bucket={name} active="scans" />
      <StateView query={bucket}>
        {({ source, storage }) =>
          source === null ? (
            <EmptyView title={text.notAttached}>{text.notAttachedHint}</EmptyView>
          ) : mine ? (
            <>
              <Current bucket={name} storage={storage} />
              <SourceCard storage={storage} source={source} />
              <List bucket={name} />
            </>
          ) : (
            <Alert role="status">{text.needsManage}</Alert>
          )
        }
      </StateView>
    </Page>
  )
}

function ScanNow({ bucket }: { bucket: string }) {
  const { data } = useQuery(latestScansQuery(bucket))
  const [starting, setStarting] = useState(false)
  const start = async () => {
    setStarting(true)
    try {
      await client.startScan({ params: { bucket } })
      notify.ok(text.started)
    } catch (error) {
      notify.problem(error)
    }
    await queries.invalidateQueries({ queryKey: ['scans', bucket] })
    setStarting(false)
  }
  return (
    <Button
      leftSection={<IconRadar2 size={15} />}
      loading={starting}
      disabled={!data || data.active !== undefined}
      onClick={() => void start()}
    >
      {text.scanNow}
    </Button>
  )
}

/** What needs attention now. */
function Current({ bucket, storage }: { bucket: string; storage: string }) {
  const { data } = useQuery(latestScansQuery(bucket))
  useScanEnd(bucket, data?.active)
  return (
    <>
      {data?.held ? <HeldScan key={data.held.id} scan={data.held} storage={storage} isBusy={!!data.active} /> : null}
      {data?.active ? (
        <section className="card stack-tight" aria-labelledby="scan-active">
          <h2 id="scan-active">{text.active(data.active.status)}</h2>
          <Progress scan={data.active} />
        </section>
      ) : null}
    </>
  )
}

function List({ bucket }: { bucket: string }) {
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
            <ScanTable
              rows={rows}
              more={{ available: scans.hasNextPage, loading: scans.isFetchingNextPage, load: scans.fetchNextPage }}
            />
          )
        }}
      </StateView>
    </section>
  )
}
