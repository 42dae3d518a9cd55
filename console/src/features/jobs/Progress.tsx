import type { Job } from '../../../../contract/jobs.ts'
import { isOver, shortfallOf, titleOf } from './describe.ts'
import { text } from './messages.ts'

/** A job's progress: a bar if the total is known, and the counts. */
export function Progress({ job }: { job: Job }) {
  const { total, done } = job
  const { failed } = shortfallOf(job)
  const worked = done + job.failed
  const words = total === null ? text.counting(worked) : text.of(worked, total)
  const percent = total === null || total === 0 ? (isOver(job) ? 100 : 0) : (worked / total) * 100
  return (
    <span className="job-progress">
      <span className="number">{words}</span>
      <span
        className={`meter ${failed > 0 ? 'meter-warn' : ''}`}
        role="progressbar"
        aria-label={titleOf(job)}
        aria-valuenow={Math.round(percent)}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <span style={{ inlineSize: `${percent}%` }} />
      </span>
      {failed > 0 ? (
        <span className="warn small">
          {text.failedCount}: {failed}
        </span>
      ) : null}
    </span>
  )
}
