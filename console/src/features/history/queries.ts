import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import type { ObjectChange } from '../../../../contract/changes.ts'
import { client } from '../../api/session.ts'

const PAGE = 100

interface Asked {
  bucket: string
  from: string
  prefix: string
  change: ObjectChange['change'] | undefined
}
/** What has changed in a bucket since a moment, in key order; the first page has the totals. */
export const changesQuery = ({ bucket, from, prefix, change }: Asked) =>
  infiniteQueryOptions({
    queryKey: ['changes', bucket, from, prefix, change ?? ''],
    queryFn: ({ pageParam, signal }) =>
      client.listChanges({
        params: { bucket },
        query: {
          from,
          limit: PAGE,
          ...(prefix === '' ? {} : { prefix }),
          ...(change === undefined ? {} : { change }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    // A list of many changes takes seconds.
    refetchOnWindowFocus: false,
  })
