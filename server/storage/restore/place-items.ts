import { type Fault, ServiceError } from '../../../contract/errors.ts'
import { isKeyText } from '../../../contract/names.ts'
import type { StoredObject } from '../../../contract/objects.ts'
import type { OnConflict, RestoredItem } from '../../../contract/trash.ts'
import { allow, type Step } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import { countUsage, type HeldBucket } from '../buckets/service.ts'
import { lockKeys } from '../history/keys.ts'
import { arriving, type Change, noChange, sumChanges } from '../history/retire.ts'
import { deleteTrashRows } from '../history/trash/service.ts'
import type * as store from '../history/trash/store.ts'
import { lockCurrent } from '../objects/current.ts'
import { splitKey } from '../objects/free-names.ts'
import { TakenMeanwhile } from '../objects/retry.ts'
import { reinstate, reinstateAll, reinstateOver } from '../objects/service.ts'
import { findObjects, type ObjectRow } from '../objects/store.ts'

const MOST_NAMES = 100
/** Keys per query. */
const LOOKED_FOR = 1000

/** An item that has become an object again. */
interface Placed {
  item: store.TrashRow
  object: StoredObject
  /** The object that it replaced, that object's trash id, and whether it is kept as a version. */
  replaced?: { size: number; trash_id: string | null; kept: boolean }
}
/** What could be placed; `refused` has the reason for each item that could not, by its id. */
interface Outcome {
  placed: Placed[]
  refused: Map<string, string>
  /** What to count besides the sizes of what was placed. */
  change: Change
}

/** Step: makes locked items objects again, all or none, and counts and records them. Returns each item's outcome. */
export async function placeItems(
  step: Step,
  bucket: HeldBucket,
  { ids, rows, onConflict }: { ids: readonly string[]; rows: readonly store.TrashRow[]; onConflict: OnConflict },
): Promise<{ items: StoredObject[]; restored: RestoredItem[] }> {
  const { tx, record } = step
  const ways = { fail: placeWhereFree, replace: placeOver, keep_both: placeBeside }
  const keys = rows.map(({ key }) => key)
  await lockKeys(tx, [bucket, keys])
  // All of them before the first comes back, which draws the moment of all.
  if (onConflict === 'replace') await lockCurrent(tx, bucket.id, keys)
  const { placed, refused, change } = await ways[onConflict](step, bucket, rows)
  if (refused.size > 0) throw takenOf(ids, refused)
  const came = arriving(placed.map(({ item }) => item))
  const free = placed.filter(({ replaced }) => !replaced)
  await countUsage(tx, bucket, {
    ...sumChanges(change, came, { ...noChange, trash_bytes: -came.bytes }),
    objects: free.length,
  })
  await deleteTrashRows(tx, ids)
  for (const { item, object, replaced } of placed)
    record({
      name: 'restore',
      bucket: bucket.name,
      key: object.key,
      details: {
        size: item.size,
        trash_id: item.id,
        ...(object.key === item.key ? {} : { original_key: item.key }),
        ...(replaced ? { replaced: true } : {}),
        ...(replaced?.trash_id ? { replaced_trash_id: replaced.trash_id } : {}),
      },
    })
  return { items: placed.map(({ object }) => object), restored: inOrder(ids, placed) }
}

function takenOf(ids: readonly string[], refused: ReadonlyMap<string, string>): ServiceError {
  const faults = ids.flatMap((id, i): Fault[] => {
    const message = refused.get(id)
    return message === undefined ? [] : [{ path: `body.ids.${i}`, message }]
  })
  return new ServiceError('conflict', 'Some keys are in use; nothing was restored.', { faults })
}

function inOrder(ids: readonly string[], placed: readonly Placed[]): RestoredItem[] {
  const byId = new Map(placed.map((one) => [one.item.id, one]))
  return ids.flatMap((id) => {
    const one = byId.get(id)
    if (!one) return []
    const replaced_trash_id = one.replaced?.trash_id ?? null
    return [
      { id, key: one.object.key, original_key: one.item.key, replaced: one.replaced !== undefined, replaced_trash_id },
    ]
  })
}

/** The object that an item was, under this key. */
function objectOf(
  { id: _id, reason: _reason, deleted_at: _at, deleted_by: _by, job_id: _job, ...row }: store.TrashRow,
  key = row.key,
): ObjectRow {
  return { ...row, key }
}

const nothingYet = (): Outcome => ({
  placed: [],
  refused: new Map(),
  change: noChange,
})

function add(outcome: Outcome, item: store.TrashRow, { change, ...placed }: Omit<Placed, 'item'> & { change: Change }) {
  outcome.placed.push({ item, ...placed })
  outcome.change = sumChanges(outcome.change, change)
}

