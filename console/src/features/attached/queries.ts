import { infiniteQueryOptions } from '@tanstack/react-query'
import { isActive } from '../../api/scans.ts'
import { client } from '../../api/session.ts'

const POLL_MS = 2000

/** A bucket's scans, latest first; refetched while one of them runs. */
export const scansQuery = (bucket: string) =>
  infiniteQueryOptions({
    queryKey: ['scans', bucket, 'list'],
    queryFn: ({ pageParam }) =>
      client.listScans({
        params: { bucket },
        query: { limit: 25, ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state }) => (state.data?.pages.some(({ items }) => items.some(isActive)) ? POLL_MS : false),
  })
