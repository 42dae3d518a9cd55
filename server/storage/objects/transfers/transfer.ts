import type { ServiceError } from '../../../../contract/errors.ts'
import { keepCopies } from '../../../blobs/copy.ts'
import { notePointed } from '../../../blobs/history/note.ts'
import { findPointed } from '../../../blobs/pointers.ts'
import { refuseIfShort } from '../../../blobs/room.ts'
import { type Actor, refusal, type Step } from '../../../context.ts'
import type { Tx } from '../../../db/schema.ts'
import { countUsage, type HeldBucket } from '../../buckets/service.ts'
import { asOf, type Past } from '../../history/former/as-of.ts'
import { lockKeys } from '../../history/keys.ts'
import {
  arriving,
  asObject,
  type Change,
  isKept,
  leaving,
  lockRetired,
  markDeleted,
  nextVersion,
  retire,
  sumChanges,
} from '../../history/retire.ts'
import { hasContents } from '../../history/store.ts'
import type { WantedLock } from '../../locks/lock.ts'
import { erasedSince } from '../absence.ts'
import { versionOf } from '../describe.ts'
import { type ItemError, itemError } from '../item-error.ts'
import { type KnownStates, unchangedSince } from '../object-state.ts'
import { readRefusal } from '../read-rights.ts'
import { TakenMeanwhile } from '../retry.ts'
import * as store from '../store.ts'
import { putBeside } from './beside.ts'
import { type Accepted, choose, type Pair, type TransferKind, type TransferPlan } from './choose.ts'
import { type Copies, copiesOf, copyError, NO_COPIES, recodedOf } from './copies.ts'
import { type AskedRecoding, asRecoded, isToRecode, recodingFor } from './recoding.ts'

interface Outcome {
  /** What arrived, and the trash id of the object it replaced. */
  placed: { pair: Pair; row: store.ObjectRow; trash_id: string | null }[]
  errors: ItemError[]
}
interface Options {
  kind: TransferKind
  ifNoneMatch?: boolean | undefined
  /** Whether what arrives where a key is taken goes beside it, whatever `ifNoneMatch` says. */
  keepBoth?: boolean | undefined
  /** What of a copy differs from its source; sees what it replaces, and may throw. */
  change?: (row: store.ObjectRow, replaced: store.ObjectRow | undefined) => Partial<store.ObjectRow>
  /** The version of the only source that is to be copied, instead of the current one; null is the `null` version. */
  version?: string | null | undefined
  /** The moment at which the sources are to be copied as they were, in microseconds since 1970. */
  moment?: number | undefined
  seen?: KnownStates
  /** What is to be locked of the copies. */
  lock?: WantedLock | undefined
  /** How the copies are to be encrypted; undefined: as the destination says. */
  recoding?: AskedRecoding | undefined
  bulk_id?: string
  job_id?: string
  /** Of blobs that are on another storage than the destination's. */
  copies?: Copies
}

/**
 * Step: copies or moves objects between held buckets. Each succeeds or gets an error; none of them throws. All
 * transfers happen at once, so one may take a key that an earlier one leaves. No bytes are copied, only rows change;
 * throws Elsewhere where bytes must be copied first, because the buckets are on different storages. What leaves a bucket that keeps versions stays there as a version, behind a delete marker.
 */
