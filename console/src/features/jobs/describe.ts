import type { Job } from '../../../../contract/jobs.ts'
import type { Tone } from '../../ui/values.tsx'
import { text } from './messages.ts'

export const isOver = ({ status }: Job): boolean => status !== 'queued' && status !== 'running'

/** `Move photos/2026/ to archive/2026/`, `Move bucket photos to storage nas`, `Encrypt bucket photos`, or `Release …`. */
export function titleOf(job: Job): string {
  const { kind, source_bucket, prefix, search, dest_bucket, dest_prefix, dest_storage, dry_run } = job
  if (dest_storage !== null) return (kind === 'release' ? text.release_to : text.migration)(source_bucket, dest_storage)
  if (kind === 'encrypt' || kind === 'decrypt') return text.recoding(kind, source_bucket)
  const from = `${text[kind]} ${source_bucket}/${prefix}`
  const to = dest_bucket === null ? '' : ` ${text.to} ${dest_bucket}/${dest_prefix ?? ''}`
  return `${from}${to}${search === null ? '' : ` (${text.matching(search)})`}${dry_run ? ` (${text.dryRun})` : ''}`
}

const tones: Record<Job['status'], Tone> = {
  queued: 'idle',
  running: 'note',
  succeeded: 'ok',
  failed: 'bad',
  cancelled: 'idle',
}
export const statusOf = ({ status, failed }: Job): { tone: Tone; word: string } =>
  status === 'succeeded' && failed > 0
    ? { tone: 'warn', word: text.partly }
    : { tone: tones[status], word: text[status] }

/** One sentence for a job's end. */
export function endOf(job: Job): string {
  const what = titleOf(job)
  if (job.status === 'failed') return text.endedFailed(what)
  if (job.status === 'cancelled') return text.endedCancelled(what, job.done)
  return text.ended(what, job.done, job.failed)
}
