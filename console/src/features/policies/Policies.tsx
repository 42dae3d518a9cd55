import './policies.css'
import { Anchor, Button, Switch } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Policy } from '../../../../contract/policies.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { type Column, ListTable, moreOf } from '../../ui/ListTable.tsx'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { TimeAgo } from '../../ui/values.tsx'
import { text } from './messages.ts'
import { policiesQuery } from './queries.ts'
import { RunState } from './RunState.tsx'
import { inWords } from './rule.ts'

const columns: readonly Column<Policy>[] = [
  {
    key: 'name',
    breaks: true,
    title: text.name,
    cell: (policy) => (
      <>
        <Anchor component={Link} to={`/policies/${policy.id}`} fw={600}>
          {policy.name}
        </Anchor>
        <div className="dim small">{inWords(policy)}</div>
      </>
    ),
  },
  {
    key: 'last',
    title: text.lastRun,
    optional: true,
    cell: ({ last_run }) =>
      last_run ? (
        <span className="policies-last">
          <RunState run={last_run} />
          <span className="dim small">
            <TimeAgo time={last_run.finished_at} />, {text.objects(last_run.deleted)}
          </span>
        </span>
      ) : (
        <TimeAgo time={null} />
      ),
  },
  {
    key: 'next',
    title: text.nextRun,
    optional: true,
    cell: ({ next_run_at, cron, enabled }) => (
      <TimeAgo time={enabled ? next_run_at : null} none={cron === null ? text.onlyByHand : text.off} />
    ),
  },
  { key: 'enabled', title: text.schedule, cell: (policy) => <Enabled key={policy.id} policy={policy} /> },
]

/** The policies a user can change. */
export default function Policies() {
  const me = useMe()
  const { go } = useView()
  const policies = useInfiniteQuery(policiesQuery)
  const create = me.canSomewhere('policy') ? (
    <Button component={Link} to="/policies/new" leftSection={<IconPlus size={15} />}>
      {text.create}
    </Button>
  ) : null
  return (
    <Page title={text.title} hint={text.hint} actions={create} call={{ operation: 'listPolicies' }}>
      <StateView query={policies}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items)
          if (rows.length === 0)
            return (
              <EmptyView title={text.emptyTitle} action={create}>
                {create ? text.emptyHint : text.noneYours}
              </EmptyView>
            )
          return (
            <ListTable
              label={text.title}
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              onOpen={({ id }) => void go(`/policies/${id}`)}
              more={moreOf(policies)}
            />
          )
        }}
      </StateView>
    </Page>
  )
}

/** Turns the schedule on and off. Shown immediately, and reverted if the server rejects it. */
function Enabled({ policy }: { policy: Policy }) {
  const cache = useQueryClient()
  const [wanted, setWanted] = useState<boolean>()
  if (policy.lifecycle !== null) return <span className="dim">{text.lifecycle}</span>
  if (policy.cron === null) return <span className="dim">{text.onlyByHand}</span>
  const change = async (enabled: boolean) => {
    setWanted(enabled)
    try {
      await client.updatePolicy({ params: { id: policy.id }, body: { enabled } })
      await cache.invalidateQueries({ queryKey: ['policies'] })
    } catch (error) {
      notify.problem(error)
    }
    setWanted(undefined)
  }
  return (
    <Switch
      aria-label={text.enabledOf(policy.name)}
      checked={wanted ?? policy.enabled}
      disabled={wanted !== undefined}
      onChange={(event) => void change(event.currentTarget.checked)}
    />
  )
}
