import { infiniteQueryOptions } from '@tanstack/react-query'
import { client } from '../../api/session.ts'

/** The user's tokens, latest first; never their values. */
export const tokensQuery = infiniteQueryOptions({
  queryKey: ['tokens'],
  queryFn: ({ pageParam }) =>
    client.listTokens({ query: { limit: 200, ...(pageParam === null ? {} : { cursor: pageParam }) } }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
})
