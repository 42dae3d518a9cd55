import { ActionIcon, Anchor, Button } from '@mantine/core'
import { IconPencil, IconPlayerPause, IconPlayerPlay, IconPlus, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queries } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatBytes, formatDuration } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { actionsShape, type Column, ListTable } from '../../ui/ListTable.tsx'
import { notify } from '../../ui/notify.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { Status, type Tone } from '../../ui/values.tsx'
import { text } from './messages.ts'
import { type Replica, replicationsQuery } from './queries.ts'
import { ReplicaDialog } from './ReplicaDialog.tsx'

function stateOf({ paused, error, failed, filled, backlog }: Replica): { tone: Tone; word: string } {
  if (paused) return { tone: 'idle', word: text.paused }
  if (error !== null) return { tone: 'bad', word: text.broken }
  if (failed > 0) return { tone: 'bad', word: text.someFailed(failed) }
  if (!filled) return { tone: 'note', word: text.replicaFilling }
  return backlog.objects > 0 ? { tone: 'note', word: text.behind } : { tone: 'ok', word: text.upToDate }
}

async function run(work: Promise<unknown>, done?: string): Promise<void> {
  try {
    await work
    if (done !== undefined) notify.ok(done)
  } catch (error) {
    notify.problem(error)
  }
  await queries.invalidateQueries({ queryKey: ['replications'] })
}

/** Which buckets others can read elsewhere, and how far those replicas are. */
export function Replicas() {
  const replicas = useQuery(replicationsQuery)
  const [edited, setEdited] = useState<Replica | null>()
  const stop = async (bucket: string) => {
    const yes = await confirm({ title: text.stopTitle(bucket), children: text.stopText, action: text.stopDo })
    if (yes) await run(client.deleteReplication({ params: { bucket } }), text.stopped)
  }
  const columns: readonly Column<Replica>[] = [
    {
      key: 'bucket',
      breaks: true,
      title: text.bucket,
      cell: ({ bucket }) => (
        <Anchor component={Link} to={`/b/${bucket}`} fw={600}>
          {bucket}
        </Anchor>
      ),
    },
    {
      key: 'place',
      breaks: true,
      title: text.place,
      optional: true,
      cell: ({ storage, prefix }) => <bdi>{prefix === '' ? storage : `${storage}: ${legible(prefix)}`}</bdi>,
    },
    {
      key: 'state',
      title: text.state,
      cell: (replica) => {
        const { tone, word } = stateOf(replica)
        return (
          <span className="recovery-state">
            <Status tone={tone}>{word}</Status>
            {replica.error === null ? null : <span className="small">{replica.error}</span>}
          </span>
        )
      },
    },
    {
      key: 'lag',
      title: text.lag,
      optional: true,
      cell: ({ backlog, lag_seconds }) =>
        backlog.objects === 0 ? (
          <span className="dim">{text.none}</span>
        ) : (
          text.lagOf(formatDuration(lag_seconds), backlog.objects, formatBytes(backlog.bytes))
        ),
    },
    {
      key: 'actions',
      ...actionsShape,
      width: 112,
      cell: (replica) => {
        const { bucket, paused, failed } = replica
        const resumes = paused || failed > 0
        const words = (resumes ? text.resume : text.pause)(bucket)
        const params = { bucket }
        return (
          <span className="nowrap">
            <ActionIcon aria-label={text.edit(bucket)} title={text.edit(bucket)} onClick={() => setEdited(replica)}>
              <IconPencil size={16} stroke={1.6} />
            </ActionIcon>
            <ActionIcon
              aria-label={words}
              title={words}
              onClick={() =>
                void run(resumes ? client.resumeReplication({ params }) : client.pauseReplication({ params }))
              }
            >
              {resumes ? <IconPlayerPlay size={16} stroke={1.6} /> : <IconPlayerPause size={16} stroke={1.6} />}
            </ActionIcon>
            <ActionIcon aria-label={text.stop(bucket)} title={text.stop(bucket)} onClick={() => void stop(bucket)}>
              <IconX size={16} stroke={1.6} />
            </ActionIcon>
          </span>
        )
      },
    },
  ]
  return (
    <section className="card stack-tight recovery-wide" aria-labelledby="recovery-replicas">
      <h2 id="recovery-replicas">{text.replicas}</h2>
      <StateView query={replicas}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{text.noReplicas}</p>
          ) : (
            <ListTable label={text.replicas} columns={columns} rows={rows} rowKey={({ bucket }) => bucket} />
          )
        }
      </StateView>
      <div className="recovery-actions">
        <Button variant="default" leftSection={<IconPlus size={15} />} onClick={() => setEdited(null)}>
          {text.replicate}
        </Button>
      </div>
      {edited === undefined ? null : (
        <ReplicaDialog
          replica={edited}
          taken={replicas.data?.map(({ bucket }) => bucket) ?? []}
          onClose={() => setEdited(undefined)}
        />
      )}
    </section>
  )
}
