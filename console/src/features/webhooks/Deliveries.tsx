import { Anchor, Button, SegmentedControl, Select } from '@mantine/core'
import { IconRefreshAlert } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Delivery, Webhook } from '../../../../contract/webhooks.ts'
import { legible } from '../../keys.ts'
import { useView } from '../../navigation/useView.ts'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { EmptyView, NoMatch, StateView } from '../../ui/StateView.tsx'
import { Count, TimeAgo } from '../../ui/values.tsx'
import { DeliveryDrawer } from './DeliveryDrawer.tsx'
import { deliveryText as text } from './messages.ts'
import { nextAttempt } from './next.ts'
import { deliveriesQuery, eventsQuery, type Filters, PAGE, statuses } from './queries.ts'
import { Recover } from './Recover.tsx'
import { DeliveryState, NextAttempt } from './state.tsx'

/** The row's click, for the keyboard. */
function Opener({ delivery: { id, event } }: { delivery: Delivery }) {
  const { open } = useView()
  return (
    <Anchor component="button" onClick={() => void open({ d: id })}>
      <code className="mono">{event}</code>
    </Anchor>
  )
}

const columnsOf = (webhook: Webhook): readonly Column<Delivery>[] => [
  { key: 'status', title: text.status, cell: (delivery) => <DeliveryState delivery={delivery} /> },
  { key: 'event', title: text.event, cell: (delivery) => <Opener delivery={delivery} /> },
  {
    key: 'about',
    breaks: true,
    title: text.about,
    cell: ({ bucket, object_key }) =>
      object_key === null ? <span className="dim">{bucket ?? '–'}</span> : legible(`${bucket}/${object_key}`),
  },
  {
    key: 'attempts',
    title: text.attempts,
    number: true,
    optional: true,
    cell: ({ attempts }) => <Count n={attempts} />,
  },
  {
    key: 'answer',
    breaks: true,
    title: text.answer,
    cell: ({ last_status_code, last_error }) =>
      last_status_code === null ? <span className="small">{last_error ?? ''}</span> : String(last_status_code),
  },
  { key: 'created', title: text.created, cell: ({ created_at }) => <TimeAgo time={created_at} /> },
  {
    key: 'next',
    title: text.next,
    optional: true,
    cell: (delivery) => <NextAttempt time={nextAttempt(webhook, delivery)} />,
  },
]

/** An endpoint's deliveries, latest first. `?status=&event=&page=&d=<delivery>`. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { search, open } = useView()
  const [recovering, setRecovering] = useState(false)
  const filters: Filters = { status: statuses.find((one) => one === search.status), event: search.event }
  const page = Math.max(1, Number(search.page) || 1)
  const deliveries = useQuery(deliveriesQuery(webhook.id, filters, page))
  const events = useQuery(eventsQuery)
  const filtered = filters.status !== undefined || filters.event !== undefined
  const names = new Set([
    ...(events.data ?? []).map(({ name }) => name as string),
    ...(filters.event ? [filters.event] : []),
  ])
  return (
    <div className="stack">
      <div className="filters">
        <SegmentedControl
          aria-label={text.status}
          data={[{ value: '', label: text.anyStatus }, ...statuses.map((one) => ({ value: one, label: text[one] }))]}
          value={filters.status ?? ''}
          onChange={(status) => void open({ status, page: undefined })}
        />
        <Select
          aria-label={text.event}
          data={[{ value: '', label: text.anyEvent }, ...[...names].map((name) => ({ value: name, label: name }))]}
          value={filters.event ?? ''}
          onChange={(event) => void open({ event: event ?? undefined, page: undefined })}
          searchable
        />
        <span className="grow" />
        <Button
          variant="default"
          leftSection={<IconRefreshAlert size={15} />}
          disabled={!webhook.enabled}
          title={webhook.enabled ? undefined : text.whyPaused}
          onClick={() => setRecovering(true)}
        >
          {text.recover}
        </Button>
      </div>
      <StateView query={deliveries}>
        {({ items, total, total_is_estimate }) => {
          const pages = Math.max(1, Math.ceil(total / PAGE))
          if (items.length === 0 && filtered)
            return <NoMatch clear={() => void open({ status: undefined, event: undefined, page: undefined })} />
          if (items.length === 0) return <EmptyView title={text.noneYet}>{text.noneYetHint}</EmptyView>
          return (
            <>
              <ListTable
                label={text.id}
                columns={columnsOf(webhook)}
                rows={items}
                rowKey={({ id }) => id}
                onOpen={({ id }) => void open({ d: id })}
              />
              <div className="row">
                <span className="dim" role="status">
                  {text.count(total, total_is_estimate)}
                </span>
                {items.some(({ status }) => status === 'queued') ? (
                  <span className="dim small">{text.live}</span>
                ) : null}
                <span className="grow" />
                {pages > 1 || page > 1 ? (
                  <>
                    <span className="dim">{text.page(page, pages)}</span>
                    <Button
                      variant="default"
                      disabled={page <= 1}
                      onClick={() => void open({ page: page > 2 ? String(page - 1) : undefined })}
                    >
                      {text.later}
                    </Button>
                    <Button
                      variant="default"
                      disabled={items.length < PAGE}
                      onClick={() => void open({ page: String(page + 1) })}
                    >
                      {text.earlier}
                    </Button>
                  </>
                ) : null}
              </div>
            </>
          )
        }}
      </StateView>
      {search.d === undefined ? null : (
        <DeliveryDrawer webhook={webhook} deliveryId={search.d} onClose={() => void open({ d: undefined })} />
      )}
      {recovering ? <Recover webhook={webhook} onClose={() => setRecovering(false)} /> : null}
    </div>
  )
}
