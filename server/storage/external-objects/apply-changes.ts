import type { ActionDetails } from '../../../contract/actions.ts'
import { engineActor } from '../../access/actors.ts'
import type { Ctx, Upkeep } from '../../context.ts'
import { type AnyBucket, countUsage, type HeldBucket } from '../buckets/service.ts'
import { withLocalChanges } from './rows.ts'
import * as scanStore from './scan-state/store.ts'
import type { ExternalObject } from './store.ts'
import * as store from './store.ts'

/** One object that others have changed. */
export type Change = { key: string } & Pick<ActionDetails['external_change'], 'change' | 'size' | 'etag' | 'before'>

/** What is to be changed of a bucket's objects, since others did so on its storage. */
export interface Changes {
  added?: readonly ExternalObject[]
  /** Pairs of what was shown and what is to be; with the same blob if only what is known of it differs. */
  changed?: readonly { before: ExternalObject; after: ExternalObject }[]
  missing?: readonly ExternalObject[]
  removed?: readonly ExternalObject[]
  /** To be removed as well, since an administrator leaves them out: that is no change by others. */
  leftOut?: readonly ExternalObject[]
}

/** Whether other contents take the place of what was shown, and not only something else is known of them. */
export const isSwap = ({ before, after }: { before: ExternalObject; after: ExternalObject }): boolean =>
  before.object.blob_id !== after.object.blob_id

/** Whether a held bucket still shows what others keep: it was neither released nor taken over. */
export const isReadOnlyAttached = (bucket: AnyBucket | undefined): bucket is AnyBucket =>
  bucket !== undefined && bucket.deleted_at === null && bucket.mode === 'read_only'

/**
 * Step: changes what a held bucket shows, as far as nobody else has since it was read. Returns what has changed for those
 * who look at it, and whether all of it was as expected.
 */
export async function applyChanges(
  step: Upkeep,
  bucket: HeldBucket,
  { added = [], changed = [], missing = [], removed = [], leftOut = [] }: Changes,
): Promise<{ changes: Change[]; whole: boolean }> {
  const { tx } = step
  const storageId = bucket.storage_id as number
  const known = [...changed.map(({ before }) => before), ...missing, ...removed, ...leftOut]
  const current = await store.lockExternal(
    tx,
    bucket.id,
    known.map(({ object }) => object.key),
  )
  const isCurrent = ({ object: { key, blob_id } }: ExternalObject) => current.get(key)?.object.blob_id === blob_id
  const news = await store.insertExternal(tx, storageId, added)
  const came = added.filter(({ object }) => news.has(object.key))
  const same = changed.flatMap(({ before, after }) => {
    const now = current.get(before.object.key)
    return now && isCurrent(before) ? [{ before, after: withLocalChanges(after, now) }] : []
  })
  const swaps = same.filter(isSwap)
  await store.replaceExternal(tx, storageId, swaps)
  for (const pair of same) if (!isSwap(pair)) await store.describeAgain(tx, pair.after)
  const lost = missing.filter(isCurrent)
  await scanStore.markMissing(tx, blobsOf(lost), step.now().toISOString())
  const gone = [...removed, ...leftOut].filter(isCurrent)
  await store.deleteExternal(tx, bucket.id, gone)
  const bytes =
    sizeOf(came) -
    sizeOf(gone) +
    swaps.reduce((sum, { before, after }) => sum + after.object.size - before.object.size, 0)
  const objects = came.length - gone.length
  if (bytes !== 0 || objects !== 0) await countUsage(tx, bucket, { bytes, objects })
  const returned = same.filter((pair) => !isSwap(pair) && pair.before.external.missing_since !== null)
  const changes = [
    ...came.map((one) => changeOf('added', one)),
    ...swaps.map(({ before, after }) => ({ ...changeOf('changed', after), before: sizeAndEtag(before) })),
    ...returned.map(({ after }) => changeOf('returned', after)),
    ...lost.filter(({ external }) => external.missing_since === null).map((one) => changeOf('missing', one)),
    ...gone.map((one) => changeOf('removed', one)),
  ]
  if (changes.length > leftOut.filter(isCurrent).length)
    await scanStore.noteChange(tx, bucket.id, step.now().toISOString())
  return {
    changes,
    whole: came.length + same.length + lost.length + gone.length === added.length + known.length,
  }
}

const blobsOf = (all: readonly ExternalObject[]): string[] => all.map(({ object }) => object.blob_id)
const sizeOf = (all: readonly ExternalObject[]): number => all.reduce((sum, { object }) => sum + object.size, 0)
const sizeAndEtag = ({ object: { size, etag } }: ExternalObject) => ({ size, etag })
const changeOf = (change: Change['change'], one: ExternalObject): Change => ({
  change,
  key: one.object.key,
  ...sizeAndEtag(one),
})

/** Step: notes where bytes of others are in a list by path segments. */
export const notePlaces = ({ tx }: Upkeep, all: Parameters<typeof scanStore.noteSortKeys>[1]): Promise<void> =>
  scanStore.noteSortKeys(tx, all)

/** Step: notes in which scan objects were absent, or with null that they are there. */
export const noteAbsent = (
  { tx }: Upkeep,
  all: readonly ExternalObject[],
  scanId: string | null,
): Promise<unknown> | undefined =>
  all.length === 0 ? undefined : scanStore.noteExternal(tx, blobsOf(all), { absent_in: scanId })

/**
 * Makes changes that others have made already: as an action of theirs with a record for each of the first `most`, or
 * without any where none is to be recorded or `visible` says that there is none. False: nothing was done, because the
 * objects have changed meanwhile.
 */
export async function recordExternalChanges(
  ctx: Ctx,
  { most, visible, scan_id }: { most: number; visible: boolean; scan_id?: string },
  change: (step: Upkeep) => Promise<{ bucket: string; changes: readonly Change[] }>,
): Promise<boolean> {
  if (most <= 0 || !visible) {
    await ctx.upkeep(change)
    return true
  }
  return ctx.as(engineActor).act(async (step) => {
    const { bucket, changes } = await change(step)
    if (changes.length === 0) return step.nothing(false)
    for (const { key, ...details } of changes.slice(0, most))
      step.record({
        name: 'external_change',
        bucket,
        key,
        details: { ...details, ...(scan_id === undefined ? {} : { scan_id }) },
      })
    return true
  })
}
