import type { Job } from '../../../../contract/jobs.ts'
import { legible } from '../../keys.ts'
import type { Tone } from '../../ui/values.tsx'
import { text } from './messages.ts'

export const isOver = ({ status }: Job): boolean => status !== 'queued' && status !== 'running'

/** `Move photos/2026/ to archive/2026/`, `Move bucket photos to storage nas`, `Encrypt bucket photos`, or `Release …`. */
export function titleOf(job: Job): string {
  const { kind, source_bucket, prefix, search, dest_bucket, dest_prefix, dest_storage, dry_run } = job
  if (dest_storage !== null) return (kind === 'release' ? text.release_to : text.migration)(source_bucket, dest_storage)
  if (kind === 'encrypt' || kind === 'decrypt') return text.recoding(kind, source_bucket)
  const from = `${text[kind]} ${source_bucket}/${legible(prefix)}`
  const to = dest_bucket === null ? '' : ` ${text.to} ${dest_bucket}/${legible(dest_prefix ?? '')}`
  return `${from}${to}${search === null ? '' : ` (${text.matching(legible(search))})`}${dry_run ? ` (${text.dryRun})` : ''}`
}

const tones: Record<Job['status'], Tone> = {
  queued: 'idle',
  running: 'note',
  succeeded: 'ok',
  failed: 'bad',
  cancelled: 'idle',
}
export const statusOf = (job: Job): { tone: Tone; word: string } =>
  job.status === 'succeeded' && shortfallOf(job).failed > 0
    ? { tone: 'warn', word: text.partly }
    : { tone: tones[job.status], word: text[job.status] }

/** Whether an object was left where it is because its name is taken at the destination. */
export const isTaken = (code: string | undefined): boolean => code === 'precondition_failed'

/**
 * What a copy or move skipped because names are taken, as its creator chose, and what failed. The reasons of the first
 * 100 are known; if all of those were skipped, so is the rest.
 */
export function shortfallOf({ if_none_match, failed, errors }: Pick<Job, 'if_none_match' | 'failed' | 'errors'>): {
  skipped: number
  failed: number
} {
  const skipped = if_none_match === null ? 0 : errors.filter(({ code }) => isTaken(code)).length
  return skipped > 0 && skipped === errors.length
    ? { skipped: failed, failed: 0 }
    : { skipped, failed: failed - skipped }
}

/** One sentence for a job's end. */
export function endOf(job: Job): string {
  const what = titleOf(job)
  if (job.status === 'failed') return text.endedFailed(what)
  if (job.status === 'cancelled') return text.endedCancelled(what, job.done)
  const { skipped, failed } = shortfallOf(job)
  return text.ended(what, job.done, skipped, failed)
}