// In key order, like uploads, so that the two cannot deadlock.
const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1)

/** In key order, and of one key in that in which they were written: ids of versions are, and `null` ones came first. */
const byVersion = (a: store.TrashRow, b: store.TrashRow) =>
  a.key === b.key ? ((a.version_id ?? '') < (b.version_id ?? '') ? -1 : 1) : byKey(a, b)

/** Whether several items can have one key: as versions of it. */
const stacks = ({ versioning }: HeldBucket): boolean => versioning === 'enabled'

async function placeWhereFree(step: Step, bucket: HeldBucket, rows: readonly store.TrashRow[]) {
  const outcome = nothingYet()
  const done = new Set<string>()
  for (const item of rows.toSorted(byVersion)) {
    const ours = stacks(bucket) && done.has(item.key)
    const row = objectOf(item)
    const free = ours ? await reinstateOver(step, bucket, row) : await reinstate(step, bucket, row)
    if (free) done.add(item.key)
    if (free) add(outcome, item, free)
    else outcome.refused.set(item.id, `the key "${item.key}" is taken`)
  }
  return outcome
}

async function placeOver(step: Step, bucket: HeldBucket, rows: readonly store.TrashRow[]) {
  const outcome = nothingYet()
  const done = new Set<string>()
  for (const item of rows.toSorted(byVersion)) {
    if (done.has(item.key) && !stacks(bucket)) {
      outcome.refused.set(item.id, `another of these items has the key "${item.key}"`)
      continue
    }
    done.add(item.key)
    const over = await reinstateOver(step, bucket, objectOf(item))
    if (over.replaced && over.replaced.trash_id === null && !over.replaced.kept) {
      // Without a trash the replaced object is lost, so this needs the rights to destroy it.
      allow(step.actor, 'delete', bucket.name, item.key)
      allow(step.actor, 'manage', bucket.name, item.key)
    }
    add(outcome, item, over)
  }
  return outcome
}

async function placeBeside(step: Step, bucket: HeldBucket, rows: readonly store.TrashRow[]) {
  const outcome = nothingYet()
  const keys = await chooseNames(step.tx, bucket, rows)
  const arrivals = rows.flatMap((item) => {
    const key = keys.get(item.id)
    if (key === undefined) outcome.refused.set(item.id, `the key "${item.key}" is in use, and no similar name is free`)
    else allow(step.actor, 'write', bucket.name, key)
    return key === undefined ? [] : [{ item, key, row: objectOf(item, key) }]
  })
  if (outcome.refused.size > 0) return outcome
  await lockKeys(step.tx, [bucket, arrivals.map(({ key }) => key)])
  const { objects, change } = await reinstateAll(
    step,
    bucket,
    arrivals.map(({ row }) => row),
  )
  outcome.change = change
  // Another request took a name between our read and our insert, so everything is retried from the start.
  if (objects.size < arrivals.length) throw new TakenMeanwhile()
  for (const { item, key } of arrivals.toSorted(byKey)) {
    const object = objects.get(key)
    if (object) outcome.placed.push({ item, object })
  }
  return outcome
}

/** Each item's first free name, by id; of two items with one key, the one trashed last chooses first. */
async function chooseNames(tx: Tx, bucket: HeldBucket, rows: readonly store.TrashRow[]): Promise<Map<string, string>> {
  const chosen = new Map<string, string>()
  const taken = new Set<string>()
  let left = rows
    .toSorted((a, b) => (a.deleted_at < b.deleted_at || (a.deleted_at === b.deleted_at && a.id < b.id) ? 1 : -1))
    .map((item) => ({ id: item.id, names: [...namesBeside(item.key)] }))
  while (left.length > 0) {
    const each = Math.max(1, Math.floor(LOOKED_FOR / left.length))
    const asked = new Set(left.flatMap(({ names }) => names.slice(0, each)))
    for (const { key } of await findObjects(tx, bucket.id, [...asked])) taken.add(key)
    left = left.flatMap(({ id, names }) => {
      const key = names.slice(0, each).find((name) => !taken.has(name))
      if (key === undefined) return names.length > each ? [{ id, names: names.slice(each) }] : []
      taken.add(key)
      chosen.set(id, key)
      return []
    })
  }
  return chosen
}

/**
 * `report.pdf`, `report (restored).pdf`, `report (restored 2).pdf`… while they are valid keys; a folder keeps its
 * slash.
 */
function* namesBeside(key: string): Generator<string> {
  yield key
  const { stem, ending } = splitKey(key)
  for (let n = 1; n <= MOST_NAMES; n++) {
    const name = `${stem} (restored${n === 1 ? '' : ` ${n}`})${ending}`
    if (isKeyText(name, 1)) yield name
  }
}
