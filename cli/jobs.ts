import type { Job } from '../client/index.ts'
import { UsageError } from './config.ts'
import { print, type Run } from './run.ts'

export const JOBS_USAGE = 'jobs [--json] [list|cancel <id>]'

/** `jobs`: lists them, the latest first, or cancels one. */
export async function jobs({ client, json }: Run, words: readonly string[]): Promise<void> {
  const [what = 'list', id] = words
  const show = (job: Job) => print(json ? `${JSON.stringify(job)}\n` : `${lineOf(job)}\n`)
  if (what === 'list' && id === undefined) for await (const job of client.all.listJobs()) await show(job)
  else if (what === 'cancel' && id !== undefined) await show(await client.cancelJob({ params: { id } }))
  else throw new UsageError(`usage: strongroom ${JOBS_USAGE}`)
}

const lineOf = ({ id, kind, status, done, failed, total, source_bucket, created_at }: Job): string =>
  [
    id,
    `${created_at.slice(0, 19)}Z`,
    kind.padEnd(12),
    status.padEnd(9),
    `${done + failed} of ${total ?? '?'}`,
    source_bucket,
  ].join('  ')
