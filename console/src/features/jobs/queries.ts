import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Job, jobStatuses } from '../../../../contract/jobs.ts'
import { client } from '../../api/session.ts'
import { isOver } from './describe.ts'

const POLL_MS = 2000
type Status = (typeof jobStatuses)[number]

/** Jobs, latest first; refetched while one of them runs. */
export const jobsQuery = (status: Status | undefined) =>
  infiniteQueryOptions({
    queryKey: ['jobs', 'list', status ?? ''],
    queryFn: ({ pageParam }) =>
      client.listJobs({
        query: { limit: 50, ...(status ? { status } : {}), ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some((job) => !isOver(job))) ? POLL_MS : false,
  })

export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: ['jobs', 'one', id],
    queryFn: () => client.getJob({ params: { id } }),
    refetchInterval: ({ state }) => (state.data && !isOver(state.data) ? POLL_MS : false),
  })

/** The latest few, for the indicator in the top bar. */
export const latestJobsQuery = queryOptions({
  queryKey: ['jobs', 'latest'],
  queryFn: async (): Promise<Job[]> => (await client.listJobs({ query: { limit: 20 } })).items,
  refetchInterval: ({ state }) => (state.data?.some((job) => !isOver(job)) ? POLL_MS : false),
})
