import { Anchor, Button, Drawer } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Api } from '../../../../contract/index.ts'
import type { Job } from '../../../../contract/jobs.ts'
import type { Policy, PolicyRun } from '../../../../contract/policies.ts'
import type { Reply } from '../../../../contract/route.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatBytes, formatTime } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { type Column, ListTable, moreOf } from '../../ui/ListTable.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { Bytes, Count, TimeAgo } from '../../ui/values.tsx'
import { restoreRun } from '../jobs/begin.ts'
import { ItemName, itemId } from './ItemName.tsx'
import { text } from './messages.ts'
import { isOver, itemsQuery, runQuery, runsQuery } from './queries.ts'
import { RunState } from './RunState.tsx'

const byWhom = (run: PolicyRun): string =>
  run.trigger === 'schedule' ? text.bySchedule : (run.requested_by_email ?? '')

/** The row's click, for the keyboard. */
function Opener({ run: { id, started_at, created_at } }: { run: PolicyRun }) {
  const { open } = useView()
  return (
    <Anchor component="button" onClick={() => void open({ run: id })}>
      <TimeAgo time={started_at ?? created_at} />
    </Anchor>
  )
}

const columns: readonly Column<PolicyRun>[] = [
  { key: 'time', title: text.started, cell: (run) => <Opener run={run} /> },
  {
    key: 'state',
    title: text.state,
    cell: (run) => (
      <span className="row">
        <RunState run={run} />
        {run.dry_run ? <span className="dim small">{text.tried}</span> : null}
      </span>
    ),
  },
  { key: 'by', breaks: true, title: text.trigger, optional: true, cell: byWhom },
  { key: 'matched', title: text.matched, number: true, cell: ({ matched }) => <Count n={matched} /> },
  {
    key: 'deleted',
    title: text.deleted,
    number: true,
    cell: ({ deleted, dry_run }) => (dry_run ? <span className="dim">–</span> : <Count n={deleted} />),
  },
  { key: 'bytes', title: text.bytes, number: true, optional: true, cell: ({ bytes }) => <Bytes bytes={bytes} /> },
  { key: 'kept', title: text.kept, number: true, optional: true, cell: ({ kept }) => <Count n={kept} /> },
]

/** A policy's runs. */
export function Runs({ policy }: { policy: Policy }) {
  const me = useMe()
  const { search, open } = useView()
  const runs = useInfiniteQuery(runsQuery(policy.id))
  return (
    <div className="stack">
      <div className="row">
        <span className="dim grow">
          {text.author} {policy.author_email}
        </span>
        {me.isAdmin ? (
          <Anchor component={Link} to="/admin/audit" search={{ action: 'policy_run', about: policy.id }}>
            {text.inAudit}
          </Anchor>
        ) : null}
      </div>
      <StateView query={runs}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items)
          if (rows.length === 0) return <EmptyView title={text.noRuns} />
          return (
            <ListTable
              label={text.runs}
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              onOpen={({ id }) => void open({ run: id })}
              more={moreOf(runs)}
            />
          )
        }}
      </StateView>
      {search.run ? (
        <RunDrawer policy={policy} runId={search.run} onClose={() => void open({ run: undefined })} />
      ) : null}
    </div>
  )
}

function RunDrawer({ policy, runId, onClose }: { policy: Policy; runId: string; onClose: () => void }) {
  const run = useQuery(runQuery(policy.id, runId))
  const { data } = run
  return (
    <Drawer
      opened
      onClose={onClose}
      size="xl"
      title={data ? text.runOf(formatTime(data.started_at ?? data.created_at)) : text.runs}
    >
      <StateView query={run}>{(found) => <RunDetail policy={policy} run={found} />}</StateView>
    </Drawer>
  )
}

type Item = Reply<Api['listPolicyRunItems']>['items'][number]
const itemColumns: readonly Column<Item>[] = [
  {
    key: 'key',
    breaks: true,
    title: text.key,
    cell: (item) => <ItemName item={item} />,
  },
  { key: 'size', title: text.size, number: true, cell: ({ size }) => <Bytes bytes={size} /> },
  { key: 'outcome', title: text.outcome, cell: ({ outcome }) => text[`outcome_${outcome}`] },
]

function RunDetail({ policy, run }: { policy: Policy; run: PolicyRun }) {
  const cache = useQueryClient()
  const items = useInfiniteQuery(itemsQuery(policy.id, run.id))
  const me = useMe()
  const { go } = useView()
  const restorable = run.restorable.filter((bucket) => me.can('write', bucket, policy.prefix))
  const restore = async () => {
    try {
      const jobs: Job[] = []
      for (const bucket of restorable) jobs.push(await restoreRun({ policy_id: policy.id, run_id: run.id }, bucket))
      await go(jobs.length === 1 ? `/jobs/${jobs[0]?.id}` : '/jobs')
    } catch (error) {
      notify.problem(error)
    }
  }
  const cancel = async () => {
    try {
      await client.cancelPolicyRun({ params: { id: policy.id, run_id: run.id } })
    } catch (error) {
      notify.problem(error)
    }
    await cache.invalidateQueries({ queryKey: ['policies'] })
  }
  return (
    <div className="stack">
      <dl className="facts">
        <dt>{text.state}</dt>
        <dd className="row">
          <RunState run={run} />
          {run.dry_run ? text.tried : ''}
          {isOver(run) ? null : (
            <Button variant="default" onClick={() => void cancel()}>
              {text.cancelRun}
            </Button>
          )}
        </dd>
        {run.reason ? (
          <>
            <dt>{text.reason}</dt>
            <dd>{run.reason}</dd>
          </>
        ) : null}
        <dt>{text.trigger}</dt>
        <dd>{byWhom(run)}</dd>
        <dt>{text.matched}</dt>
        <dd>
          {text.objects(run.matched)}, {formatBytes(run.matched_bytes)}
        </dd>
        <dt>{text.deleted}</dt>
        <dd className="row">
          {run.dry_run ? '–' : `${text.objects(run.deleted)}, ${formatBytes(run.bytes)}`}
          {restorable.length > 0 ? (
            <Button
              variant="default"
              leftSection={<IconArrowBackUp size={15} />}
              title={text.restoreHint}
              onClick={() => void restore()}
            >
              {text.restore}
            </Button>
          ) : null}
        </dd>
        <dt>{text.kept}</dt>
        <dd>{text.objects(run.kept)}</dd>
      </dl>
      {run.errors.length > 0 ? (
        <section className="stack-tight">
          <h2>{text.errors}</h2>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
          <ul className="policies-keys" tabIndex={0} aria-label={text.errors}>
            {run.errors.map(({ bucket, key, detail }) => (
              <li key={`${bucket}/${key}`}>
                <bdi>{legible(`${bucket}/${key}`)}</bdi>: {legible(detail)}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <section className="stack-tight">
        <h2>{text.items}</h2>
        <StateView query={items}>
          {({ pages }) => {
            const rows = pages.flatMap((page) => page.items)
            if (rows.length === 0 && !items.hasNextPage) return <p className="dim">{text.noItems}</p>
            return (
              <ListTable label={text.items} columns={itemColumns} rows={rows} rowKey={itemId} more={moreOf(items)} />
            )
          }}
        </StateView>
      </section>
    </div>
  )
}
