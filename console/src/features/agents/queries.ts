import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Approval } from '../../../../contract/agents.ts'
import { queries } from '../../api/queries.ts'
import { client } from '../../api/session.ts'

const PAGE = 100
const POLL_MS = 10_000

/** Agents, latest first. */
export const agentsQuery = infiniteQueryOptions({
  queryKey: ['agents', 'list'],
  queryFn: ({ pageParam }) =>
    client.listAgents({ query: { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) } }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
})

export const agentQuery = (id: string) =>
  queryOptions({
    queryKey: ['agents', 'one', id],
    queryFn: () => client.getAgent({ params: { id } }),
    refetchInterval: POLL_MS,
  })

/** What agents, or one of them, asked for. */
export const approvalsQuery = (agentId: string | undefined, status: Approval['status'] | undefined) =>
  queryOptions({
    queryKey: ['agents', 'approvals', agentId ?? '', status ?? ''],
    queryFn: () =>
      client.listApprovals({
        query: {
          limit: PAGE,
          ...(agentId === undefined ? {} : { agent_id: agentId }),
          ...(status === undefined ? {} : { status }),
        },
      }),
    refetchInterval: POLL_MS,
  })

/** What a client asks for, which does not change. */
export const authorizationQuery = (request: string) =>
  queryOptions({
    queryKey: ['agents', 'authorization', request],
    queryFn: () => client.readAuthorization({ body: { request } }),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** What an agent did, latest first; administrators only. */
export const logQuery = (id: string) =>
  queryOptions({
    queryKey: ['agents', 'log', id],
    queryFn: () => client.listAudit({ query: { token_id: id, page_size: 50 } }),
  })

export const refetchAgents = () => queries.invalidateQueries({ queryKey: ['agents'] })
