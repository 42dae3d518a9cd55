import { setTimeout as pause } from 'node:timers/promises'
import { type Job, ProblemError } from '../client/index.ts'
import { UsageError } from './config.ts'
import { parsePlace, SCHEME, show } from './places.ts'
import { print, type Run } from './run.ts'
import { storageName } from './storages.ts'

/** `migrate`: moves a bucket to another storage, and with `wait` follows the job to its end. */
export async function migrate(run: Run, bucketText: string, storageText: string, wait: boolean): Promise<void> {
  const source_bucket = bucketName(bucketText)
  const dest_storage = storageName(storageText)
  const started =
    (await findOpen(run, source_bucket, dest_storage)) ??
    (await run.client.createJob({ body: { kind: 'migrate', source_bucket, dest_storage } }))
  if (!wait) return print(`${run.json ? JSON.stringify(started) : started.id}\n`)
  const job = await follow(run, started)
  run.progress.end()
  const { status, done, failed, errors, detail } = job
  for (const error of errors)
    run.progress.fail(show(source_bucket, error.key), new Error(`${error.detail} (${error.code})`))
  if (failed > errors.length) run.progress.note(`${failed - errors.length} more failed`)
  await print(run.json ? `${JSON.stringify(job)}\n` : `${done} done${failed > 0 ? `, ${failed} failed` : ''}\n`)
  if (status === 'failed') throw new Error(detail ?? 'The job failed.')
  if (status === 'cancelled') throw new Error('The job was cancelled: run the same command again to continue.')
}

/** A bucket's name from user input, with or without the scheme. */
function bucketName(text: string): string {
  const place = parsePlace(text.startsWith(SCHEME) ? text : SCHEME + text)
  if (place.kind === 'remote' && place.key === '') return place.bucket
  throw new UsageError(`${text} is not a bucket.`)
}

const isOpen = ({ status }: Job): boolean => status === 'queued' || status === 'running'

/** The unfinished job that does just this. */
async function findOpen({ client }: Run, bucket: string, storage: string): Promise<Job | undefined> {
  for (const status of ['running', 'queued'] as const)
    for await (const job of client.all.listJobs({ query: { status } }))
      if (job.kind === 'migrate' && job.source_bucket === bucket && job.dest_storage === storage) return job
  return undefined
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 2000
/** How long the service may be away, for example to be upgraded. */
const PATIENCE_MS = 5 * 60_000

/** Waits for a job's end. Leaves it running when interrupted. */
async function follow({ client, progress }: Run, started: Job): Promise<Job> {
  const { id } = started
  let job = started
  progress.line = () => `${job.done + job.failed} of ${job.total ?? '?'} done`
  const sayHow = () =>
    progress.note(
      `job ${id} continues: run the same command again to follow it, or open ${client.baseUrl}/console/jobs/${id}`,
    )
  const interrupt = () => {
    sayHow()
    process.exit(130)
  }
  process.once('SIGINT', interrupt)
  let heard = Date.now()
  try {
    for (let ms = FIRST_PAUSE_MS; isOpen(job); ms = Math.min(LONGEST_PAUSE_MS, ms * 2)) {
      await pause(ms)
      try {
        job = await client.getJob({ params: { id } })
        heard = Date.now()
      } catch (error) {
        if (!isAway(error) || Date.now() - heard > PATIENCE_MS) throw error
      }
    }
    return job
  } catch (error) {
    sayHow()
    throw error
  } finally {
    process.off('SIGINT', interrupt)
  }
}

/** Whether an error is of a service that may be back soon. */
const isAway = (error: unknown): boolean =>
  error instanceof ProblemError ? error.status >= 500 || error.status === 429 : error instanceof TypeError
