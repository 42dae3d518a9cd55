import { Loader } from '@mantine/core'
import type { MergePlan, RollbackPlan } from '../../../../contract/jobs.ts'
import { formatBytes } from '../../i18n.ts'
import { ProblemView } from '../../ui/ProblemView.tsx'
import { isOver } from '../jobs/describe.ts'
import type { Dry } from '../jobs/useDryRun.ts'
import { text } from './messages.ts'

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
