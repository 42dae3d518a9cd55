import './jobs.css'
import { ActionIcon } from '@mantine/core'
import { IconProgress } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { createElement, useEffect, useRef } from 'react'
import type { Job } from '../../../../contract/jobs.ts'
import { type Me, queries, useMe } from '../../api/queries.ts'
import { openView } from '../../navigation/history.ts'
import { Link } from '../../navigation/Link.tsx'
import { showInCorner } from '../../ui/corner.tsx'
import { notify } from '../../ui/notify.tsx'
import { begun, isUndoable, undoJob, watched } from './begin.ts'
import { endOf, isOver } from './describe.ts'
import { text } from './messages.ts'
import { latestJobsQuery } from './queries.ts'

/** The user's running jobs in the top bar. Announces when one of them ends. */
function Running() {
  const me = useMe()
  const { data } = useQuery(latestJobsQuery)
  const mine = (data ?? []).filter(({ created_by }) => created_by === me.id)
  const running = mine.filter((job) => !isOver(job))
  useEnds(data === undefined ? undefined : mine, me)
  if (running.length === 0) return null
  return (
    <ActionIcon
      component={Link}
      to={running.length === 1 ? `/jobs/${running[0]?.id}` : '/jobs'}
      aria-label={text.indicator(running.length)}
      title={text.indicator(running.length)}
      w="auto"
      px={6}
    >
      <IconProgress size={17} stroke={1.6} />
      <span className="job-percent">{running.length}</span>
    </ActionIcon>
  )
}

/** Announces the end of each job that was seen running or started after this page was opened. */
function useEnds(jobs: readonly Job[] | undefined, me: Me): void {
  const known = useRef<Set<string>>(undefined)
  useEffect(() => {
    if (!jobs) return
    // Jobs that ended before the page was opened are not announced.
    known.current ??= new Set(jobs.filter((job) => isOver(job) && !begun.has(job.id)).map(({ id }) => id))
    const told = known.current
    for (const job of jobs) {
      if (!isOver(job) || told.has(job.id)) continue
      told.add(job.id)
      if (!watched.has(job.id)) {
        const run = isUndoable(job, me) ? () => void undo(job) : undefined
        if (run) notify.ok(endOf(job), { place: begun.get(job.id), run })
        else notify.note(endOf(job))
      }
      for (const name of [job.source_bucket, job.dest_bucket])
        if (name !== null)
          for (const key of ['browse', 'bucket', 'trash']) void queries.invalidateQueries({ queryKey: [key, name] })
      void queries.invalidateQueries({ queryKey: ['buckets'] })
      if (job.of_run !== null) void queries.invalidateQueries({ queryKey: ['policies'] })
    }
  }, [jobs, me])
}

async function undo(job: Job): Promise<void> {
  try {
    const { id } = await undoJob(job)
    openView(`/jobs/${id}`)
  } catch (error) {
    notify.problem(error)
  }
}

/** Shows it in the top bar. */
export const showRunning = (): void => showInCorner('jobs', createElement(Running))
