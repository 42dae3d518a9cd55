import type { Job } from '../client/index.ts'
import { encryptionOf } from './buckets.ts'
import { UsageError } from './config.ts'
import { followJob, printJob } from './follow-job.ts'
import { bucketName } from './places.ts'
import { print, type Run } from './run.ts'

/** `encrypt` and `decrypt`: have a bucket's contents encrypted, or decrypted, and with `wait` follow the job to its end. */
export async function recode(
  run: Run,
  kind: 'encrypt' | 'decrypt',
  { bucket, encryption, wait }: { bucket: string; encryption: string | undefined; wait: boolean },
): Promise<void> {
  const source_bucket = bucketName(bucket)
  const wanted = encryption === undefined ? undefined : encryptionOf(encryption)
  if (wanted === null) throw new UsageError('--encryption none is what "decrypt" does.')
  const started =
    (await findOpen(run, kind, source_bucket)) ??
    (await run.client.createJob({ body: { kind, source_bucket, ...(wanted && { encryption: wanted }) } }))
  if (!wait) return print(`${run.json ? JSON.stringify(started) : started.id}\n`)
  const job = await followJob(run, started, source_bucket)
  await printJob(run, job)
  if (job.status === 'failed') throw new Error(job.detail ?? 'The job failed.')
  if (job.status === 'cancelled') throw new Error('The job was cancelled: run the same command again to continue.')
}

/** The unfinished job that does this to the bucket. */
async function findOpen({ client }: Run, kind: Job['kind'], bucket: string): Promise<Job | undefined> {
  for (const status of ['running', 'queued'] as const)
    for await (const job of client.all.listJobs({ query: { status } }))
      if (job.kind === kind && job.source_bucket === bucket) return job
  return undefined
}
