import './webhooks.css'
import { Alert, Button } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Webhook } from '../../../../contract/webhooks.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { useRemoval } from '../../ui/useRemoval.tsx'
import { ViewTabs } from '../../ui/ViewTabs.tsx'
import { Deliveries } from './Deliveries.tsx'
import { text } from './messages.ts'
import { OnSwitch } from './OnSwitch.tsx'
import { webhookQuery } from './queries.ts'
import { SecretCard } from './SecretCard.tsx'
import { WebhookState } from './state.tsx'
import { TestPing } from './TestPing.tsx'
import { WebhookForm } from './WebhookForm.tsx'

/** The webhook in the form; another one resets it. */
const settingsOf = ({ name, url, events, bucket, prefix, format, max_in_flight }: Webhook) => [
  name,
  url,
  events,
  bucket,
  prefix,
  format,
  max_in_flight,
]

/** One endpoint: its settings and deliveries. */
export default function WebhookPage() {
  const me = useMe()
  const cache = useQueryClient()
  const { params, search, go, pathname } = useView()
  const id = params.id ?? ''
  const webhook = useQuery({ ...webhookQuery(id), enabled: me.isAdmin })
  const [ping, setPing] = useState<string>()
  const [asking, setAsking] = useState(false)
  const removal = useRemoval({ list: '/admin/webhooks', listKey: ['webhooks', 'list'] })
  if (!me.isAdmin)
    return (
      <Page title={text.title}>
        <ForbiddenView right={text.right} />
      </Page>
    )
  const refresh = () => cache.invalidateQueries({ queryKey: ['webhooks'] })
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      notify.problem(error)
    }
    await refresh()
  }
  const test = async () => {
    setAsking(true)
    setPing(undefined)
    await attempt(async () => setPing((await client.testWebhook({ params: { id } })).id))
    setAsking(false)
  }
  const remove = ({ name }: Webhook) =>
    removal(
      { title: text.removeTitle, children: text.removeText(name), action: text.removeAction },
      () => client.deleteWebhook({ params: { id } }),
      text.removed,
    )
  const { data } = webhook
  const isDeliveries = search.tab === 'deliveries'
  return (
    <Page
      title={data?.name ?? text.title}
      hint={data ? <span className="webhooks-url">{data.url}</span> : undefined}
      call={{ operation: isDeliveries ? 'listDeliveries' : 'getWebhook', params: { id } }}
      actions={
        data ? (
          <>
            <OnSwitch webhook={data} label={text.enabled} />
            <Button variant="default" leftSection={<IconSend size={15} />} loading={asking} onClick={() => void test()}>
              {text.test}
            </Button>
          </>
        ) : null
      }
    >
      {ping === undefined ? null : (
        <TestPing
          key={ping}
          webhookId={id}
          deliveryId={ping}
          onOpen={() => void go(pathname, { tab: 'deliveries', d: ping })}
          onClose={() => setPing(undefined)}
        />
      )}
      <StateView query={webhook}>
        {(found) => (
          <>
            {found.enabled ? (
              <WebhookState webhook={found} />
            ) : (
              <Alert className="alert-warn">
                {found.disabled_reason === null ? text.pausedNote : text.disabledNote(found.disabled_reason)}
              </Alert>
            )}
            <ViewTabs
              label={text.tabs}
              tabs={[
                {
                  name: 'settings',
                  label: text.settingsTab,
                  content: () => (
                    <div className="webhooks-columns">
                      <WebhookForm
                        key={JSON.stringify(settingsOf(found))}
                        webhook={found}
                        save={async ({ enabled: _asItIs, ...body }) => {
                          await client.updateWebhook({ params: { id }, body })
                          notify.ok(text.saved)
                          await refresh()
                        }}
                        actions={
                          <Button variant="subtle" color="danger" onClick={() => void remove(found)}>
                            {text.remove}
                          </Button>
                        }
                      />
                      <SecretCard webhook={found} />
                    </div>
                  ),
                },
                {
                  name: 'deliveries',
                  label: text.deliveriesTab,
                  content: () => <Deliveries webhook={found} />,
                },
              ]}
            />
          </>
        )}
      </StateView>
    </Page>
  )
}
