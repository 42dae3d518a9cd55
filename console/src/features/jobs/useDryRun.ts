import { useQuery } from '@tanstack/react-query'
import type { Job } from '../../../../contract/jobs.ts'
import { client } from '../../api/session.ts'
import type { beginJob } from './begin.ts'
import { isOver } from './describe.ts'

const POLL_MS = 500

export interface Dry {
  /** As far as it is known. */
  job: Job | undefined
  error: unknown
}

/** What a job would do: another one is started that only lists it, whenever the question changes. */
export function useDryRun(body: Parameters<typeof beginJob>[0]): Dry {
  const begun = useQuery({
    queryKey: ['jobs', 'dry', body],
    queryFn: () => client.createJob({ body: { ...body, dry_run: true } }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const id = begun.data?.id ?? ''
  const followed = useQuery({
    queryKey: ['jobs', 'one', id],
    queryFn: () => client.getJob({ params: { id } }),
    enabled: id !== '',
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : POLL_MS),
  })
  return { job: followed.data, error: begun.error ?? followed.error }
}
