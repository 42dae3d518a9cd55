import { encryptionOf } from './buckets.ts'
import { UsageError } from './config.ts'
import { findOpenJob, followJob, printJob } from './follow-job.ts'
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
    (await findOpenJob(run, (job) => job.kind === kind && job.source_bucket === source_bucket)) ??
    (await run.client.createJob({ body: { kind, source_bucket, ...(wanted && { encryption: wanted }) } }))
  if (!wait) return print(`${run.json ? JSON.stringify(started) : started.id}\n`)
  const job = await followJob(run, started, source_bucket)
  await printJob(run, job)
  if (job.status === 'failed') throw new Error(job.detail ?? 'The job failed.')
  if (job.status === 'cancelled') throw new Error('The job was cancelled: run the same command again to continue.')
}
