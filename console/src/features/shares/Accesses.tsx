import { Drawer, Pagination } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Api } from '../../../../contract/index.ts'
import type { Reply } from '../../../../contract/route.ts'
import type { Share } from '../../../../contract/shares.ts'
import { legible } from '../../keys.ts'
import { nameAgent } from '../../ui/agent.ts'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { Status, TimeAgo, type Tone } from '../../ui/values.tsx'
import { nameOf } from './describe.ts'
import { text } from './messages.ts'
import { accessesQuery } from './queries.ts'

type Access = Reply<Api['listShareAccesses']>['items'][number]
const PAGE = 50
const tones: Record<Access['outcome'], Tone> = {
  opened: 'ok',
  served: 'ok',
  previewed: 'ok',
  continued: 'ok',
  uploaded: 'ok',
  wrong_password: 'warn',
  limit_spent: 'idle',
}

/** A link's activity, latest first. */
export function Accesses({ share, onClose }: { share: Share; onClose: () => void }) {
  const [page, setPage] = useState(1)
  const accesses = useQuery(accessesQuery(share.id, page))
  const columns: readonly Column<Access>[] = [
    { key: 'time', title: text.time, cell: ({ time }) => <TimeAgo time={time} /> },
    {
      key: 'outcome',
      title: text.outcome,
      cell: ({ outcome }) => <Status tone={tones[outcome]}>{text[outcome]}</Status>,
    },
    { key: 'ip', title: text.address, cell: ({ ip }) => <span className="mono">{ip ?? text.unknown}</span> },
    ...(share.kind === 'object'
      ? []
      : [
          {
            key: 'object',
            breaks: true,
            title: text.what,
            cell: (access: Access) => (
              <>
                {access.object_key ?? (access.outcome === 'served' ? text.archive : '')}
                <SaidBy access={access} />
              </>
            ),
          },
        ]),
    {
      key: 'agent',
      breaks: true,
      title: text.agent,
      optional: true,
      cell: ({ user_agent }) => (
        <span className="small dim" title={user_agent ?? undefined}>
          {nameAgent(user_agent)}
        </span>
      ),
    },
  ]
  return (
    <Drawer opened onClose={onClose} title={text.accessTitle(nameOf(share))} size="xl">
      <StateView query={accesses}>
        {({ items, total }) =>
          total === 0 ? (
            <EmptyView title={text.noAccess} />
          ) : (
            <div className="stack">
              <span className="dim" role="status">
                {text.total(total)}
              </span>
              <ListTable label={text.accesses} columns={columns} rows={items} rowKey={({ id }) => id} />
              {total > PAGE ? (
                <Pagination total={Math.ceil(total / PAGE)} value={page} onChange={setPage} size="sm" />
              ) : null}
            </div>
          )
        }
      </StateView>
    </Drawer>
  )
}

/** What the sender of an upload says: text that nothing checked, in any direction of writing. */
const SaidBy = ({ access: { sender_name, sender_message } }: { access: Access }) =>
  [
    [text.sender, sender_name],
    [text.message, sender_message],
  ].map(([label, words]) =>
    words ? (
      <div key={label} className="small dim">
        {label}: <bdi>{legible(words)}</bdi>
      </div>
    ) : null,
  )
