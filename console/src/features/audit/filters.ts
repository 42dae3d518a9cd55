import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { client } from '../../api/session.ts'

const results = ['success', 'denied', 'failure'] as const
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** The filters as in the address. Actions are separated by commas. */
export const names = ['actor', 'action', 'bucket', 'key', 'from', 'to', 'result', 'ip', 'request', 'about'] as const
export type FilterName = (typeof names)[number]
type Search = Readonly<Record<string, string | undefined>>

export const actionsOf = (search: Search): string[] => search.action?.split(',').filter(Boolean) ?? []

/** The query for the API. */
export function queryOf(search: Search) {
  const { actor, bucket, key, from, to, ip, request, about } = search
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
