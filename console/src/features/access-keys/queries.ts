import { infiniteQueryOptions } from '@tanstack/react-query'
import { client } from '../../api/session.ts'

/** The user's access keys, latest first; never their secrets. */
export const accessKeysQuery = infiniteQueryOptions({
  queryKey: ['access-keys'],
  queryFn: ({ pageParam }) =>
    client.listAccessKeys({ query: { limit: 200, ...(pageParam === null ? {} : { cursor: pageParam }) } }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
})
