import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Mail } from '../../../../contract/mail.ts'
import { client } from '../../api/session.ts'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { Status, TimeAgo, type Tone } from '../../ui/values.tsx'
import { mailKinds, mailStates, text } from './messages.ts'

const SHOWN = 20
const mailsQuery = queryOptions({
  queryKey: ['mails'],
  queryFn: () => client.listMails({ query: { limit: SHOWN } }),
  refetchInterval: 10_000,
})
const tones: Record<Mail['status'], Tone> = {
  queued: 'idle',
  sending: 'idle',
  sent: 'ok',
  failed: 'bad',
  unknown: 'warn',
}
const columns: readonly Column<Mail>[] = [
  {
    key: 'state',
    title: text.mailState,
    cell: ({ status }) => <Status tone={tones[status]}>{mailStates[status]}</Status>,
  },
  {
    key: 'kind',
    breaks: true,
    title: text.mailKind,
    cell: ({ kind, subject, last_error }) => (
      <div className="stack-tight">
        <span title={subject}>{mailKinds[kind]}</span>
        {last_error === null ? null : <span className="small dim">{last_error}</span>}
      </div>
    ),
  },
  { key: 'recipient', breaks: true, title: text.mailRecipient, cell: ({ recipient }) => recipient },
  { key: 'created', title: text.mailTime, cell: ({ created_at }) => <TimeAgo time={created_at} /> },
]

/** What was sent of late, waits or failed; nothing where there was none. */
export function Mails() {
  const mails = useQuery(mailsQuery)
  return (
    <StateView query={mails}>
      {({ items }) =>
        items.length === 0 ? null : (
          <section className="settings-test stack-tight" aria-label={text.mails}>
            <h3>{text.mails}</h3>
            <ListTable label={text.mails} columns={columns} rows={items} rowKey={({ id }) => id} />
          </section>
        )
      }
    </StateView>
  )
}
