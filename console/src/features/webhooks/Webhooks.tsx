import './webhooks.css'
import { Alert, Anchor, Badge, Button } from '@mantine/core'
import { IconPlus, IconWebhook } from '@tabler/icons-react'
import { useState } from 'react'
import type { ListedWebhook } from '../../../../contract/webhooks.ts'
import { curlOf } from '../../api/curl.ts'
import { useCursorList } from '../../api/pages.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatShare } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { TimeAgo } from '../../ui/values.tsx'
import { text } from './messages.ts'
import { OnSwitch } from './OnSwitch.tsx'
import { DeliveryState, WebhookState } from './state.tsx'
import { hostOf } from './target.ts'

const FEW = 3

function EventChips({ events }: { events: readonly string[] }) {
  if (events.includes('*')) return <Badge className="webhooks-chip">{text.allEvents}</Badge>
  return (
    <span className="webhooks-chips" title={events.join(', ')}>
      {events.slice(0, FEW).map((name) => (
        <Badge key={name} className="webhooks-chip">
          {name}
        </Badge>
      ))}
      {events.length > FEW ? <span className="dim small">{text.moreEvents(events.length - FEW)}</span> : null}
    </span>
  )
}

function LastDelivery({ id, delivery }: { id: string; delivery: ListedWebhook['last_delivery'] }) {
  if (delivery === null) return <span className="dim">{text.noDelivery}</span>
  const search = { tab: 'deliveries', d: delivery.id }
  return (
    <Anchor
      component={Link}
      to={`/admin/webhooks/${id}`}
      search={search}
      className="webhooks-latest"
      title={delivery.event}
    >
      <DeliveryState delivery={delivery} /> <TimeAgo time={delivery.at} />
    </Anchor>
  )
}

/** The share of finished deliveries that succeeded. */
function Rate({ acknowledged, failed }: ListedWebhook['recent']) {
  const over = acknowledged + failed
  if (over === 0) return <span className="dim">–</span>
  return (
    <span className={failed > 0 ? 'number webhooks-rate-bad' : 'number'} title={text.rateOf(acknowledged, over)}>
      {formatShare(acknowledged / over)}
    </span>
  )
}

/** The list of endpoints. */
export default function Webhooks() {
  const me = useMe()
  const { go } = useView()
  const [isOff, setIsOff] = useState(false)
  const webhooks = useCursorList(
    ['webhooks', 'list'],
    async (cursor) => {
      const page = await client.listWebhooks({ query: { limit: 100, ...cursor } })
      setIsOff(!page.sending)
      return page
    },
    { enabled: me.isAdmin },
  )
  if (!me.isAdmin)
    return (
      <Page title={text.title}>
        <ForbiddenView right={text.right} />
      </Page>
    )
  const columns: readonly Column<ListedWebhook>[] = [
    {
      key: 'name',
      breaks: true,
      title: text.name,
      cell: ({ id, name, bucket, prefix }) => (
        <span className="webhooks-name">
          <Anchor component={Link} to={`/admin/webhooks/${id}`}>
            {name}
          </Anchor>
          {bucket === null ? null : (
            <span className="dim small">
              {bucket}/{legible(prefix ?? '')}
            </span>
          )}
        </span>
      ),
    },
    {
      key: 'host',
      breaks: true,
      title: text.host,
      optional: true,
      cell: ({ url }) => <span title={url}>{hostOf(url)}</span>,
    },
    { key: 'events', title: text.events, optional: true, cell: ({ events }) => <EventChips events={events} /> },
    { key: 'state', title: text.state, cell: (webhook) => <WebhookState webhook={webhook} /> },
    {
      key: 'latest',
      title: text.lastDelivery,
      optional: true,
      cell: ({ id, last_delivery }) => <LastDelivery id={id} delivery={last_delivery} />,
    },
    { key: 'recent', title: text.recent, optional: true, cell: ({ recent }) => <Rate {...recent} /> },
    {
      key: 'enabled',
      pinned: true,
      title: text.enabled,
      width: 64,
      cell: (webhook) => <OnSwitch webhook={webhook} />,
    },
  ]
  const create = (
    <Button component={Link} to="/admin/webhooks/new" leftSection={<IconPlus size={15} />}>
      {text.create}
    </Button>
  )
  const example = { name: 'Thumbnails', url: 'https://hooks.example.com/strongroom', events: ['upload'] }
  return (
    <Page title={text.title} hint={text.hint} actions={create} call={{ operation: 'listWebhooks' }}>
      {isOff ? (
        <Alert className="alert-warn" title={text.offTitle}>
          {text.offHint}
        </Alert>
      ) : null}
      <StateView query={webhooks}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyView
              title={text.emptyTitle}
              icon={<IconWebhook size={28} stroke={1.4} />}
              action={create}
              curl={curlOf({ operation: 'createWebhook', body: example })}
            >
              {text.emptyHint}
            </EmptyView>
          ) : (
            <ListTable
              label={text.title}
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              onOpen={({ id }) => void go(`/admin/webhooks/${id}`)}
              more={webhooks.more}
            />
          )
        }
      </StateView>
    </Page>
  )
}
