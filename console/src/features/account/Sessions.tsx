import { Button } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import type { Api } from '../../../../contract/index.ts'
import type { Reply } from '../../../../contract/route.ts'
import { client } from '../../api/session.ts'
import { nameAgent } from '../../ui/agent.ts'
import { confirm } from '../../ui/confirm.tsx'
import { actionsShape, type Column, ListTable, moreOf } from '../../ui/ListTable.tsx'
import { notify } from '../../ui/notify.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { Status, TimeAgo } from '../../ui/values.tsx'
import { text } from './messages.ts'
import { signOut } from './signOut.ts'

type Session = Reply<Api['listSessions']>['items'][number]

/** How somebody signed in to a session. */
function wayOf({ auth_method, signed_in_with, second_factor }: Session): string {
  if (signed_in_with === 'passkey' || signed_in_with === 'link') return text[signed_in_with]
  return second_factor ? text.twoSteps(text[auth_method]) : text[auth_method]
}

/** The user's sessions. */
export function Sessions() {
  const cache = useQueryClient()
  const sessions = useInfiniteQuery({
    queryKey: ['sessions'],
    queryFn: ({ pageParam }) =>
      client.listSessions({ query: { limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) } }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
  const end = async (session: Session) => {
    const where = nameAgent(session.user_agent)
    const sure = await confirm({
      title: text.endTitle,
      children: session.current ? text.endSelfText : text.endText(where),
      action: text.end,
    })
    if (!sure) return
    if (session.current) return signOut()
    try {
      await client.endSession({ params: { id: session.id } })
      notify.ok(text.ended)
    } catch (error) {
      notify.problem(error)
    }
    await cache.invalidateQueries({ queryKey: ['sessions'] })
  }
  const columns: readonly Column<Session>[] = [
    {
      key: 'where',
      breaks: true,
      title: text.where,
      cell: ({ user_agent, current }) => (
        <span className="row" title={user_agent ?? undefined}>
          {nameAgent(user_agent)}
          {current ? <Status tone="ok">{text.thisOne}</Status> : null}
        </span>
      ),
    },
    { key: 'ip', title: text.address, cell: ({ ip }) => <span className="mono">{ip}</span> },
    { key: 'way', title: text.way, optional: true, cell: wayOf },
    { key: 'since', title: text.since, optional: true, cell: ({ created_at }) => <TimeAgo time={created_at} /> },
    { key: 'used', title: text.used, optional: true, cell: ({ last_used_at }) => <TimeAgo time={last_used_at} /> },
    { key: 'ends', title: text.ends, optional: true, cell: ({ expires_at }) => <TimeAgo time={expires_at} /> },
    {
      key: 'end',
      ...actionsShape,
      cell: (session) => (
        <Button
          variant="subtle"
          color="danger"
          aria-label={text.endOf(nameAgent(session.user_agent))}
          onClick={() => void end(session)}
        >
          {text.end}
        </Button>
      ),
    },
  ]
  return (
    <StateView query={sessions}>
      {({ pages }) => (
        <ListTable
          label={text.sessions}
          columns={columns}
          rows={pages.flatMap(({ items }) => items)}
          rowKey={({ id }) => id}
          more={moreOf(sessions)}
        />
      )}
    </StateView>
  )
}
