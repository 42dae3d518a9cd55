import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'

interface CursorPage<T> {
  items: T[]
  next_cursor: string | null
}

/** A cursor-paged list as one list with a function to load more. Old rows stay while new ones load. */
export function useCursorList<T>(
  queryKey: QueryKey,
  read: (cursor: { cursor?: string }) => Promise<CursorPage<T>>,
  options: { enabled?: boolean; retry?: boolean } = {},
) {
  const { data, error, isPending, isPlaceholderData, refetch, ...query } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam === null ? {} : { cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    ...options,
  })
  return {
    data: data?.pages.flatMap(({ items }) => items),
    error,
    isPending,
    /** The data shown belongs to an earlier query. */
    isOld: isPlaceholderData,
    refetch,
    more: { available: query.hasNextPage, loading: query.isFetchingNextPage, load: query.fetchNextPage },
  }
}

export type CursorList<T> = ReturnType<typeof useCursorList<T>>

/** A whole list, for lists short enough to keep in memory. */
export async function readAll<T>(read: (cursor: { cursor?: string }) => Promise<CursorPage<T>>): Promise<T[]> {
  const items: T[] = []
  let cursor: string | null = null
  do {
    const page: CursorPage<T> = await read(cursor === null ? {} : { cursor })
    items.push(...page.items)
    cursor = page.next_cursor
  } while (cursor !== null)
  return items
}
