import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { StoredObject } from '../../../../contract/objects.ts'
import { client } from '../../api/session.ts'

const PAGE = 200
/** With fewer rows than these a page is not filled: more are loaded by themselves. */
const FEW = 50

/** What of a bucket a search could not ask. */
export interface Unread {
  bucket: string
  objects: number
  exact: boolean
}
/** What a search has found so far in all buckets. */
export interface Found {
  rows: readonly StoredObject[]
  /** How many there are, at least; with `isExact`, these are all. */
  total: number
  isExact: boolean
  unread: readonly Unread[]
}

/** Searches all buckets. What is found is loaded while scrolling. Without a query, nothing is asked. */
export function useEverywhere(q: string) {
  const enabled = q.trim() !== ''
  const { data, error, isPending, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['search', q],
    queryFn: ({ pageParam, signal }) =>
      client.searchEverywhere({
        query: { q, limit: PAGE, ...(pageParam === '' ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    enabled,
  })
  const rows = data?.pages.flatMap(({ items }) => items) ?? []
  const last = data?.pages.at(-1)
  // A page may be short, and even empty, without being the last.
  const isShort = enabled && hasNextPage && rows.length < FEW && error === null
  useEffect(() => {
    if (isShort && !isFetching) void fetchNextPage()
  }, [isShort, isFetching, fetchNextPage])
  const unread = new Map(data?.pages.flatMap((page) => page.unread).map((one) => [one.bucket, one]))
  const found: Found | undefined = last && {
    rows,
    total: last.total,
    isExact: last.total_exact,
    unread: [...unread.values()],
  }
  return {
    found: enabled && !(isShort && rows.length === 0) ? found : undefined,
    error,
    isPending: isPending || (isShort && rows.length === 0),
    isFetching,
    refetch,
    /** Reports the last row in sight. */
    look: (index: number) => {
      if (hasNextPage && !isFetching && index >= rows.length - FEW) void fetchNextPage()
    },
  }
}
