import './buckets.css'
import { Alert, Anchor, Badge, Button } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { AuditRecord } from '../../../../contract/audit.ts'
import type { Bucket } from '../../../../contract/buckets.ts'
import { bucketQuery, roomIn, totalsOf, useReadOnly } from '../../api/buckets.ts'
import { type Me, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatBytes } from '../../i18n.ts'
import { isFolderKey, legible } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { AsOf } from '../../ui/AttachedBadges.tsx'
import { BucketTabs } from '../../ui/BucketTabs.tsx'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { FolderLink } from '../../ui/OwnFolders.tsx'
import { Page } from '../../ui/Page.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { Tile, Tiles } from '../../ui/Tiles.tsx'
import { Bytes, Count, QuotaBar, Status, TimeAgo } from '../../ui/values.tsx'
import { ForkCard } from '../history/ForkCard.tsx'
import { openUpload } from '../uploads/open.ts'
import { PeriodPicker, RequestsChart, StoredChart, TypesChart, usePeriod } from '../usage/History.tsx'
import { historyQuery, typesQuery } from '../usage/queries.ts'
import { text } from './messages.ts'
import { SourceCard } from './Source.tsx'

/** A bucket's usage, settings and recent activity. */
export default function Overview() {
  const me = useMe()
  const { bucket: name = '' } = useView().params
  const bucket = useQuery(bucketQuery(name))
  const readOnly = useReadOnly(name)
  const folder = uploadFolderOf(me, name)
  return (
    <Page
      inBuckets
      title={name}
      windowTitle={`${text.overview} – ${name}`}
      call={{ operation: 'getBucket', params: { bucket: name } }}
      actions={
        readOnly === false && folder !== undefined ? (
          <Button
            leftSection={<IconUpload size={15} />}
            onClick={() => void openUpload({ bucket: name, prefix: folder })}
          >
            {text.upload}
          </Button>
        ) : null
      }
    >
      <BucketTabs bucket={name} active="overview" />
      <StateView query={bucket}>{(data) => <Facts bucket={data} />}</StateView>
      {bucket.data && me.seesTotals(name) ? <History bucket={name} /> : null}
      {me.isAdmin ? <Activity bucket={name} /> : null}
    </Page>
  )
}

/** Where an upload of this user's would go: the whole bucket, or else the first folder they can write to. */
const uploadFolderOf = (me: Me, bucket: string): string | undefined =>
  me
    .actionsByPrefix(bucket)
    .find(([prefix, actions]) => actions.includes('write') && (prefix === '' || isFolderKey(prefix)))?.[0]

/** What is in the whole bucket. */
function Totals({ bucket, totals }: { bucket: Bucket; totals: NonNullable<ReturnType<typeof totalsOf>> }) {
  const { used_bytes, reserved_bytes, object_count, trash_bytes, version_bytes, history_bytes } = totals
  const { versioning, mode, source } = bucket
  const isOurs = mode !== 'read_only'
  const free = roomIn(bucket)
  return (
    <Tiles>
      <Tile
        label={text.stored}
        note={source && !isOurs ? <AsOf time={source.as_of} /> : free === null ? null : text.free(formatBytes(free))}
      >
        <Bytes bytes={used_bytes} />
      </Tile>
      <Tile label={text.objects}>
        <Count n={object_count} />
      </Tile>
      {isOurs ? (
        <Tile label={text.inTrash}>
          <Bytes bytes={trash_bytes} />
        </Tile>
      ) : null}
      {versioning === 'off' ? null : (
        <Tile label={text.inVersions}>
          <Bytes bytes={version_bytes} />
        </Tile>
      )}
      {history_bytes > 0 ? (
        <Tile label={text.inSnapshots}>
          <Link to={`/b/${bucket.name}/history`} search={{ tab: 'snapshots' }} className="bucket-link">
            <Bytes bytes={history_bytes} />
          </Link>
        </Tile>
      ) : null}
      {reserved_bytes > 0 ? (
        <Tile label={text.reserved}>
          <Link to={`/b/${bucket.name}/uploads`} className="bucket-link">
            <Bytes bytes={reserved_bytes} />
          </Link>
        </Tile>
      ) : null}
    </Tiles>
  )
}

