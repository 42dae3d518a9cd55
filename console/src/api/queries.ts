import { QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import {
  actionsOn,
  type BucketAction,
  covers,
  decide,
  type GrantingGroup,
  isAdmin,
  mayManageUsers,
} from '../../../contract/permissions.ts'
import { statusOf } from './problem.ts'
import { client, onRefusal, publicClient } from './session.ts'

/** One for the page: a query that a 4xx answered is not asked again by itself. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && (statusOf(error) ?? 500) >= 500,
      retryDelay: (attempt) => 500 * 2 ** attempt,
      refetchOnWindowFocus: true,
    },
  },
})

/** Asked again whenever the page is looked at again: rights change while somebody is signed in. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => client.me(),
  staleTime: 60_000,
  refetchOnWindowFocus: 'always',
})
// What was offered was refused: the rights are others than the page knows of.
onRefusal(() => {
  if (queries.isFetching(meQuery) === 0) void queries.invalidateQueries(meQuery)
})

export const authConfigQuery = queryOptions({
  queryKey: ['auth-config'],
  queryFn: () => publicClient.authConfig(),
  staleTime: 60_000,
})

/** Who is signed in, and what they may do, by the rule the server decides by. */
export function useMe() {
  const { data } = useQuery(meQuery)
  return rightsOf(data)
}
/** The same outside of what React renders. */
export const currentMe = (): Me => rightsOf(queries.getQueryData(meQuery.queryKey))

function rightsOf(data: Awaited<ReturnType<typeof client.me>> | undefined) {
  if (!data) throw new Error('Nobody is signed in here')
  const groups: GrantingGroup[] = [
    { id: '', name: '', global: data.permissions.global, grants: [] },
    ...data.permissions.grants.map((grant) => ({
      id: grant.group_id,
      name: data.groups.find(({ id }) => id === grant.group_id)?.name ?? '',
      global: [],
      grants: [{ ...grant, id: grant.grant_id }],
    })),
  ]
  return {
    ...data,
    isAdmin: isAdmin(groups),
    managesUsers: mayManageUsers(groups),
    grantsAnything: data.is_admin || data.permissions.grants.length > 0 || data.permissions.global.length > 0,
    /** Whether they may do this to a key; '' is the bucket itself. */
    can: (action: BucketAction, bucket: string, key = '') => decide(groups, action, bucket, key).allowed,
    /** Whether they have every right that members of these groups have, and so may give it. */
    covers: (others: readonly GrantingGroup[]) => covers(groups, others),
    /** Whether they may do this to some key of a bucket. */
    canIn: (action: BucketAction, bucket: string) => actionsOn(groups, bucket).includes(action),
    /** Whether some name of a bucket would be theirs to use for this. */
    canSomewhere: (action: BucketAction) =>
      isAdmin(groups) || groups.some(({ grants }) => grants.some(({ actions }) => actions.includes(action))),
  }
}
export type Me = ReturnType<typeof useMe>
