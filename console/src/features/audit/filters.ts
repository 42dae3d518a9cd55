import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { client } from '../../api/session.ts'

export const results = ['success', 'denied', 'failure'] as const
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** The filters as in the address. Actions are separated by commas; `time` is one of the periods below. */
export const names = [
  'actor',
  'action',
  'bucket',
  'key',
  'result',
  'ip',
  'request',
  'about',
  'time',
  'from',
  'to',
] as const
export type FilterName = (typeof names)[number]
type Search = Readonly<Record<string, string | undefined>>

export const actionsOf = (search: Search): string[] => search.action?.split(',').filter(Boolean) ?? []

const HOUR = 3_600_000
/** The periods up to now, and when each starts. */
const periods = {
  '1h': (now: number) => now - HOUR,
  today: (now: number) => new Date(now).setHours(0, 0, 0, 0),
  '7d': (now: number) => now - 7 * 24 * HOUR,
  '30d': (now: number) => now - 30 * 24 * HOUR,
} as const
export type Period = keyof typeof periods
export const periodNames = Object.keys(periods) as Period[]

export const periodOf = ({ time, from, to }: Search): Period | undefined =>
  from || to ? undefined : periodNames.find((one) => one === time)
/** When a period starts, as in the API. */
export const startOf = (period: Period): string => new Date(periods[period](Date.now())).toISOString()

/** The query for the API; `since` is the start of the period in the address. */
export function queryOf(search: Search, since?: string) {
  const { actor, bucket, key, from = since, to, ip, request, about } = search
  const action = actionsOf(search)
  const result = results.find((one) => one === search.result)
  return {
    ...(actor ? (ID.test(actor) ? { user_id: actor } : { email: actor }) : {}),
    ...(action.length > 0 ? { action } : {}),
    ...(bucket ? { bucket } : {}),
    ...(key ? { object_key_prefix: key } : {}),
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
    ...(result ? { result } : {}),
    ...(ip ? { ip } : {}),
    ...(request ? { request_id: request } : {}),
    ...(about ? { resource_id: about } : {}),
  }
}
export type AuditQuery = ReturnType<typeof queryOf>
/** The filter that the API rejected. */
export const filterOf: Readonly<Record<string, FilterName>> = {
  user_id: 'actor',
  email: 'actor',
  object_key_prefix: 'key',
  request_id: 'request',
  resource_id: 'about',
}

const PAGE = 100
export const recordsQuery = (query: AuditQuery) =>
  infiniteQueryOptions({
    queryKey: ['audit', 'list', query],
    queryFn: ({ pageParam }) =>
      client.listAudit({ query: { ...query, page_size: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) } }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    // The list does not change by itself: new records appear on request.
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
