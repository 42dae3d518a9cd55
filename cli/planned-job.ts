import type { Client, Job } from '../client/index.ts'
import { followJob, printJob } from './follow-job.ts'
import { agrees, bytesText, objectsText, print, type Run } from './run.ts'

export type Body = Parameters<Client['createJob']>[0]['body']

/** How a planned job is run: only planned, without asking, waited for. */
export interface PlannedRun {
  dryRun: boolean
  yes: boolean
  wait: boolean
}

interface Planned {
  /** The bucket that changes. */
  bucket: string
  body: Body
  /** Lines about a plan. */
  lines(plan: Job): string[]
  /** How many objects it is to change, and by how much the bucket grows. */
  sums(plan: Job): { changes: number; growth_bytes: number; room_bytes: number | null }
  question(plan: Job): string
  /** What the job is asked for, after the plan. */
  asPlanned(plan: Job): Body
}

/** Says what a job would do, asks, has it done, and follows that to its end. */
export async function runPlanned(run: Run, planned: Planned, { dryRun, yes, wait }: PlannedRun): Promise<void> {
  const { bucket, body, lines, sums, question, asPlanned } = planned
  const plan = await planOf(run, body, bucket)
  await print(run.json ? `${JSON.stringify(plan)}\n` : `${lines(plan).join('\n')}\n`)
  const { changes, growth_bytes, room_bytes } = sums(plan)
  if (room_bytes !== null && growth_bytes > Math.max(0, room_bytes))
    throw new Error(
      `The bucket would grow by ${bytesText(growth_bytes)}, and its quota leaves ${bytesText(Math.max(0, room_bytes))}.`,
    )
  if (dryRun || changes === 0) return
  if (!(await agrees(question(plan), yes))) throw new Error('Nothing was changed.')
  // What has changed meanwhile is not done without being asked about.
  await carryOut(run, { ...asPlanned(plan), planned: plan.id }, bucket, wait)
}

/** What a job would do on a bucket's objects. Throws where that cannot be said. */
export const planOf = async (run: Run, body: Body, bucket: string): Promise<Job> =>
  succeeded(await followJob(run, await run.client.createJob({ body: { ...body, dry_run: true } }), bucket))

/** Has a job on a bucket's objects done and, with `wait`, follows it to its end. */
export async function carryOut(run: Run, body: Body, bucket: string, wait: boolean): Promise<void> {
  const started = await run.client.createJob({ body })
  if (!wait) return print(`${run.json ? JSON.stringify(started) : started.id}\n`)
  run.progress.failures.length = 0
  await printJob(run, succeeded(await followJob(run, started, bucket)))
}

function succeeded(job: Job): Job {
  if (job.status === 'failed') throw new Error(job.detail ?? 'The job failed.')
  if (job.status === 'cancelled')
    throw new Error('The job was cancelled. What was done stays; the same command does the rest.')
  return job
}

interface Sum {
  objects: number
  bytes: number
}

/** `come back: 2 objects, 7 B` */
export const sumLine = (what: string, { objects, bytes }: Sum): string =>
  `${what}: ${objectsText(objects)}, ${bytesText(bytes)}`

/** `change back: 1 object, 10 B to 5 B` */
export const replacedLine = (
  what: string,
  one: { objects: number; bytes_before: number; bytes_after: number },
): string => `${what}: ${objectsText(one.objects)}, ${bytesText(one.bytes_before)} to ${bytesText(one.bytes_after)}`

/** Lines about what stays as it is, where there is any. */
export const stayLines = (stays: readonly (readonly [objects: number, what: string])[]): string[] =>
  stays.filter(([objects]) => objects > 0).map(([objects, what]) => `${what}: ${objectsText(objects)}`)
