import { Button } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMe } from '../../api/queries.ts'
import { formatTime } from '../../i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import { notify } from '../../ui/notify.tsx'
import { noteDeed } from '../../ui/undo.ts'
import { Status } from '../../ui/values.tsx'
import { watchJob } from '../browse/background.tsx'
import { isUndoable, undoJob } from '../jobs/begin.ts'
import { isOver, statusOf } from '../jobs/describe.ts'
import { Progress } from '../jobs/Progress.tsx'
import { latestJobsQuery } from '../jobs/queries.ts'
import { text } from './messages.ts'

/** The latest return of a bucket to an earlier moment: its progress, and how to undo it. */
export function LatestReturn({ bucket }: { bucket: string }) {
  const me = useMe()
  const jobs = useQuery(latestJobsQuery)
  const of = (id: string) => jobs.data?.some((job) => job.of === id) ?? false
  const job = jobs.data?.find(
    ({ kind, source_bucket, dry_run }) => kind === 'rollback' && source_bucket === bucket && !dry_run,
  )
  if (!job || of(job.id)) return null
  const { tone, word } = statusOf(job)
  const undo = async () => {
    try {
      await watchJob(await undoJob(job, noteDeed()))
    } catch (error) {
      notify.problem(error)
    }
  }
  return (
    <section className="card history-latest" aria-label={text.latest}>
      <Status tone={tone}>{word}</Status>
      <Link to={`/jobs/${job.id}`} className="job-link">
        {text.wentBack(formatTime(job.to ?? job.created_at))}
      </Link>
      {isOver(job) ? null : <Progress job={job} />}
      <span className="grow" />
      {isUndoable(job, me) ? (
        <Button variant="default" leftSection={<IconArrowBackUp size={15} />} onClick={undo}>
          {text.undo}
        </Button>
      ) : null}
    </section>
  )
}
