import './agents.css'
import { Button } from '@mantine/core'
import { IconArrowBackUp, IconKeyOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Agent } from '../../../../contract/agents.ts'
import type { AuditRecord } from '../../../../contract/audit.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { legible } from '../../keys.ts'
import { useView } from '../../navigation/useView.ts'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { Page } from '../../ui/Page.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { useRemoval } from '../../ui/useRemoval.tsx'
import { Status, TimeAgo } from '../../ui/values.tsx'
import { scopeWords } from '../tokens/limits.ts'
import { tones } from './Agents.tsx'
import { Approvals } from './Approvals.tsx'
import { clientWords } from './client.ts'
import { text } from './messages.ts'
import { agentQuery, approvalsQuery, logQuery } from './queries.ts'
import { UndoAgent } from './UndoAgent.tsx'
import { counts, countTitles, usedOf } from './use.ts'

/** One agent: its limits, what it has used, what waits, and what it did. */
export default function AgentPage() {
  const { params } = useView()
  const id = params.id ?? ''
  const agent = useQuery(agentQuery(id))
  const waiting = useQuery(approvalsQuery(id, 'waiting'))
  const [undoing, setUndoing] = useState(false)
  const removal = useRemoval({ list: '/agents', listKey: ['agents'] })
  const { data } = agent
  const end = ({ name }: Agent) =>
    removal(
      { title: text.endTitle(name), children: text.endText, action: text.endAction },
      () => client.revokeAgent({ params: { id } }),
      text.ended(name),
    )
  return (
    <Page
      title={data?.name ?? text.agent}
      hint={data ? scopeWords(data.scope) : undefined}
      call={{ operation: 'getAgent', params: { id } }}
      actions={
        data ? (
          <>
            <Button variant="default" leftSection={<IconArrowBackUp size={15} />} onClick={() => setUndoing(true)}>
              {text.undo}
            </Button>
            {data.status === 'active' ? (
              <Button color="danger" leftSection={<IconKeyOff size={15} />} onClick={() => void end(data)}>
                {text.end}
              </Button>
            ) : null}
          </>
        ) : null
      }
    >
      <StateView query={agent}>
        {(found) => (
          <div className="stack agents-page">
            <section className="stack" aria-labelledby="agents-waits">
              <h2 id="agents-waits">{text.waits}</h2>
              {waiting.data && waiting.data.items.length > 0 ? (
                <Approvals items={waiting.data.items} />
              ) : (
                <p className="dim">{text.nothingWaits}</p>
              )}
            </section>
            <section className="stack" aria-labelledby="agents-counts">
              <h2 id="agents-counts">{text.counts}</h2>
              <Facts agent={found} />
              <ListTable
                label={text.counts}
                columns={countColumns}
                rows={counts.map((count) => ({ count, agent: found }))}
                rowKey={({ count }) => count}
              />
            </section>
            <section className="stack" aria-labelledby="agents-log">
              <h2 id="agents-log">{text.log}</h2>
              <Log id={id} />
            </section>
          </div>
        )}
      </StateView>
      {undoing && data ? <UndoAgent agent={data} onClose={() => setUndoing(false)} /> : null}
    </Page>
  )
}

const Facts = ({ agent: { status, email, expires_at, renews_at, client: madeFor } }: { agent: Agent }) => (
  <dl className="facts">
    <dt>{text.state}</dt>
    <dd>
      <Status tone={tones[status]}>{text[status]}</Status>
    </dd>
    <dt>{text.maker}</dt>
    <dd>{email}</dd>
    {madeFor ? (
      <>
        <dt>{text.client}</dt>
        <dd>{clientWords(madeFor)}</dd>
      </>
    ) : null}
    <dt>{text.expires}</dt>
    <dd>
      <TimeAgo time={expires_at} none={text.neverEnds} />
    </dd>
    {renews_at === null ? null : (
      <>
        <dt>{text.renews}</dt>
        <dd>
          <TimeAgo time={renews_at} />
        </dd>
      </>
    )}
  </dl>
)

type Counted = { count: (typeof counts)[number]; agent: Agent }
const countColumns: readonly Column<Counted>[] = [
  { key: 'what', title: text.what, cell: ({ count }) => countTitles[count] },
  {
    key: 'hour',
    title: text.hour,
    number: true,
    cell: ({ count, agent }) => usedOf(count, agent.used_this_hour[count], agent.budget[`${count}_per_hour`]),
  },
  {
    key: 'all',
    title: text.total,
    number: true,
    cell: ({ count, agent }) => usedOf(count, agent.used_in_all[count], agent.budget[count]),
  },
]

/** What an agent did, as the audit log has it. */
function Log({ id }: { id: string }) {
  const me = useMe()
  const log = useQuery({ ...logQuery(id), enabled: me.isAdmin })
  if (!me.isAdmin) return <p className="dim">{text.logForAdmins}</p>
  return (
    <StateView query={log}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="dim">{text.logEmpty}</p>
        ) : (
          <ListTable label={text.log} columns={logColumns} rows={items} rowKey={(one) => one.id} />
        )
      }
    </StateView>
  )
}

const logColumns: readonly Column<AuditRecord>[] = [
  { key: 'when', title: text.when, cell: ({ time }) => <TimeAgo time={time} /> },
  { key: 'action', title: text.action, cell: ({ action }) => <code>{action}</code> },
  {
    key: 'object',
    title: text.object,
    breaks: true,
    cell: ({ bucket, object_key }) => legible([bucket, object_key].filter(Boolean).join('/')),
  },
  { key: 'through', title: text.through, optional: true, cell: ({ route }) => <code>{route}</code> },
  {
    key: 'result',
    title: text.result,
    cell: ({ result }) => (
      <Status tone={result === 'success' ? 'ok' : 'bad'}>{result === 'success' ? text.done : text.denied}</Status>
    ),
  },
]
