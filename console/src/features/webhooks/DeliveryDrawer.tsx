import '../../ui/snippets.css'
import '@mantine/core/styles/Tabs.css'
import '../../ui/ViewTabs.css'
import { Button, Drawer, SegmentedControl, Tabs } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Api } from '../../../../contract/index.ts'
import type { Reply } from '../../../../contract/route.ts'
import type { Attempt, Webhook } from '../../../../contract/webhooks.ts'
import { client } from '../../api/session.ts'
import { formatTime } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { quoted } from '../../shell-quote.ts'
import { CopyButton } from '../../ui/CopyField.tsx'
import { copyText } from '../../ui/copy.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { Status, TimeAgo } from '../../ui/values.tsx'
import { deliveryText as text } from './messages.ts'
import { nextAttempt } from './next.ts'
import { deliveryQuery } from './queries.ts'
import { DeliveryState, NextAttempt } from './state.tsx'

type Found = Reply<Api['getDelivery']>

const pretty = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
/** The request as a curl command. */
const curlOf = (url: string, headers: Record<string, string>, body: string): string => {
  const given = Object.entries(headers).filter(([name]) => !/^(host|content-length|connection)$/i.test(name))
  return `curl -X POST ${given.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`).join(' ')} --data-raw ${quoted(body)} ${quoted(url)}`
}

const Headers = ({ of }: { of: Record<string, string> }) => (
  <dl className="facts webhooks-headers">
    {Object.entries(of).map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
const Code = ({ children, label }: { children: string; label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
  <section className="snippet" tabIndex={0} aria-label={label}>
    <pre>{children}</pre>
  </section>
)

function Request({ delivery }: { delivery: Found }) {
  const [as, setAs] = useState<string>('pretty')
  const last = delivery.attempt_log.at(-1)
  const copy = async () => {
    if (last && (await copyText(curlOf(last.url, last.request_headers, delivery.body)))) notify.note(common.copied)
  }
  return (
    <div className="stack">
      <section className="stack-tight">
        <div className="row">
          <h3 className="grow">{last ? text.headersOf(last.number) : text.headers}</h3>
          {last ? (
            <Button variant="default" onClick={() => void copy()}>
              {text.copyCurl}
            </Button>
          ) : null}
        </div>
        {last ? <Headers of={last.request_headers} /> : <p className="dim">{text.noHeaders}</p>}
      </section>
      <section className="stack-tight">
        <div className="row">
          <h3 className="grow">{text.body}</h3>
          <SegmentedControl
            aria-label={text.bodyAs}
            size="xs"
            data={[
              { value: 'pretty', label: text.pretty },
              { value: 'raw', label: text.raw },
            ]}
            value={as}
            onChange={setAs}
          />
          <CopyButton value={delivery.body} label={text.copyBody} />
        </div>
        <Code label={text.body}>{as === 'pretty' ? pretty(delivery.body) : delivery.body}</Code>
      </section>
    </div>
  )
}

function AttemptView({ attempt }: { attempt: Attempt }) {
  const { number, trigger, started_at, duration_ms, status_code, error, error_class, url, ip } = attempt
  const { response_headers, response_body, response_encoding, response_truncated } = attempt
  const ok = error_class === null && status_code !== null
  return (
    <section className="webhooks-attempt stack-tight" aria-label={text.attempt(number)}>
      <div className="row">
        <h3>{text.attempt(number)}</h3>
        <Status tone={ok ? 'ok' : 'bad'}>{status_code === null ? text.noResponse : String(status_code)}</Status>
        <span className="dim small">
          {formatTime(started_at)} · {text.took(duration_ms)} · {text[trigger]}
        </span>
      </div>
      {error === null && error_class === null ? null : (
        <p className="bad">
          {error_class}
          {error === null || error === error_class ? '' : `: ${error}`}
        </p>
      )}
      <p className="small dim webhooks-url">
        {text.to} {url}
        {ip === null ? '' : ` (${ip})`}
      </p>
      {response_headers === null ? null : (
        <>
          <h4 className="small">{text.response}</h4>
          <Headers of={response_headers} />
          {response_body ? (
            <>
              {response_encoding === 'base64' ? <span className="dim small">{text.binary}</span> : null}
              <Code label={text.response}>{response_body}</Code>
              {response_truncated ? <span className="dim small">{text.cut}</span> : null}
            </>
          ) : (
            <span className="dim small">{text.empty}</span>
          )}
        </>
      )}
    </section>
  )
}

/** One delivery: the request, and the response to each attempt. */
export function DeliveryDrawer({
  webhook,
  deliveryId,
  onClose,
}: {
  webhook: Webhook
  deliveryId: string
  onClose: () => void
}) {
  const cache = useQueryClient()
  const delivery = useQuery(deliveryQuery(webhook.id, deliveryId))
  const [sending, setSending] = useState(false)
  const resend = async (words: string) => {
    setSending(true)
    try {
      await client.resendDelivery({ params: { id: webhook.id, delivery_id: deliveryId } })
      notify.ok(words)
    } catch (error) {
      notify.problem(error)
    }
    await cache.invalidateQueries({ queryKey: ['webhooks'] })
    setSending(false)
  }
  return (
    <Drawer opened onClose={onClose} size="xl" title={delivery.data ? text.drawer(delivery.data.event) : text.id}>
      <StateView query={delivery}>
        {(found) => {
          const why = webhook.enabled ? undefined : text.whyPaused
          const isQueued = found.status === 'queued'
          const next = nextAttempt(webhook, found)
          return (
            <div className="stack">
              <div className="row">
                <DeliveryState delivery={found} />
                <span className="dim small">
                  <TimeAgo time={found.created_at} />
                  {next === null ? null : (
                    <>
                      {' · '}
                      {text.next} <NextAttempt time={next} />
                    </>
                  )}
                </span>
                <span className="grow" />
                {why ? <span className="dim small">{why}</span> : null}
                <Button
                  variant="default"
                  leftSection={<IconRefresh size={15} />}
                  disabled={why !== undefined}
                  loading={sending}
                  onClick={() => void resend(isQueued ? text.sentNow : text.resent)}
                >
                  {isQueued ? text.sendNow : text.resend}
                </Button>
              </div>
              {found.bucket === null ? null : (
                <p className="webhooks-url">{legible(`${found.bucket}/${found.object_key ?? ''}`)}</p>
              )}
              <span className="mono dim webhooks-url">{found.id}</span>
              <Tabs defaultValue="request" keepMounted={false} className="view-tabs">
                <Tabs.List aria-label={text.parts}>
                  <Tabs.Tab value="request">{text.request}</Tabs.Tab>
                  <Tabs.Tab value="attempts">{text.attemptsTab(found.attempt_log.length)}</Tabs.Tab>
                </Tabs.List>
                <Tabs.Panel value="request">
                  <Request delivery={found} />
                </Tabs.Panel>
                <Tabs.Panel value="attempts">
                  <div className="stack">
                    {found.attempt_log.length === 0 ? <p className="dim">{text.noAttempt}</p> : null}
                    {found.attempt_log.toReversed().map((attempt) => (
                      <AttemptView key={attempt.number} attempt={attempt} />
                    ))}
                  </div>
                </Tabs.Panel>
              </Tabs>
            </div>
          )
        }}
      </StateView>
    </Drawer>
  )
}
