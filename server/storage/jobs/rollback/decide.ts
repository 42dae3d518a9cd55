// What becomes of keys that go back to what they were: the same for the list of a job, which a dry run shows, and for its steps.
import { ServiceError } from '../../../../contract/errors.ts'
import { findAlone } from '../../../blobs/history/note.ts'
import { findPointed } from '../../../blobs/pointers.ts'
import { denial, refusal, type Upkeep } from '../../../context.ts'
import type { ObjectRow, Row } from '../../../db/schema.ts'
import { writing } from '../../../iam/names-of-rights.ts'
import { countsHistory, type HeldBucket } from '../../buckets/service.ts'
import { asOf } from '../../history/former/as-of.ts'
import { findSince, findSnapshot } from '../../history/former/store.ts'
import { isKept } from '../../history/retire.ts'
import { isTrashed } from '../../history/trash/service.ts'
import { findLocked } from '../../locks/gate.ts'
import { erasedSince } from '../../objects/absence.ts'
import { withTags } from '../../objects/describe.ts'
import { type ItemError, itemError } from '../../objects/item-error.ts'
import { haveSameBytes } from '../../objects/object-state.ts'
import { findObjects } from '../../objects/store.ts'

/** A key, and the moment that it is to go back to. */
export interface Asked {
  key: string
  moment: number
}
/** A key that is to change: what it is, and what it is to be; null for no object. */
export interface Turn extends Asked {
  current: Row<'objects'> | null
  wanted: ObjectRow | null
  /** The room that its contents take already, as snapshots alone keep them and the quota includes that. */
  freed: number
}
export interface Decided {
  turns: Turn[]
  errors: ItemError[]
}

/** What describes contents. Locks are left out: they never go back. */
const DESCRIPTION = ['content_type', 'headers', 'metadata', 'storage_class', 'acl'] as const

const hasSameContents = (a: ObjectRow, b: ObjectRow): boolean =>
  a.blob_id === b.blob_id || (a.encryption === b.encryption && haveSameBytes(a, b))
const isDescribedAlike = (a: ObjectRow, b: ObjectRow): boolean => DESCRIPTION.every((name) => a[name] === b[name])

const isSame = (a: ObjectRow | null, b: ObjectRow | null): boolean =>
  a && b ? hasSameContents(a, b) && isDescribedAlike(a, b) && a.tags === b.tags : a === b

/** Whether a turn only describes the object otherwise: as a change of it does, which makes a version unless it is of tags. */
export const isInPlace = ({ versioning }: HeldBucket, { current, wanted }: Turn): boolean =>
  current !== null &&
  wanted !== null &&
  current.blob_id === wanted.blob_id &&
  (versioning === null || isDescribedAlike(current, wanted))

/**
 * Step: what becomes of keys, of which `current` says what they are. A key that is what it was has no turn, and with
 * `keepNew` neither has one that was not there. Those that the actor may not change, that are locked, or of whose moment the
 * contents are gone get errors.
 */
export async function decide(
  step: Upkeep,
  bucket: HeldBucket,
  asked: readonly Asked[],
  { current, keepNew }: { current: ReadonlyMap<string, Row<'objects'>>; keepNew: boolean },
): Promise<Decided> {
  const { tx } = step
  const former = await findFormer(step, bucket, asked)
  // After what they were: what is forgotten meanwhile would look as if it had not been there.
  const forgotten = Number((await findSince(tx, bucket.id)).forgotten ?? 0)
  const snapshots = new Map<number, boolean>()
  /** What a snapshot keeps is known, however long ago it was. */
  const isOfSnapshot = async (moment: number): Promise<boolean> => {
    const known = snapshots.get(moment) ?? (await findSnapshot(tx, bucket.id, { moment })) !== undefined
    snapshots.set(moment, known)
    return known
  }
  const errors: ItemError[] = []
  const turns: Turn[] = []
  for (const { key, moment } of asked) {
    const turn: Turn = { key, moment, current: current.get(key) ?? null, wanted: former.get(key) ?? null, freed: 0 }
    if (moment < forgotten && !(await isOfSnapshot(moment))) errors.push(itemError(key, forgottenSince(key)))
    else if (!isSame(turn.current, turn.wanted) && (turn.wanted || !keepNew)) turns.push(turn)
  }
  const kept = await findPointed(
    tx,
    turns.flatMap(({ wanted }) => wanted?.blob_id ?? []),
  )
  const leaving = turns.flatMap((turn) =>
    turn.current && !isInPlace(bucket, turn) && !isKept(bucket, turn.current) ? [turn.current] : [],
  )
  const locked = await findLocked(step, leaving, { ends: !isTrashed(bucket) })
  const allowed = turns.filter((turn) => {
    const { key, current: now, wanted } = turn
    const fault =
      refusalOf(step, bucket, turn) ??
      (wanted && !kept.has(wanted.blob_id) ? erasedSince(key) : null) ??
      (now ? locked.get(now) : undefined)
    if (fault) errors.push(itemError(key, fault))
    return !fault
  })
  return { turns: await withFreed(step, bucket, allowed), errors }
}

/**
 * Step: the turns with what each frees. The quota over all buckets does not include what snapshots keep: where there is one, what
 * comes back has to fit as if it were new.
 */
async function withFreed({ tx }: Upkeep, bucket: HeldBucket, turns: Turn[]): Promise<Turn[]> {
  if (!countsHistory(bucket) || bucket.totalRoom !== null) return turns
  const ids = turns.flatMap((turn) => (turn.wanted && !isInPlace(bucket, turn) ? [turn.wanted.blob_id] : []))
  const alone = await findAlone(tx, bucket.id, ids)
  return turns.map((turn) =>
    // Once only, of contents that several keys had.
    turn.wanted && alone.delete(turn.wanted.blob_id) ? { ...turn, freed: turn.wanted.size } : turn,
  )
}

/** What keys were at the moment of each. */
async function findFormer({ tx }: Upkeep, { id: bucketId }: HeldBucket, asked: readonly Asked[]) {
  const found = new Map<string, ObjectRow>()
  for (const [moment, those] of Map.groupBy(asked, (one) => one.moment)) {
    const keys = those.map(({ key }) => key)
    for (const row of await findObjects(asOf(tx, { bucketId, moment }), bucketId, keys)) found.set(row.key, row)
  }
  return found
}

function refusalOf({ actor }: Upkeep, { name }: HeldBucket, { key, current, wanted }: Turn): ServiceError | null {
  const now = current ? withTags(current) : key
  if (!wanted) return refusal(actor, 'delete', name, now)
  const tagging = current && current.tags !== wanted.tags ? denial(actor, writing('PutObjectTagging'), name, now) : null
  if (tagging) return tagging
  return refusal(actor, 'read', name, withTags(wanted)) ?? refusal(actor, 'write', name, now)
}

const forgottenSince = (key: string): ServiceError =>
  new ServiceError('erased', `What "${key}" was at that moment is not known any more.`)
