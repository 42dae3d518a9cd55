import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  QueryClient,
  type QueryKey,
  queryOptions,
  useQuery,
} from '@tanstack/react-query'
import {
  actionsByPrefix,
  actionsOn,
  type BucketAction,
  covers,
  decide,
  type GrantingGroup,
  isAdmin,
  mayManageUsers,
  prefixesIn,
  seesTotals,
} from '../../../contract/permissions.ts'
import { statusOf } from './problem.ts'
import { isAway, isUnreachable, onReach } from './reach.ts'
import { client, onRefusal, publicClient } from './session.ts'

/**
 * What is invalidated here is stale in the user's other tabs too: those in sight load it again, the rest when they are
 * looked at. Only query keys are sent.
 */
class SharedQueries extends QueryClient {
  readonly #tabs = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('strongroom-queries')

  constructor(...config: ConstructorParameters<typeof QueryClient>) {
    super(...config)
    this.#tabs?.addEventListener('message', ({ data }: MessageEvent<{ user: string; queryKey: QueryKey }>) => {
      if (data.user === this.#user())
        void super.invalidateQueries({ queryKey: data.queryKey, refetchType: document.hidden ? 'none' : 'active' })
    })
  }

  override invalidateQueries<Key extends QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const user = this.#user()
    if (filters?.queryKey && user) this.#tabs?.postMessage({ user, queryKey: filters.queryKey })
    return super.invalidateQueries(filters, options)
  }

  #user(): string | undefined {
    return this.getQueryData(meQuery.queryKey)?.id
  }
}

/** The page's query client. It does not retry a query that failed with a 4xx. */
export const queries = new SharedQueries({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && (statusOf(error) ?? 500) >= 500,
      retryDelay: (attempt) => 500 * 2 ** attempt,
      refetchOnWindowFocus: true,
    },
  },
})

// Views that could not be loaded appear by themselves.
onReach(() => {
  if (!isAway()) void queries.refetchQueries({ type: 'active', predicate: ({ state }) => isUnreachable(state.error) })
})

/** Refetched whenever the page becomes visible, because permissions change during a session. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => client.me(),
  staleTime: 60_000,
  refetchOnWindowFocus: 'always',
})
// An offered action was refused, so the permissions have changed.
onRefusal(() => {
  if (queries.isFetching(meQuery) === 0) void queries.invalidateQueries(meQuery)
})

export const authConfigQuery = queryOptions({
  queryKey: ['auth-config'],
  queryFn: () => publicClient.authConfig(),
  staleTime: 60_000,
})

/** The signed-in user and their permissions, decided by the same rules as on the server. */
export function useMe() {
  const { data } = useQuery(meQuery)
  return rightsOf(data)
}
/** The same outside React. */
export const currentMe = (): Me => rightsOf(queries.getQueryData(meQuery.queryKey))

function rightsOf(data: Awaited<ReturnType<typeof client.me>> | undefined) {
  if (!data) throw new Error('Nobody is signed in here')
  const groups: GrantingGroup[] = [
    { id: '', name: '', global: data.permissions.global, grants: [] },
    ...data.permissions.grants.map((grant) => ({
      id: grant.group_id,
      name: data.groups.find(({ id }) => id === grant.group_id)?.name ?? '',
      global: [],
      grants: [{ ...grant, id: grant.grant_id ?? '' }],
    })),
  ]
  return {
    ...data,
    isAdmin: isAdmin(groups),
    managesUsers: mayManageUsers(groups),
    grantsAnything: data.is_admin || data.permissions.grants.length > 0 || data.permissions.global.length > 0,
    /** Whether they can do this to a key; '' is the bucket itself. */
    can: (action: BucketAction, bucket: string, key = '') => decide(groups, action, bucket, key).allowed,
    /** Whether they can know who has access to a bucket. */
    seesAccess: (bucket: string) => mayManageUsers(groups) || decide(groups, 'manage', bucket, '').allowed,
    /** Whether they have every permission that members of these groups have, and can therefore assign them. */
    covers: (others: readonly GrantingGroup[]) => covers(groups, others),
    /** Whether they can do this to at least one key of a bucket. */
    canIn: (action: BucketAction, bucket: string) => actionsOn(groups, bucket).includes(action),
    /** Whether they can know how much is in the whole of a bucket. */
    seesTotals: (bucket: string) => seesTotals(groups, bucket),
    /** The prefixes below which they can do something in a bucket; only '' is the whole of it. */
    prefixesIn: (bucket: string) => prefixesIn(groups, bucket),
    /** What they can do in a bucket below each prefix. */
    actionsByPrefix: (bucket: string) => actionsByPrefix(groups, bucket),
    /** Whether they can do this in a bucket of some name, existing or not. */
    canSomewhere: (action: BucketAction) =>
      isAdmin(groups) || groups.some(({ grants }) => grants.some(({ actions }) => actions.includes(action))),
  }
}
export type Me = ReturnType<typeof useMe>