export async function transferObjects(
  step: Step,
  [source, dest]: readonly [HeldBucket, HeldBucket],
  pairs: readonly Pair[],
  {
    kind,
    ifNoneMatch = false,
    keepBoth = false,
    change,
    version,
    moment,
    seen,
    lock,
    recoding: asked,
    copies = NO_COPIES,
    ...more
  }: Options,
): Promise<Outcome> {
  const { tx, record, awaitAtCommit } = step
  if (kind === 'copy') refuseIfShort(step.config)
  const errors: ItemError[] = []
  const allowed = pairs.filter((pair) => {
    const refused = pairRefusal(step.actor, kind, { source: source.name, dest: dest.name, version }, pair)
    if (refused) errors.push(itemError(pair.key, refused))
    return !refused
  })
  const keys = allowed.map(({ key }) => key)
  const targets = allowed.map(({ dest: key }) => key)
  await lockKeys(tx, [source, kind === 'move' || version !== undefined ? keys : []], [dest, targets])
  const [current, inTheWay] = await Promise.all([
    (kind === 'move' ? store.lockObjects : store.shareObjects)(tx, source.id, keys),
    store.lockObjects(tx, dest.id, targets),
  ])
  const there =
    moment !== undefined
      ? await findAt(tx, { bucketId: source.id, moment }, keys)
      : version === undefined
        ? current
        : await findVersion(tx, source, { keys, current, version })
  const { rows, changed } = unchangedSince(there, seen)
  // Those whose ACL could have allowed it.
  const unreadable = rows.flatMap((row) => {
    const refused = readRefusal(step.actor, source.name, row.key, { row, version: version !== undefined })
    return refused ? [itemError(row.key, refused)] : []
  })
  const damaged = rows.flatMap((row) => {
    const fault = copies.faults.get(row.blob_id)
    return fault ? [copyError(row.key, fault)] : []
  })
  const stay = [...changed, ...unreadable, ...damaged]
  errors.push(...stay)
  const others = new Set(stay.map(({ key }) => key))
  const wanted = allowed.filter(({ key }) => !others.has(key))
  const sources = new Map(rows.map((row) => [row.key, row]))
  const taken = new Map(inTheWay.map((row) => [row.key, row]))
  const plan = { kind, source, dest }
  const beside = keepBoth ? await putBeside(step, plan, wanted, { sources, taken }) : { pairs: wanted, errors: [] }
  errors.push(...beside.errors)
  const { accepted, replaced, refused } = choose(plan, beside.pairs, {
    sources,
    taken,
    ifNoneMatch: ifNoneMatch && !keepBoth,
    remakes: version !== undefined || moment !== undefined || lock !== undefined || asked?.wanted !== undefined,
  })
  errors.push(...refused)
  const same = source.id === dest.id || (source.mode === null && source.storage_id === dest.storage_id)
  const sent = accepted.map(({ row }) => row)
  const recoding = recodingFor(kind, [source, dest], asked)
  const [toRecode, toShare] = [
    sent.filter((row) => isToRecode(kind, row, recoding)),
    sent.filter((row) => !isToRecode(kind, row, recoding)),
  ]
  const asWanted = { ...recoding, wanted: recoding.wanted ?? null }
  const recoded = recodedOf(toRecode, { storage: dest.storage_id, copies, recoding: asWanted })
  const copied = same ? NO_COPIES.ids : await copiesOf(tx, toShare, { storage: dest.storage_id, copies })
  await keepCopies(
    step,
    new Map([...copied, ...toRecode.map((row) => [row.blob_id, recoded.get(row.blob_id)?.id ?? ''] as const)]),
  )

  const arrivingKeys = accepted.map(({ pair }) => pair.dest)
  const again = source.id === dest.id ? arrivingKeys : []
  const left = kind === 'move' ? await leave(step, source, accepted, again) : undefined
  const overwriting = { reason: 'overwritten', job_id: more.job_id, keys: arrivingKeys } as const
  const retired = await retire(step, dest, replaced, overwriting)
  const trashOf = new Map(replaced.map(({ key }, i) => [key, retired.trashIds[i] ?? null]))
  const now = step.now().toISOString()
  const arrivals = accepted.map(({ pair, row }) => ({
    pair,
    row:
      kind === 'move'
        ? {
            ...row,
            acl: null,
            blob_id: copied.get(row.blob_id) ?? row.blob_id,
            ...asRecoded(row, recoded),
            bucket_id: dest.id,
            key: pair.dest,
            ...nextVersion(step, dest),
          }
        : {
            ...row,
            acl: null,
            ...change?.(row, taken.get(pair.dest)),
            blob_id: copied.get(row.blob_id) ?? row.blob_id,
            ...asRecoded(row, recoded),
            bucket_id: dest.id,
            key: pair.dest,
            ...nextVersion(step, dest, lock),
            created_at: now,
            last_modified: now,
            created_by: step.actor.user_id,
          },
  }))
  const inserted = new Set(
    await store.placeObjects(
      tx,
      arrivals.map(({ row }) => row),
      [...taken.keys()],
    ),
  )
  // Another request created the key between our read and our insert, so the whole step is retried from the start.
  if (inserted.size < arrivals.length) throw new TakenMeanwhile()
  if (moment !== undefined)
    await notePointed(
      step,
      arrivals.map(({ row }) => row.blob_id),
    )
  const came = sumChanges(retired.change, arriving(arrivals.map(({ row }) => row)))
  awaitAtCommit(count(tx, plan, { accepted: accepted.length, replaced: replaced.length, came, left }))
  const placed = arrivals.map(({ pair, row }) => ({ pair, row, trash_id: trashOf.get(row.key) ?? null }))
  for (const { pair, row, trash_id } of placed)
    record({
      name: kind,
      bucket: dest.name,
      key: row.key,
      details: {
        source: { bucket: source.name, key: pair.key },
        size: row.size,
        etag: row.etag,
        replaced: taken.has(row.key) && trashOf.has(row.key),
        ...(trash_id ? { trash_id } : {}),
        ...versionOf(dest.versioning, row),
        ...more,
      },
    })
  return { placed, errors }
}

