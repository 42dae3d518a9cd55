import { ActionIcon, Anchor, Button } from '@mantine/core'
import { IconCamera, IconGitFork, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Bucket } from '../../../../contract/buckets.ts'
import type { Snapshot } from '../../../../contract/snapshots.ts'
import { isReadOnly } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatBytes, formatTime, GB } from '../../i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { actionsShape, type Column, ListTable } from '../../ui/ListTable.tsx'
import { notify } from '../../ui/notify.tsx'
import { Person } from '../../ui/Person.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { TimeAgo } from '../../ui/values.tsx'
import { snapshotsQuery } from '../past/queries.ts'
import { Fork } from './Fork.tsx'
import { text } from './messages.ts'
import { NewSnapshot } from './NewSnapshot.tsx'

/** The named moments of a bucket. */
export function Snapshots({ bucket }: { bucket: Bucket }) {
  const me = useMe()
  const cache = useQueryClient()
  const { name, history_bytes, history_quota_gb } = bucket
  const snapshots = useQuery(snapshotsQuery(name))
  const [taking, setTaking] = useState(false)
  const [forking, setForking] = useState<string | null>()
  const manages = me.can('manage', name)
  const mayTake = manages && !isReadOnly(bucket)
  const mayFork = bucket.mode === 'owned' && me.canSomewhere('create') && me.can('read', name)
  const remove = async ({ name: snapshot }: Snapshot) => {
    const yes = await confirm({
      title: text.removeTitle(snapshot),
      children: text.removeText,
      action: text.removeAction,
      typed: snapshot,
    })
    if (!yes) return
    try {
      await client.deleteSnapshot({ params: { bucket: name, name: snapshot } })
      notify.ok(text.deleted(snapshot))
    } catch (error) {
      notify.problem(error)
    }
    await cache.invalidateQueries({ queryKey: ['snapshots', name] })
  }
  const columns: readonly Column<Snapshot>[] = [
    {
      key: 'name',
      breaks: true,
      title: text.name,
      cell: ({ name: snapshot, note }) => (
        <span className="history-snapshot">
          <Anchor
            component={Link}
            to={`/b/${name}`}
            search={{ at: snapshot }}
            aria-label={text.openSnapshot(snapshot)}
            fw={600}
          >
            {snapshot}
          </Anchor>
          {note === null ? null : <span className="dim small">{note}</span>}
        </span>
      ),
    },
    {
      key: 'moment',
      title: text.which,
      cell: ({ moment }) => (
        <time dateTime={moment} title={moment}>
          {formatTime(moment)}
        </time>
      ),
    },
    {
      key: 'by',
      breaks: true,
      title: text.created,
      optional: true,
      cell: ({ created_by }) => <Person id={created_by} />,
    },
    { key: 'expires', title: text.expires, optional: true, cell: ({ expires_at }) => <TimeAgo time={expires_at} /> },
    {
      key: 'since',
      title: text.changes,
      optional: true,
      cell: ({ name: snapshot }) => (
        <Link to={`/b/${name}/history`} search={{ from: snapshot }} className="job-link">
          {text.compare}
        </Link>
      ),
    },
    {
      key: 'actions',
      ...actionsShape,
      width: 76,
      cell: (snapshot) => (
        <span className="nowrap">
          {mayFork ? (
            <ActionIcon
              aria-label={text.forkOf(snapshot.name)}
              title={text.forkOf(snapshot.name)}
              onClick={() => setForking(snapshot.name)}
            >
              <IconGitFork size={16} stroke={1.6} />
            </ActionIcon>
          ) : null}
          {manages ? (
            <ActionIcon
              aria-label={text.remove(snapshot.name)}
              title={text.remove(snapshot.name)}
              onClick={() => void remove(snapshot)}
            >
              <IconTrash size={16} stroke={1.6} />
            </ActionIcon>
          ) : null}
        </span>
      ),
    },
  ]
  const take = (
    <Button leftSection={<IconCamera size={15} />} onClick={() => setTaking(true)}>
      {text.take}
    </Button>
  )
  return (
    <>
      <div className="history-span">
        <p className="dim">{text.snapshotsHint}</p>
        <span className="grow" />
        {mayFork ? (
          <Button variant="default" leftSection={<IconGitFork size={15} />} onClick={() => setForking(null)}>
            {text.fork}
          </Button>
        ) : null}
        {mayTake && snapshots.data && snapshots.data.length > 0 ? take : null}
      </div>
      {history_bytes || history_quota_gb !== null ? (
        <p className="dim">
          {text.kept(formatBytes(history_bytes ?? 0))}{' '}
          {history_quota_gb === null ? null : text.keptMost(formatBytes(history_quota_gb * GB))}{' '}
          {bucket.quota_includes_history ? text.keptCounts : text.keptCountsNot}
        </p>
      ) : null}
      <StateView query={snapshots}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyView
              title={text.noSnapshots}
              icon={<IconCamera size={28} stroke={1.4} />}
              action={mayTake ? take : null}
            >
              {text.noSnapshotsHint}
            </EmptyView>
          ) : (
            <ListTable label={text.snapshots} columns={columns} rows={rows} rowKey={(one) => one.name} />
          )
        }
      </StateView>
      {taking ? <NewSnapshot bucket={bucket} onClose={() => setTaking(false)} /> : null}
      {forking === undefined ? null : <Fork bucket={name} at={forking} onClose={() => setForking(undefined)} />}
    </>
  )
}
