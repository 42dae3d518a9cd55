import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Delivery } from '../../../../contract/webhooks.ts'
import { client } from '../../api/session.ts'

export const POLL_MS = 2000
export const PAGE = 50

/** A webhook; refetched while it fails, so that a success is seen. */
export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'one', id],
    queryFn: () => client.getWebhook({ params: { id } }),
    refetchInterval: ({ state }) => (state.data?.failing_since ? POLL_MS : false),
  })

/** All events; they change only with the server's version. */
export const eventsQuery = queryOptions({
  queryKey: ['webhooks', 'events'],
  queryFn: async () => (await client.listEvents()).items.map(({ name, summary }) => ({ name, summary })),
  staleTime: Number.POSITIVE_INFINITY,
})

export const statuses = ['queued', 'acknowledged', 'failed'] as const
export interface Filters {
  status?: Delivery['status'] | undefined
  event?: string | undefined
}
export const queryOf = ({ status, event }: Filters, page: number) => ({
  ...(status ? { status } : {}),
  ...(event ? { event } : {}),
  ...(page > 1 ? { page } : {}),
  page_size: PAGE,
})

/** A page of deliveries; refetched while one of them is queued and the page is visible. */
export const deliveriesQuery = (id: string, filters: Filters, page: number) =>
  queryOptions({
    queryKey: ['webhooks', 'deliveries', id, filters, page],
    queryFn: () => client.listDeliveries({ params: { id }, query: queryOf(filters, page) }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(({ status }) => status === 'queued') ? POLL_MS : false),
  })

/** One delivery with its attempts, refetched until it ends. */
export const deliveryQuery = (id: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['webhooks', 'delivery', id, deliveryId],
    queryFn: () => client.getDelivery({ params: { id, delivery_id: deliveryId } }),
    refetchInterval: ({ state }) => (state.data?.status === 'queued' ? POLL_MS : false),
  })
