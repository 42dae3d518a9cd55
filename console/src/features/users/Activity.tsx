import { Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { AuditRecord } from '../../../../contract/audit.ts'
import type { User } from '../../../../contract/users.ts'
import { client } from '../../api/session.ts'
import { placeWords } from '../../keys.ts'
import { useView } from '../../navigation/useView.ts'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { Status, TimeAgo, type Tone } from '../../ui/values.tsx'
import { text } from './messages.ts'

const PAGE = 50
const tones: Record<AuditRecord['result'], Tone> = { success: 'ok', denied: 'warn', failure: 'bad' }
const columns: readonly Column<AuditRecord>[] = [
  { key: 'time', title: text.when, cell: ({ time }) => <TimeAgo time={time} /> },
  { key: 'action', title: text.action, cell: ({ action }) => <code className="mono">{action}</code> },
  {
    key: 'what',
    breaks: true,
    title: text.what,
    cell: ({ bucket, object_key, resource_type, details }) =>
      bucket === null
        ? [resource_type, (details as { name?: string; email?: string }).name ?? (details as { email?: string }).email]
            .filter(Boolean)
            .join(' ')
        : placeWords(bucket, object_key ?? ''),
  },
  {
    key: 'result',
    title: text.result,
    cell: ({ result }) => <Status tone={tones[result]}>{text.results(result)}</Status>,
  },
]

/** A user's activity, latest first. */
export function Activity({ user }: { user: User }) {
  const { search, open } = useView()
  const page = Math.max(1, Number(search.page) || 1)
  const records = useQuery({
    queryKey: ['audit', 'of', user.id, page],
    queryFn: () => client.listAudit({ query: { user_id: user.id, page, page_size: PAGE } }),
    placeholderData: keepPreviousData,
  })
  return (
    <StateView query={records}>
      {({ items, total }) => {
        if (items.length === 0) return <EmptyView title={text.noActivity}>{text.noActivityHint}</EmptyView>
        const pages = Math.ceil(total / PAGE)
        return (
          <div className="stack">
            <ListTable label={text.activityTab} columns={columns} rows={items} rowKey={({ id }) => id} />
            {pages > 1 ? (
              <div className="users-pager">
                <span className="dim" role="status">
                  {text.page(page, pages)}
                </span>
                <Button variant="default" disabled={page <= 1} onClick={() => void open({ page: String(page - 1) })}>
                  {text.later}
                </Button>
                <Button
                  variant="default"
                  disabled={page >= pages}
                  onClick={() => void open({ page: String(page + 1) })}
                >
                  {text.earlier}
                </Button>
              </div>
            ) : null}
          </div>
        )
      }}
    </StateView>
  )
}
