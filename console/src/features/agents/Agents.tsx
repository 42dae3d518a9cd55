import './agents.css'
import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Agent, NewAgent } from '../../../../contract/agents.ts'
import { useMe } from '../../api/queries.ts'
import { Link } from '../../navigation/Link.tsx'
import { CopyField } from '../../ui/CopyField.tsx'
import { type Column, ListTable, moreOf } from '../../ui/ListTable.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { Status, TimeAgo, type Tone } from '../../ui/values.tsx'
import { scopeWords } from '../tokens/limits.ts'
import { Approvals } from './Approvals.tsx'
import { CreateAgent } from './CreateAgent.tsx'
import { clientWords } from './client.ts'
import { text } from './messages.ts'
import { agentsQuery, approvalsQuery } from './queries.ts'
import { RevealAgent } from './RevealAgent.tsx'
import { usedWords } from './use.ts'

export const tones: Record<Agent['status'], Tone> = { active: 'ok', expired: 'idle', revoked: 'bad' }

/** Agents, and what they wait for. */
export default function Agents() {
  const me = useMe()
  const agents = useInfiniteQuery(agentsQuery)
  const waiting = useQuery(approvalsQuery(undefined, 'waiting'))
  const [creating, setCreating] = useState(false)
  // A value exists only here, and only while it is shown.
  const [made, setMade] = useState<NewAgent>()
  const columns: readonly Column<Agent>[] = [
    {
      key: 'name',
      breaks: true,
      title: text.name,
      cell: ({ id, name, waiting, client }) => (
        <>
          <Link to={`/agents/${id}`} className="agents-link">
            <strong>{name}</strong>
          </Link>
          {waiting > 0 ? <span className="warn small"> {text.waiting(waiting)}</span> : null}
          {client ? <div className="dim small">{clientWords(client)}</div> : null}
        </>
      ),
    },
    { key: 'scope', breaks: true, title: text.scope, optional: true, cell: ({ scope }) => scopeWords(scope) },
    {
      key: 'used',
      title: text.used,
      optional: true,
      cell: (agent) => (
        <ul className="agents-used">
          {usedWords(agent).map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      ),
    },
    ...(me.isAdmin
      ? [{ key: 'maker', title: text.maker, optional: true, breaks: true, cell: ({ email }: Agent) => email }]
      : []),
    {
      key: 'expires',
      title: text.expires,
      cell: ({ expires_at }) => <TimeAgo time={expires_at} none={text.neverEnds} />,
    },
    { key: 'state', title: text.state, cell: ({ status }) => <Status tone={tones[status]}>{text[status]}</Status> },
  ]
  const create = (
    <Button leftSection={<IconPlus size={15} />} onClick={() => setCreating(true)}>
      {text.create}
    </Button>
  )
  return (
    <Page title={text.title} hint={text.hint} actions={create} call={{ operation: 'listAgents' }}>
      {waiting.data && waiting.data.items.length > 0 ? (
        <section className="stack" aria-labelledby="agents-waiting">
          <h2 id="agents-waiting">{text.waits}</h2>
          <Approvals items={waiting.data.items} />
        </section>
      ) : null}
      <StateView query={agents}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items)
          return rows.length === 0 ? (
            <EmptyView title={text.emptyTitle} action={create}>
              {text.emptyHint}
            </EmptyView>
          ) : (
            <ListTable label={text.title} columns={columns} rows={rows} rowKey={({ id }) => id} more={moreOf(agents)} />
          )
        }}
      </StateView>
      <CopyField
        label={text.byAddress}
        description={text.byAddressHint}
        value={`${location.origin}/mcp`}
        hideLabel={false}
        mono
      />
      {creating ? (
        <CreateAgent
          onMade={(agent) => {
            setCreating(false)
            setMade(agent)
          }}
          onClose={() => setCreating(false)}
        />
      ) : null}
      {made ? <RevealAgent agent={made} onClose={() => setMade(undefined)} /> : null}
    </Page>
  )
}
