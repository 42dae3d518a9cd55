import { Loader } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Job, MergePlan, RollbackPlan } from '../../../../contract/jobs.ts'
import { client } from '../../api/session.ts'
import { formatBytes } from '../../i18n.ts'
import { ProblemView } from '../../ui/ProblemView.tsx'
import type { beginJob } from '../jobs/begin.ts'
import { isOver } from '../jobs/describe.ts'
import { text } from './messages.ts'

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

type Room = Pick<RollbackPlan | MergePlan, 'growth_bytes' | 'room_bytes'>
/** Whether the bucket's quotas have room for what a plan adds. */
export const hasRoom = ({ growth_bytes, room_bytes }: Room): boolean =>
  room_bytes === null || growth_bytes <= Math.max(0, room_bytes)

/** A plan in sentences: what would happen, and what would not. */
export function Planned({
  dry: { job, error },
  plan,
  does,
  leaves,
}: {
  dry: Dry
  plan: Room | null
  does: readonly (string | false)[]
  leaves: readonly (string | false)[]
}) {
  const list = (lines: readonly (string | false)[]) =>
    lines.flatMap((line) => (line === false ? [] : [<li key={line}>{line}</li>]))
  const [done, left] = [list(does), list(leaves)]
  return (
    <section className="history-plan" aria-labelledby="history-plan" aria-live="polite">
      <h3 id="history-plan">{text.plan}</h3>
      {error ? (
        <ProblemView error={error} />
      ) : job === undefined || !isOver(job) ? (
        <p className="row dim">
          <Loader size="xs" /> {text.planning(job?.total ?? 0)}
        </p>
      ) : plan === null ? (
        <p className="bad">{job.detail}</p>
      ) : (
        <>
          {done.length === 0 ? <p>{text.noPlan}</p> : <ul className="history-sentences">{done}</ul>}
          {plan.growth_bytes > 0 ? <p>{text.grows(formatBytes(plan.growth_bytes))}</p> : null}
          {hasRoom(plan) ? null : <p className="bad">{text.noRoom(formatBytes(Math.max(0, plan.room_bytes ?? 0)))}</p>}
          {left.length === 0 ? null : (
            <>
              <h4>{text.leftOut}</h4>
              <ul className="history-sentences warn">{left}</ul>
            </>
          )}
        </>
      )}
    </section>
  )
}
