import type { Job } from '../../../contract/jobs.ts'
import type { Ctx } from '../../context.ts'
import { findBucket } from '../buckets/store.ts'
import { isReadOnly } from '../buckets/writable.ts'
import { knownMoments } from '../history/former/past.ts'
import type { CreateJob } from './request.ts'
import * as store from './store.ts'

/** Whether jobs of a kind can be undone. */
export const leavesWayBack = ({ kind }: Pick<Job, 'kind'>): boolean =>
  kind === 'move' || kind === 'delete' || kind === 'empty_bucket' || isOfMoments(kind)

/** Whether what a job of a kind has changed is found in the history of its bucket. */
const isOfMoments = (kind: Job['kind']): boolean => kind === 'rollback' || kind === 'merge' || kind === 'tag'

export const isOver = ({ status }: store.JobRow): boolean => status !== 'queued' && status !== 'running'

/** Which of these jobs have finished and left something that a restore can undo. */
export async function findRestorable(ctx: Ctx, rows: readonly store.JobRow[]): Promise<Set<string>> {
  const over = rows.filter((row) => leavesWayBack(row) && isOver(row))
  const { ofMoments = [], others = [] } = Object.groupBy(over, ({ kind }) =>
    isOfMoments(kind) ? 'ofMoments' : 'others',
  )
  const found = await store.findRestorable(
    ctx.db,
    others.map(({ id }) => id),
  )
  for (const row of ofMoments) if (row.done > 0 && (await isStillKnown(ctx, row))) found.add(row.id)
  return found
}

/** Whether it is still known what keys were before such a job, all of whose changes came after it was asked for. */
async function isStillKnown(ctx: Ctx, { request, created_at }: store.JobRow): Promise<boolean> {
  const { kind, source_bucket, dest_bucket = '' } = JSON.parse(request) as CreateJob
  const bucket = await findBucket(ctx.db, kind === 'merge' ? dest_bucket : source_bucket)
  // Of what others keep, only the tags are kept here, and nothing of what they were.
  return (
    bucket !== undefined &&
    !isReadOnly(bucket) &&
    (await knownMoments(ctx, bucket)).from <= Date.parse(created_at) * 1000
  )
}