/** What keys were at a moment. Throws `erased` if the contents of one are gone. */
async function findAt(tx: Tx, past: Past, keys: readonly string[]): Promise<store.ObjectRow[]> {
  const rows = await store.findObjects(asOf(tx, past), past.bucketId, keys)
  const pointed = await findPointed(
    tx,
    rows.map(({ blob_id }) => blob_id),
  )
  const gone = rows.find(({ blob_id }) => !pointed.has(blob_id))
  if (gone) throw erasedSince(gone.key)
  return rows
}

/** A key's version that is named, whether it is current or not. A delete marker is none. */
async function findVersion(
  tx: Tx,
  { id }: HeldBucket,
  { keys, current, version }: { keys: readonly string[]; current: readonly store.ObjectRow[]; version: string | null },
): Promise<store.ObjectRow[]> {
  const same = current.filter(({ version_id }) => version_id === version)
  if (same.length > 0) return same
  const found = await lockRetired(
    tx,
    id,
    keys.map((key) => ({ key, version_id: version })),
  )
  return found.filter(hasContents).map(asObject)
}

/** Step: takes objects away from where they are moved from, but for rows `taken` again. Returns what to count besides what was moved. */
async function leave(step: Step, source: HeldBucket, accepted: readonly Accepted[], taken: string[]): Promise<Change> {
  const keys = accepted.map(({ pair }) => pair.key)
  const { kept = [], gone = [] } = Object.groupBy(accepted, ({ row }) => (isKept(source, row) ? 'kept' : 'gone'))
  step.awaitAtCommit(store.deleteObjects(step.tx, source.id, [...new Set(keys).difference(new Set(taken))]))
  const rows = kept.map(({ row }) => row)
  const { change } = await retire(step, source, rows, { reason: 'deleted', keys })
  markDeleted(step, source, keys)
  return sumChanges(change, leaving(gone.map(({ row }) => row)))
}

/** Step: locks the objects that are unchanged since they were seen; returns their keys. */
export async function lockUnchanged(
  tx: Tx,
  bucket: HeldBucket,
  seen: readonly Pick<store.ObjectRow, 'bucket_id' | 'key' | 'blob_id'>[],
): Promise<Set<string>> {
  const keys = seen.map(({ key }) => key)
  const blobs = new Map((await store.lockObjects(tx, bucket.id, keys)).map(({ key, blob_id }) => [key, blob_id]))
  const same = seen.filter(({ bucket_id, key, blob_id }) => bucket_id === bucket.id && blobs.get(key) === blob_id)
  return new Set(same.map(({ key }) => key))
}

/** The error for the first right missing for a pair; null if none is. */
export const pairRefusal = (
  actor: Actor,
  kind: TransferKind,
  { source, dest, version }: { source: string; dest: string; version?: string | null | undefined },
  pair: Pair,
): ServiceError | null =>
  readRefusal(actor, source, pair.key, { version: version !== undefined }) ??
  (kind === 'move' ? refusal(actor, 'delete', source, pair.key) : null) ??
  refusal(actor, 'write', dest, pair.dest)

/** Step: counts what arrived, what left and what it replaced. */
async function count(
  tx: Tx,
  { source, dest }: TransferPlan,
  { accepted, replaced, came, left }: { accepted: number; replaced: number; came: Change; left: Change | undefined },
): Promise<void> {
  if (accepted === 0) return
  const objects = accepted - replaced
  if (!left) return countUsage(tx, dest, { ...came, objects })
  if (source.id === dest.id) return countUsage(tx, dest, { ...sumChanges(came, left), objects: -replaced })
  await Promise.all([
    countUsage(tx, source, { ...left, objects: -accepted }),
    countUsage(tx, dest, { ...came, objects }, -left.bytes),
  ])
}
