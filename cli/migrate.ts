import type { Job } from '../client/index.ts'
import { follow } from './follow.ts'
import { bucketName, show } from './places.ts'
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
  const { client } = run
  const { id } = started
  const job = await follow(run, started, {
    isOpen,
    refresh: () => client.getJob({ params: { id } }),
    line: ({ done, failed, total }) => `${done + failed} of ${total ?? '?'} done`,
    left: `job ${id} continues: run the same command again to follow it, or open ${client.baseUrl}/console/jobs/${id}`,
  })
  const { status, done, failed, errors, detail } = job
  for (const error of errors)
    run.progress.fail(show(source_bucket, error.key), new Error(`${error.detail} (${error.code})`))
  if (failed > errors.length) run.progress.note(`${failed - errors.length} more failed`)
  await print(run.json ? `${JSON.stringify(job)}\n` : `${done} done${failed > 0 ? `, ${failed} failed` : ''}\n`)
  if (status === 'failed') throw new Error(detail ?? 'The job failed.')
  if (status === 'cancelled') throw new Error('The job was cancelled: run the same command again to continue.')
}

const isOpen = ({ status }: Job): boolean => status === 'queued' || status === 'running'

/** The unfinished job that does just this. */
async function findOpen({ client }: Run, bucket: string, storage: string): Promise<Job | undefined> {
  for (const status of ['running', 'queued'] as const)
    for await (const job of client.all.listJobs({ query: { status } }))
      if (job.kind === 'migrate' && job.source_bucket === bucket && job.dest_storage === storage) return job
  return undefined
}
