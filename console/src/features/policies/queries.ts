import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { PolicyRun } from '../../../../contract/policies.ts'
import { client } from '../../api/session.ts'

const POLL_MS = 2000
export const isOver = ({ finished_at }: Pick<PolicyRun, 'finished_at'>): boolean => finished_at !== null

export const policiesQuery = infiniteQueryOptions({
  queryKey: ['policies', 'list'],
  queryFn: ({ pageParam }) =>
    client.listPolicies({ query: { limit: 200, ...(pageParam === null ? {} : { cursor: pageParam }) } }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
})
export const policyQuery = (id: string) =>
  queryOptions({ queryKey: ['policies', 'one', id], queryFn: () => client.getPolicy({ params: { id } }) })

/** A policy's runs; refetched while one is in progress. */
export const runsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['policies', 'runs', id],
    queryFn: ({ pageParam }) =>
      client.listPolicyRuns({
        params: { id },
        query: { limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state }) => (state.data?.pages[0]?.items.some((run) => !isOver(run)) ? POLL_MS : false),
  })

/** One run, refetched until it ends. */
export const runQuery = (id: string, runId: string | undefined) =>
  queryOptions({
    queryKey: ['policies', 'run', id, runId],
    queryFn: () => client.getPolicyRun({ params: { id, run_id: runId ?? '' } }),
    enabled: runId !== undefined,
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : POLL_MS / 2),
  })
export const itemsQuery = (id: string, runId: string) =>
  infiniteQueryOptions({
    queryKey: ['policies', 'items', id, runId],
    queryFn: ({ pageParam }) =>
      client.listPolicyRunItems({
        params: { id, run_id: runId },
        query: { limit: 200, ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
