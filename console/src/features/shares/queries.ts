import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { client } from '../../api/session.ts'

export interface Filters {
  state?: 'active' | 'expired' | 'revoked' | undefined
  bucket?: string | undefined
  q?: string | undefined
}
export const filled = (filters: Filters) =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined && value !== '')) as {
    [K in keyof Filters]?: Exclude<Filters[K], undefined>
  }

/** A user's links, latest first, in pages. They never contain the token. */
export const sharesQuery = (filters: Filters) =>
  infiniteQueryOptions({
    queryKey: ['shares', 'list', filled(filters)],
    queryFn: ({ pageParam }) =>
      client.listShares({
        query: { ...filled(filters), limit: 100, ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: (old) => old,
  })

/** The active links to one object or folder. */
export const linksToQuery = (bucket: string, target: { key: string } | { prefix: string }) =>
  queryOptions({
    queryKey: ['shares', 'to', bucket, target],
    queryFn: async () => {
      const found = 'key' in target ? { key: target.key } : { q: target.prefix }
      const { items } = await client.listShares({ query: { bucket, state: 'active', limit: 100, ...found } })
      return 'key' in target ? items : items.filter(({ prefix }) => prefix === target.prefix)
    },
  })

/** A link's URL. Each request is recorded, so it is sent once, and the answer is forgotten with its view. */
export const linkQuery = (id: string) =>
  queryOptions({
    queryKey: ['share-link', id],
    queryFn: () => client.getShareLink({ params: { id } }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

export const accessesQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: ['shares', 'accesses', id, page],
    queryFn: () => client.listShareAccesses({ params: { id }, query: { page, page_size: 50 } }),
    placeholderData: (old) => old,
  })
