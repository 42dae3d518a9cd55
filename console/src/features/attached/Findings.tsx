import './attached.css'
import { Alert, Anchor, Button } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type Finding, findingKinds } from '../../../../contract/attached.ts'
import { bucketQuery } from '../../api/buckets.ts'
import { useCursorList } from '../../api/pages.ts'
import { useMe } from '../../api/queries.ts'
import { latestScansQuery } from '../../api/scans.ts'
import { client } from '../../api/session.ts'
import { legible, parentOf } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { BucketTabs } from '../../ui/BucketTabs.tsx'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { useMedia } from '../../ui/useMedia.ts'
import { Bytes, Status, TimeAgo, type Tone } from '../../ui/values.tsx'
import { scanText, findingText as text } from './messages.ts'
import { ScanNow } from './ScanNow.tsx'
import { useScanEnd } from './useScanEnd.ts'

const PAGE = 100
const MOST = 1000
const tones: Readonly<Record<Finding['kind'], Tone>> = { changed: 'warn', missing: 'bad', foreign: 'note' }

/** What others did where a bucket was taken over, what that means, and what can be done about it. */
export default function Findings() {
  const me = useMe()
  const { bucket: name = '' } = useView().params
  const bucket = useQuery(bucketQuery(name))
  const mine = me.can('manage', name)
  const isTakenOver = bucket.data?.mode === 'taken_over'
  return (
    <Page
      inBuckets
      title={name}
      windowTitle={`${text.title} – ${name}`}
      call={{ operation: 'listFindings', params: { bucket: name } }}
      actions={mine && isTakenOver && bucket.data?.source?.release_job === null ? <ScanNow bucket={name} /> : null}
    >
      <BucketTabs bucket={name} active="findings" />
      {isTakenOver ? <p className="dim">{text.hint}</p> : null}
      <StateView query={bucket}>
        {({ mode, source }) =>
          mode !== 'taken_over' ? (
            <EmptyView title={text.notTakenOver}>{text.notTakenOverHint}</EmptyView>
          ) : mine ? (
            <List bucket={name} count={source?.findings ?? 0} />
          ) : (
            <Alert role="status">{scanText.needsManage}</Alert>
          )
        }
      </StateView>
    </Page>
  )
}

function List({ bucket, count }: { bucket: string; count: number }) {
  const isNarrow = useMedia('(max-width: 800px)')
  const scans = useQuery(latestScansQuery(bucket))
  useScanEnd(bucket, scans.data)
  const list = useCursorList<Finding>(['findings', bucket], (cursor) =>
    client.listFindings({ params: { bucket }, query: { limit: PAGE, ...cursor } }),
  )
  return (
    <StateView query={list}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyView
            title={text.none}
            icon={<IconCircleCheck size={28} stroke={1.4} />}
            action={
              <Button variant="default" component={Link} to={`/b/${bucket}/scans`}>
                {text.toScans}
              </Button>
            }
          >
            {text.noneHint}
          </EmptyView>
        ) : (
          <>
            <section className="card stack-tight" aria-labelledby="findings-meaning">
              <h2 id="findings-meaning">{text.meaning}</h2>
              <dl className="findings-kinds">
                {findingKinds
                  .filter((kind) => rows.some((row) => row.kind === kind) || list.more.available)
                  .map((kind) => (
                    <div key={kind}>
                      <dt>
                        <Status tone={tones[kind]}>{text.kinds(kind)}</Status>
                      </dt>
                      <dd>{text.meanings(kind)}</dd>
                    </div>
                  ))}
              </dl>
              <p className="dim">
                {text.ends}
                {count >= MOST ? ` ${text.most}` : null}
              </p>
            </section>
            <ListTable
              label={text.title}
              columns={columnsOf(bucket, isNarrow)}
              rows={rows}
              rowKey={({ key, kind }) => `${kind}\n${key}`}
              more={list.more}
            />
          </>
        )
      }
    </StateView>
  )
}

function columnsOf(bucket: string, isNarrow: boolean): readonly Column<Finding>[] {
  const kindOf = ({ kind }: Finding) => <Status tone={tones[kind]}>{text.kinds(kind)}</Status>
  return [
    ...(isNarrow ? [] : [{ key: 'kind', title: text.kind, cell: kindOf }]),
    {
      key: 'key',
      breaks: true,
      title: text.key,
      cell: (finding) => (
        <span className="findings-key">
          <bdi className="mono">{legible(finding.key)}</bdi>
          {isNarrow ? kindOf(finding) : null}
        </span>
      ),
    },
    {
      key: 'object',
      breaks: true,
      title: text.object,
      cell: ({ object }) =>
        object === null ? (
          <span className="dim">{text.noObject}</span>
        ) : (
          <Anchor component={Link} to={addressOf(bucket, object)}>
            <bdi data-data>{legible(object)}</bdi>
          </Anchor>
        ),
    },
    {
      key: 'size',
      title: text.size,
      number: true,
      optional: true,
      cell: ({ size }) => (size === null ? <span className="dim">{text.gone}</span> : <Bytes bytes={size} />),
    },
    { key: 'found', title: text.found, optional: true, cell: ({ found_at }) => <TimeAgo time={found_at} /> },
  ]
}

/** Where an object's details are. */
function addressOf(bucket: string, key: string): string {
  const prefix = parentOf(key)
  const query = new URLSearchParams({ ...(prefix === '' ? {} : { prefix }), sel: key })
  return `/b/${bucket}?${query}`
}
