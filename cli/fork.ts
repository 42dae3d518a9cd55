import { followJob } from './follow-job.ts'
import { bucketName } from './places.ts'
import { print, type Run } from './run.ts'
import { endAfter } from './snapshots.ts'

interface Given {
  at: string | undefined
  prefix: string | undefined
  expires: string | undefined
  wait: boolean
}

/** `fork`: creates a bucket that starts as another one is, or was, and with `wait` follows the job that fills it. */
export async function fork(run: Run, from: string, to: string, { at, prefix, expires, wait }: Given): Promise<void> {
  const [bucket, name] = [bucketName(from), bucketName(to)]
  const made = await run.client.createBucket({
    body: {
      name,
      from: { bucket, ...(at === undefined ? {} : { at }), ...(prefix === undefined ? {} : { prefix }) },
      ...(expires === undefined ? {} : { expires_at: endAfter('--expires', expires) }),
    },
  })
  const id = made.fork?.job
  if (wait && id) {
    const job = await followJob(run, await run.client.getJob({ params: { id } }), name)
    if (job.status !== 'succeeded') throw new Error(job.detail ?? 'The bucket was not filled, and is deleted again.')
  }
  const whole = wait && id ? await run.client.getBucket({ params: { bucket: name } }) : made
  const { fork: begun, object_count } = whole
  if (run.json) return print(`${JSON.stringify(whole)}\n`)
  const missing = begun?.erased ? `, without ${begun.erased} that were erased since` : ''
  const count = begun?.state === 'filling' ? 'is being filled' : `${object_count ?? 'all'} objects${missing}`
  await print(`${name}: ${count}, as ${bucket} was at ${begun?.moment ?? ''}\n`)
}
