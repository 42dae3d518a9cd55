import { findOpenJob, followJob, printJob } from './follow-job.ts'
import { bucketName } from './places.ts'
import { print, type Run } from './run.ts'
import { storageName } from './storages.ts'

/** `migrate`: moves a bucket to another storage, and with `wait` follows the job to its end. */
export async function migrate(run: Run, bucketText: string, storageText: string, wait: boolean): Promise<void> {
  const source_bucket = bucketName(bucketText)
  const dest_storage = storageName(storageText)
  const started =
    (await findOpenJob(
      run,
      (job) => job.kind === 'migrate' && job.source_bucket === source_bucket && job.dest_storage === dest_storage,
    )) ?? (await run.client.createJob({ body: { kind: 'migrate', source_bucket, dest_storage } }))
  if (!wait) return print(`${run.json ? JSON.stringify(started) : started.id}\n`)
  const job = await followJob(run, started, source_bucket)
  await printJob(run, job)
  if (job.status === 'failed') throw new Error(job.detail ?? 'The job failed.')
  if (job.status === 'cancelled') throw new Error('The job was cancelled: run the same command again to continue.')
}
