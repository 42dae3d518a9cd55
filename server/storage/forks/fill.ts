import { ServiceError } from '../../../contract/errors.ts'
import { afterPrefix, compareKeys } from '../../../contract/permissions.ts'
import { notePointedIn } from '../../blobs/history/note.ts'
import { isPointed } from '../../blobs/pointers.ts'
import { type Actor, allowSomewhere, type Upkeep } from '../../context.ts'
import type { NewRow, Row, RowChange } from '../../db/schema.ts'
import type { Reach } from '../../iam/decide.ts'
import type { Asked } from '../../iam/names-of-rights.ts'
import { countUsage, type HeldBucket } from '../buckets/service.ts'
import { asOf } from '../history/former/as-of.ts'
import { arriving } from '../history/retire.ts'
import * as store from './store.ts'

/** Where a fork's objects come from. */
export interface Source {
  /** The origin's id and name. */
  id: string
  name: string
  prefix: string
  /** As it was at this moment; null: as it is. */
  moment: number | null
}

/** Where in a source the caller has a right, which must be all of it: a fork is never in part. Throws forbidden. */
export function allowWhole(
  actor: Actor,
  { name, prefix }: Pick<Source, 'name' | 'prefix'>,
  right: 'read' | 'list' | Asked = 'read',
): Reach {
  const end = afterPrefix(prefix)
  const whole = allowSomewhere(actor, right, name, prefix).find(
    ({ from, to }) => compareKeys(from, prefix) <= 0 && (to === null || (end !== null && compareKeys(to, end) >= 0)),
  )
  if (whole) return whole
  const where = prefix === '' ? `bucket "${name}"` : `"${prefix}" in bucket "${name}"`
  const asked = typeof right === 'string' ? right : right.right
  throw new ServiceError('forbidden', `You need the "${asked}" permission on every key of ${where}.`)
}

/** What was taken in one step. */
export interface Filled {
  objects: number
  /** How many could not be had, since their contents were erased. */
  erased: number
  /** The last key, with which the next step begins; null if there was none. */
  last: string | null
  /** Whether nothing is left. */
  isOver: boolean
}

/**
 * Step: takes the next objects of a source into a bucket, by their rows alone. Throws forbidden if the caller must not read one
 * of them, and quota_exceeded.
 */
export async function fillNext(
  step: Upkeep,
  bucket: HeldBucket,
  source: Source,
  { after, limit }: { after: string | null; limit: number },
): Promise<Filled> {
  const { only } = allowWhole(step.actor, source)
  const { id: origin, name, prefix, moment } = source
  const reading = moment === null ? step.tx : asOf(step.tx, { bucketId: origin, moment })
  const range = { from: prefix, to: afterPrefix(prefix) }
  const keys = await store.listKeys(reading, origin, range, { after, limit })
  const refused = only && keys.find((key) => !only(key))
  if (refused !== undefined)
    throw new ServiceError('forbidden', `You need the "read" permission on key "${refused}" of bucket "${name}".`)
  const [first, last] = [keys[0], keys.at(-1)]
  if (first === undefined || last === undefined) return { objects: 0, erased: 0, last: after, isOver: true }
  const taken = await store.takeObjects(
    reading,
    { from: first, to: last },
    {
      origin,
      bucket: bucket.id,
      limit,
      // What was purged is gone, also while its bytes are there.
      where: isPointed('objects.blob_id'),
    },
  )
  if (moment !== null) await notePointedIn(step, bucket.id, { first, last })
  const sized = taken.map(({ size, encryption }) => ({ size: Number(size), encryption }))
  await countUsage(step.tx, bucket, { ...arriving(sized), objects: taken.length })
  return {
    objects: taken.length,
    erased: keys.length - taken.length,
    last,
    isOver: keys.length < limit,
  }
}

/** Step: notes how a bucket began. */
export const noteFork = async ({ tx }: Upkeep, row: NewRow<'bucket_forks'>): Promise<void> =>
  void (await store.insertFork(tx, row))

/** Step: notes how far a fork has come. */
export const noteProgress = async ({ tx }: Upkeep, id: string, change: RowChange<'bucket_forks'>): Promise<void> =>
  void (await store.updateFork(tx, id, change))

/** Step: the fork that a job fills; undefined once it is whole, or given up. */
export const holdForkOf = ({ tx }: Upkeep, jobId: string): Promise<Row<'bucket_forks'> | undefined> =>
  store.lockForkOf(tx, jobId)