function Facts({ bucket }: { bucket: Bucket }) {
  const me = useMe()
  const { trash_days, created_at, mode, source, name } = bucket
  // What others change has no quota, and no trash.
  const isOurs = mode !== 'read_only'
  const totals = totalsOf(bucket)
  const rights = me.actionsByPrefix(name)
  return (
    <>
      {totals ? <Totals bucket={bucket} totals={totals} /> : null}
      {source && isOurs && source.findings ? <FindingsNotice bucket={bucket.name} n={source.findings} /> : null}
      {bucket.fork ? <ForkCard name={name} fork={bucket.fork} /> : null}
      {source ? <SourceCard bucket={bucket} source={source} /> : null}
      <section className="card stack-tight" aria-labelledby="bucket-facts">
        <h2 id="bucket-facts">{text.facts}</h2>
        <dl className="facts">
          {isOurs ? (
            <>
              {totals ? (
                <>
                  <dt>{text.quotaFact}</dt>
                  <dd>
                    {totals.quota_gb === null ? (
                      text.noQuota
                    ) : (
                      <QuotaBar used={totals.filled_bytes} reserved={totals.reserved_bytes} quotaGb={totals.quota_gb} />
                    )}
                  </dd>
                </>
              ) : null}
              <dt>{text.trashKeeps}</dt>
              <dd>{trash_days === 0 ? text.trashOff : text.days(trash_days)}</dd>
            </>
          ) : null}
          <dt>{text.created}</dt>
          <dd>
            <TimeAgo time={created_at} />
          </dd>
          <dt>{text.rights}</dt>
          <dd className="stack-tight">
            {rights.map(([prefix, actions]) => (
              <div key={prefix} className="row">
                {prefix !== '' ? (
                  <FolderLink bucket={name} prefix={prefix} />
                ) : rights.length > 1 ? (
                  <span>{text.wholeBucket}</span>
                ) : null}
                {actions.map((action) => (
                  <Badge key={action} variant="default" radius="sm" tt="none" fw={500}>
                    {action}
                  </Badge>
                ))}
              </div>
            ))}
          </dd>
        </dl>
      </section>
    </>
  )
}

/** That others changed something where the bucket was taken over. */
function FindingsNotice({ bucket, n }: { bucket: string; n: number }) {
  const me = useMe()
  return (
    <Alert role="status" className="alert-warn" title={text.findingsTitle(n)}>
      <p>
        {text.findingsHint}{' '}
        {me.can('manage', bucket) ? (
          <Anchor component={Link} to={`/b/${bucket}/findings`}>
            {text.findingsOpen}
          </Anchor>
        ) : null}
      </p>
    </Alert>
  )
}

/** Storage and traffic over time, and storage by content type. */
function History({ bucket }: { bucket: string }) {
  const history = useQuery(historyQuery(usePeriod(), bucket))
  const types = useQuery(typesQuery(bucket))
  const file = (what: string) => `usage-${bucket}-${what}`
  return (
    <section className="stack-tight" aria-labelledby="bucket-usage">
      <header className="row">
        <h2 id="bucket-usage">{text.usage}</h2>
        <span className="grow" />
        <PeriodPicker />
      </header>
      <StateView query={history}>
        {(data) => (
          <>
            <p className="dim">
              {text.transfer(formatBytes(data.totals.uploaded_bytes), formatBytes(data.totals.downloaded_bytes))}
            </p>
            <StoredChart history={data} title={text.storedOverTime} file={file('stored')} />
            <RequestsChart history={data} file={file('requests')} />
          </>
        )}
      </StateView>
      <StateView query={types}>{(data) => <TypesChart types={data} file={file('types')} />}</StateView>
    </section>
  )
}

const tones = { success: 'ok', denied: 'warn', failure: 'bad' } as const
const actors: { [T in AuditRecord['actor']['type']]?: string } = { public: text.anonymous, engine: text.engine }
const columns: readonly Column<AuditRecord>[] = [
  { key: 'time', title: text.when, cell: ({ time }) => <TimeAgo time={time} /> },
  { key: 'action', title: text.what, cell: ({ action }) => <span className="mono">{action}</span> },
  {
    key: 'key',
    breaks: true,
    title: text.key,
    cell: ({ object_key }) => (object_key === null ? <span className="dim">–</span> : <bdi>{legible(object_key)}</bdi>),
  },
  {
    key: 'actor',
    breaks: true,
    title: text.who,
    optional: true,
    cell: ({ actor }) => actor.email ?? <span className="dim">{actors[actor.type] ?? text.system}</span>,
  },
  { key: 'result', title: text.result, cell: ({ result }) => <Status tone={tones[result]}>{text[result]}</Status> },
]

function Activity({ bucket }: { bucket: string }) {
  const query = { bucket, page_size: 15 }
  const audit = useQuery({ queryKey: ['audit', 'bucket', bucket], queryFn: () => client.listAudit({ query }) })
  return (
    <section className="stack-tight" aria-labelledby="bucket-activity">
      <h2 id="bucket-activity">{text.activity}</h2>
      <StateView query={audit}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="dim">{text.noActivity}</p>
          ) : (
            <ListTable label={text.activity} columns={columns} rows={items} rowKey={({ id }) => id} />
          )
        }
      </StateView>
    </section>
  )
}
