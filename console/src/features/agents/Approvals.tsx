import { Button } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import type { Approval } from '../../../../contract/agents.ts'
import { client } from '../../api/session.ts'
import { formatBytes } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { notify } from '../../ui/notify.tsx'
import { Bytes, TimeAgo } from '../../ui/values.tsx'
import { text } from './messages.ts'
import { refetchAgents } from './queries.ts'

const reasons: { [reason in Approval['reason']]: string } = {
  write: text.reasonWrite,
  delete: text.reasonDelete,
  share: text.reasonShare,
  above_objects: text.reasonObjects,
  above_bytes: text.reasonBytes,
}

/** Requests that wait, each with what would happen, and one click for yes or no. */
export const Approvals = ({ items }: { items: readonly Approval[] }) => (
  <ul className="agents-approvals">
    {items.map((one) => (
      <li key={one.id}>
        <Card approval={one} />
      </li>
    ))}
  </ul>
)

function Card({ approval }: { approval: Approval }) {
  const { id, agent, objects, bytes, reason, actions, requested_at } = approval
  const [deciding, setDeciding] = useState<'approve' | 'reject'>()
  const decide = async (decision: 'approve' | 'reject') => {
    setDeciding(decision)
    try {
      await client[decision]({ params: { id } })
      notify.ok(decision === 'approve' ? text.approvedNote : text.rejectedNote)
    } catch (error) {
      notify.problem(error)
    }
    setDeciding(undefined)
    await refetchAgents()
  }
  const left = Math.max(0, objects - actions.length)
  return (
    <section className="card stack" aria-label={text.asks(agent, objects, formatBytes(bytes))}>
      <div className="row agents-asks">
        <div className="grow">
          <strong>{text.asks(agent, objects, formatBytes(bytes))}</strong>
          <p className="dim small">
            {reasons[reason]} <TimeAgo time={requested_at} />
          </p>
        </div>
        <Button
          variant="default"
          leftSection={<IconX size={15} />}
          loading={deciding === 'reject'}
          onClick={() => void decide('reject')}
        >
          {text.reject}
        </Button>
        <Button
          leftSection={<IconCheck size={15} />}
          loading={deciding === 'approve'}
          onClick={() => void decide('approve')}
        >
          {text.approve}
        </Button>
      </div>
      <div className="agents-actions">
        <ListTable
          label={text.happens}
          columns={columnsOf(actions)}
          rows={numbered(actions)}
          rowKey={({ n }) => String(n)}
        />
      </div>
      {left > 0 ? <p className="dim small">{text.more(left)}</p> : null}
    </section>
  )
}

type Happening = Approval['actions'][number] & { n: number }
const numbered = (actions: Approval['actions']): Happening[] => actions.map((one, n) => ({ ...one, n }))

/** Where something comes from: of a transfer its source, which is what would change. */
const sourceOf = ({ bucket, key, details }: Happening): string => {
  const { source } = details as { source?: { bucket: string; key: string } }
  return legible(source ? `${source.bucket}/${source.key}` : [bucket, key].filter(Boolean).join('/'))
}
const targetOf = ({ bucket, key, details }: Happening): string =>
  'source' in details ? legible(`${bucket}/${key}`) : ''

/** Only what is copied or moved has a target. */
const columnsOf = (actions: Approval['actions']) =>
  columns.filter(({ key }) => key !== 'target' || actions.some(({ details }) => 'source' in details))

const columns: readonly Column<Happening>[] = [
  { key: 'action', title: text.action, cell: ({ action }) => <code>{action}</code> },
  { key: 'object', title: text.object, breaks: true, cell: sourceOf },
  { key: 'target', title: text.target, breaks: true, optional: true, cell: targetOf },
  {
    key: 'size',
    title: text.size,
    number: true,
    optional: true,
    cell: ({ size }) => (size === null ? null : <Bytes bytes={size} />),
  },
]
