import '@mantine/core/styles/Tabs.css'
import './policies.css'
import { Button, Tabs } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Policy } from '../../../../contract/policies.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { useRemoval } from '../../ui/useRemoval.tsx'
import { LifecycleRule } from './LifecycleRule.tsx'
import { text } from './messages.ts'
import { PolicyForm } from './PolicyForm.tsx'
import { policyQuery } from './queries.ts'
import { RunNow } from './RunNow.tsx'
import { Runs } from './Runs.tsx'
import { draftOf, inWords, nameSchedule } from './rule.ts'

/** A policy: its rule with a preview, and its runs. */
export default function PolicyPage() {
  const cache = useQueryClient()
  const { params, search, open } = useView()
  const id = params.id ?? ''
  const policy = useQuery(policyQuery(id))
  const [running, setRunning] = useState(false)
  const removal = useRemoval({ list: '/policies', listKey: ['policies', 'list'] })
  const remove = ({ name }: Policy) =>
    removal(
      { title: text.removeTitle, children: text.removeText(name), action: text.removeAction },
      () => client.deletePolicy({ params: { id } }),
      text.removed,
    )
  const { data } = policy
  return (
    <Page
      title={data?.name ?? text.title}
      hint={data ? `${inWords(data)}. ${nameSchedule(data.cron, data.timezone)}.` : undefined}
      call={{ operation: 'getPolicy', params: { id } }}
      actions={
        data ? (
          <Button variant="default" leftSection={<IconPlayerPlay size={15} />} onClick={() => setRunning(true)}>
            {text.runNow}
          </Button>
        ) : null
      }
    >
      <StateView query={policy}>
        {(found) => (
          <>
            <Tabs
              value={search.tab === 'runs' ? 'runs' : 'rule'}
              onChange={(tab) => void open({ tab: tab === 'runs' ? 'runs' : undefined, run: undefined })}
              keepMounted={false}
            >
              <Tabs.List mb="md">
                <Tabs.Tab value="rule">{text.rule}</Tabs.Tab>
                <Tabs.Tab value="runs">{text.runs}</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="rule">
                {found.lifecycle ? (
                  <LifecycleRule policy={found} lifecycle={found.lifecycle} />
                ) : (
                  <PolicyForm
                    key={found.updated_at}
                    initial={draftOf(found)}
                    save={async (body) => {
                      await client.updatePolicy({ params: { id }, body })
                      notify.ok(text.saved)
                      await cache.invalidateQueries({ queryKey: ['policies'] })
                    }}
                    actions={
                      <Button variant="subtle" color="danger" onClick={() => void remove(found)}>
                        {text.remove}
                      </Button>
                    }
                  />
                )}
              </Tabs.Panel>
              <Tabs.Panel value="runs">
                <Runs policy={found} />
              </Tabs.Panel>
            </Tabs>
            {running ? (
              <RunNow
                policy={found}
                onClose={() => setRunning(false)}
                onBegun={() => {
                  setRunning(false)
                  void open({ tab: 'runs' })
                }}
              />
            ) : null}
          </>
        )}
      </StateView>
    </Page>
  )
}
