// The list of a rollback, or of its undoing: the keys that are to change, found by what changed, and what is to become of them.
import { ServiceError } from '../../../../contract/errors.ts'
import type { ChangedBy } from '../../../../contract/jobs.ts'
import { parseMoment } from '../../../base/moment.ts'
import type { Upkeep } from '../../../context.ts'
import type { Row } from '../../../db/schema.ts'
import { keepsHistory } from '../../buckets/describe.ts'
import type { HeldBucket } from '../../buckets/service.ts'
import { forgetKept } from '../../forks/merged.ts'
import { findAuthors } from '../../history/former/changes-store.ts'
import { findEnds } from '../../history/former/store.ts'
import type { ItemError } from '../../objects/item-error.ts'
import { withKeys } from '../../objects/store.ts'
import { nextKeys, noteListed, placeOf } from '../changed.ts'
import type { CreateJob } from '../request.ts'
import type * as jobStore from '../store.ts'
import { type Asked, type Decided, decide } from './decide.ts'
import { extended } from './plan.ts'
import * as store from './store.ts'

export const keepsNoHistory = (name: string): ServiceError =>
  new ServiceError('conflict', `The bucket "${name}" keeps neither a trash nor versions: what it was is not known.`, {
    faults: [{ path: 'body.source_bucket', message: 'keeps neither a trash nor versions' }],
  })

/**
 * Step: lists the next keys of a rollback, or of the undoing of one, and adds what becomes of them to the job's plan. A dry
 * run ends with its list. Throws quota_exceeded where the whole would not fit.
 */
export async function listRollback(
  step: Upkeep,
  job: jobStore.JobRow,
  request: CreateJob,
  bucket: HeldBucket,
): Promise<void> {
  const { tx } = step
  if (!keepsHistory(bucket)) throw keepsNoHistory(bucket.name)
  const since = parseMoment(request.to ?? '') ?? Number.MAX_SAFE_INTEGER
  const { keys, next } = await nextKeys(
    step,
    { bucketId: bucket.id, from: since, to: Number.MAX_SAFE_INTEGER },
    request,
    placeOf(job.listed_to),
  )
  const rows = keys.length === 0 ? [] : await withKeys(tx, { bucketId: bucket.id, keys }).execute()
  const current = new Map(rows.map((row) => [row.key, row]))
  const asked =
    request.of === undefined
      ? keys.map((key) => ({ key, moment: since }))
      : await changedBy(step, bucket, { keys, current, job: request.of })
  const whole = await decide(step, bucket, asked, { current, keepNew: request.keep_new ?? false })
  const { turns, errors } = request.by ? await onlyBy(step, bucket, whole, { by: request.by, since }) : whole
  const plan = extended(job.plan, bucket, { turns, errors })
  // What it undoes may have been a merge, of whose decisions for the origin nothing is to be seen there.
  if (request.of !== undefined && next === null) await forgetKept(step, request.of)
  const items = turns.map(({ key, moment, current: now }) => ({ key, moment, seen: now?.moment ?? null }))
  await noteListed(step, job, request, { bucket, plan, items, errors, next })
}

/** The keys whose last change a job made, each with the moment before it. */
async function changedBy(
  { tx }: Upkeep,
  { id }: HeldBucket,
  { keys, current, job }: { keys: readonly string[]; current: ReadonlyMap<string, Row<'objects'>>; job: string },
): Promise<Asked[]> {
  const authors = new Set(await store.findAuthorsOfJob(tx, job))
  const isOfJob = (author: number | null) => author !== null && authors.has(Number(author))
  const gone = keys.filter((key) => !current.has(key))
  const ended = (await findEnds(tx, id, gone)).filter(({ ended_by }) => isOfJob(ended_by))
  const begun = [...current.values()].filter(({ author }) => isOfJob(author))
  return [
    ...begun.map(({ key, moment }) => ({ key, moment: Number(moment) - 1 })),
    ...ended.map((one) => ({ key: one.key, moment: Number(one.ended) - 1 })),
  ]
}

type AuthorRow = Awaited<ReturnType<typeof findAuthors>>[number]

/** Whether it is one whose changes are to be undone. */
const isMeant = ({ user, access_key, token, agent, share }: ChangedBy, author: AuthorRow): boolean =>
  user !== undefined
    ? author.user_id === user
    : share !== undefined
      ? author.share_id === share
      : author.credential_id === (access_key ?? token ?? agent)

/** What was decided of keys that one user, credential or link has changed; those that others changed as well get errors. */
async function onlyBy(
  { tx }: Upkeep,
  { id: bucketId }: HeldBucket,
  { turns, errors }: Decided,
  { by, since }: { by: ChangedBy; since: number },
): Promise<Decided> {
  const keys = [...turns, ...errors].map(({ key }) => key)
  const changers = await store.findChangers(tx, { bucketId, since }, keys)
  const ids = [...new Set(changers.flatMap(({ author }) => author ?? []))]
  const meant = new Set(
    (await findAuthors(tx, ids)).filter((author) => isMeant(by, author)).map(({ id }) => Number(id)),
  )
  const mine = new Set<string>()
  const others = new Set<string>()
  for (const { key, author } of changers) (author !== null && meant.has(Number(author)) ? mine : others).add(key)
  const isAlone = ({ key }: { key: string }) => mine.has(key) && !others.has(key)
  const both = keys.filter((key) => mine.has(key) && others.has(key))
  return {
    turns: turns.filter(isAlone),
    errors: [...errors.filter(isAlone), ...both.map(changedByOthers)],
  }
}

const changedByOthers = (key: string): ItemError => ({
  key,
  code: 'conflict',
  detail: `Others have changed the object "${key}" as well.`,
})
