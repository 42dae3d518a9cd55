import type { Bucket, Job, Release } from '../client/index.ts'
import { UsageError } from './config.ts'
import { followJob, printJob } from './follow-job.ts'
import { bucketName, printable, showSource } from './places.ts'
import { agrees, bytesText, objectsText, print, type Run } from './run.ts'
import { storageName } from './storages.ts'

interface ReleaseOptions {
  storage: string | undefined
  prefix: string | undefined
  dryRun: boolean
  yes: boolean
  wait: boolean
}
/** Where the objects of a bucket are written that was taken over. */
interface Destination {
  storage: string
  prefix?: string
}

/**
 * `release`: forgets a read-only bucket, everything on whose storage stays. The objects of one that was taken over are written
 * to another place, which it shows read-only from then on.
 */
export async function release(run: Run, target: string, options: ReleaseOptions): Promise<void> {
  const name = bucketName(target)
  const { storage, prefix } = options
  if (prefix !== undefined && storage === undefined) throw new UsageError('--prefix needs --storage.')
  const destination = storage === undefined ? null : { storage: storageName(storage), ...(prefix && { prefix }) }
  const bucket = await run.client.getBucket({ params: { bucket: name } })
  if (bucket.mode !== 'taken_over') return forget(run, bucket, { ...options, destination })
  const open = await findOpen(run, bucket)
  if (open) {
    if (destination && destination.storage !== open.dest_storage)
      throw new Error(`The bucket ${name} is being released to the storage ${open.dest_storage} already.`)
    return followRelease(run, bucket, open, options.wait)
  }
  if (!destination)
    throw new UsageError(`The bucket ${name} was taken over: write with --storage where its objects are to go.`)
  return writeOut(run, bucket, { ...options, destination })
}

async function forget(
  { client, json }: Run,
  { name, source, object_count }: Bucket,
  { destination, dryRun, yes }: ReleaseOptions & { destination: Destination | null },
): Promise<void> {
  // Else the same command again would forget what the first has written.
  if (destination && source)
    throw new UsageError(
      `--storage is for a bucket that was taken over. ${name} is read-only, and shows ${showSource(source)}.`,
    )
  if (dryRun) {
    const asked = await client.releaseBucket({ params: { bucket: name }, body: { dry_run: true } })
    const text = `The bucket ${name} with ${objectsText(asked.objects)} would be forgotten. Everything on the storage stays.`
    return print(`${json ? JSON.stringify(asked) : text}\n`)
  }
  const question = `Forget the bucket ${name} with ${objectsText(object_count ?? 0)}, their tags and links? Everything on the storage stays.`
  if (!(await agrees(question, yes))) throw new Error('Nothing was released.')
  const { objects } = await client.releaseBucket({ params: { bucket: name } })
  await print(
    json
      ? `${JSON.stringify({ released: name, objects })}\n`
      : `Released the bucket ${name}, which showed ${objectsText(objects)}. Everything on the storage stays.\n`,
  )
}

async function writeOut(
  run: Run,
  bucket: Bucket,
  { destination, dryRun, yes, wait }: ReleaseOptions & { destination: Destination },
): Promise<void> {
  const { client, json } = run
  const ofBucket = { params: { bucket: bucket.name } }
  const asked = await client.releaseBucket({ ...ofBucket, body: { ...destination, dry_run: true } })
  const where = await placeOf(run, destination)
  if (!json) await print(`${amountOf(asked)} would be written to ${where}, read again and compared.\n`)
  if (dryRun) return json ? print(`${JSON.stringify(asked)}\n`) : undefined
  const question = `Release the bucket ${bucket.name}? It cannot be changed until that is done, and is read-only afterwards.`
  if (!(await agrees(question, yes))) throw new Error('Nothing was released.')
  const { job } = await client.releaseBucket({ ...ofBucket, body: destination })
  if (job) await followRelease(run, bucket, job, wait)
}

const amountOf = ({ objects, bytes }: Release): string => `${objectsText(objects)} (${bytesText(bytes)})`

/** The destination for display. */
async function placeOf({ client }: Run, { storage, prefix }: Destination): Promise<string> {
  const found = await client.getStorage({ params: { storage } })
  const under = prefix === undefined || prefix.endsWith('/') ? prefix : `${prefix}/`
  return printable(`s3://${found.bucket}/${under ?? found.prefix} on the storage ${storage}`)
}

/** The unfinished job that releases a bucket; while it waits for its turn, the bucket does not name it yet. */
async function findOpen({ client }: Run, { name, source }: Bucket): Promise<Job | undefined> {
  if (source?.release_job) return client.getJob({ params: { id: source.release_job } })
  for await (const job of client.all.listJobs({ query: { status: 'queued' } }))
    if (job.kind === 'release' && job.source_bucket === name) return job
  return undefined
}

/** Follows the job that writes a bucket's objects out, and says where they are now. */
async function followRelease(run: Run, before: Bucket, started: Job, wait: boolean): Promise<void> {
  const { client, json } = run
  if (!wait) return print(`${json ? JSON.stringify(started) : started.id}\n`)
  const { name } = before
  const job = await followJob(run, started, name)
  const { mode, source, object_count } = await client.getBucket({ params: { bucket: name } })
  const isReleased = mode === 'read_only'
  if (json || !isReleased) await printJob(run, job)
  if (!isReleased) {
    const why = job.status === 'cancelled' ? 'The job was cancelled.' : (job.detail ?? 'The job failed.')
    throw new Error(`${printable(why)} The bucket ${name} stays taken over. To continue, release it to the same place.`)
  }
  if (json || !source || !before.source) return
  const now = `Its ${objectsText(object_count ?? 0)} are at ${showSource(source)} now, and it is read-only.`
  await print(`Released the bucket ${name}. ${now} What was taken over stays at ${showSource(before.source)}.\n`)
}
