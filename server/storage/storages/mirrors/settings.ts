import { ServiceError } from '../../../../contract/errors.ts'
import type { MirrorChange, Storage } from '../../../../contract/storages.ts'
import { DEFAULT_STORAGE } from '../../../../contract/storages.ts'
import { within } from '../../../base/deadline.ts'
import { invalid } from '../../../base/invalid.ts'
import type { Ctx } from '../../../context.ts'
import type { Db } from '../../../db/schema.ts'
import { listMirrors } from '../../../drivers/copies/store.ts'
import { explain } from '../../../drivers/explain.ts'
import { findStorage, listStorages } from '../../../drivers/routing/store.ts'
import { storageMissing } from '../place.ts'
import { prepareStorage } from '../use.ts'
import { NEWEST } from './copies.ts'
import { nameOfPlace } from './places.ts'
import * as store from './store.ts'

const DEFAULTS = { acknowledge: 'one', when_down: 'refuse', keep_removed_days: 30 } as const

/** The number of a storage in the rows of mirrors, where 0 is the default one. Throws not_found. */
async function numberOf(db: Db, name: string): Promise<number> {
  if (name === DEFAULT_STORAGE) return 0
  const row = await findStorage(db, name)
  if (!row) throw storageMissing(name)
  return row.id
}

/** What the API says of the copies of a storage. */
export type Copies = Pick<Storage, 'served_by' | 'mirror' | 'scrub'>

/** What the API says of the copies of storages, by their numbers. */
export async function describeCopies(db: Db): Promise<Map<number, Copies>> {
  const [rows, scrubs] = [await listMirrors(db), await store.listScrubs(db)]
  const described = new Map<number, Copies>(
    scrubs.map(({ place, started_at, finished_at, checked, damaged, summed }) => [
      place,
      { served_by: null, mirror: null, scrub: { started_at, finished_at, checked, damaged, summed } },
    ]),
  )
  if (rows.length === 0) return described
  const [due, names] = [await store.countDue(db), await namesOf(db)]
  for (const { storage, first, second, walked_to, walked_again_at, ...row } of rows) {
    const waiting = second === null ? undefined : due.get(second)
    const { acknowledge, when_down, keep_removed_days, locks } = row
    const mirror = second !== null && {
      storage: names.get(second) ?? '',
      acknowledge,
      when_down,
      keep_removed_days,
      copies_due: waiting?.count ?? 0,
      due_since: waiting?.since ?? null,
      locked: locks === 1 && keep_removed_days > 0,
      complete: walked_to === null && walked_again_at !== null && !waiting,
    }
    described.set(storage, {
      served_by: first === storage ? null : (names.get(first) ?? null),
      mirror: mirror || null,
      scrub: described.get(storage)?.scrub ?? null,
    })
  }
  return described
}

/** The names of storages by their numbers. */
const namesOf = async (db: Db): Promise<Map<number, string>> =>
  new Map([[0, DEFAULT_STORAGE], ...(await listStorages(db)).map(({ id, name }) => [id, name] as const)])

/** How many copies the places of storages lack, by the names of these. */
export async function findCopiesDue(db: Db): Promise<{ storage: string; count: number; since: string }[]> {
  const due = await store.countDue(db)
  if (due.size === 0) return []
  const names = await namesOf(db)
  return [...due].map(([place, waiting]) => ({ storage: names.get(place) ?? `${place}`, ...waiting }))
}

/** What is recorded of a mirror. */
const recorded = async (db: Db, row: store.MirrorRow | undefined) => {
  if (!row || row.second === null) return { mirror: null }
  const { acknowledge, when_down, keep_removed_days } = row
  return { mirror: { storage: await nameOfPlace(db, row.second), acknowledge, when_down, keep_removed_days } }
}

/** Gives a storage a mirror, changes how it has one, or takes it away; what is on that stays there. */
export async function setMirror(ctx: Ctx, name: string, wanted: MirrorChange | null): Promise<void> {
  const storage = await numberOf(ctx.db, name)
  const now = await store.findMirror(ctx.db, storage)
  const second =
    wanted?.storage === undefined ? wanted && (now?.second ?? null) : await numberOf(ctx.db, wanted.storage)
  if (wanted && second === null) throw invalid('body.mirror.storage', 'is required')
  if (wanted && second === (now?.first ?? storage)) throw invalid('body.mirror.storage', 'must be another storage')
  if (wanted?.storage !== undefined) {
    await prepareStorage(ctx, wanted.storage)
    if (second === 0) await ctx.blobs.check()
  }
  await ctx.act(async (step) => {
    const { tx, record } = step
    const before = await store.lockMirror(tx, storage)
    const first = before?.first ?? storage
    if (wanted && second === first) throw invalid('body.mirror.storage', 'must be another storage')
    const described = await recorded(tx, before)
    if (!wanted) {
      if (!before || before.second === null) return step.nothing(undefined)
      if (first === storage) await store.deleteMirror(tx, storage)
      else await store.updateMirror(tx, storage, { second: null })
    } else {
      const { acknowledge, when_down, keep_removed_days } = { ...DEFAULTS, ...before, ...defined(wanted) }
      const isNew = before?.second !== second
      const walk = isNew
        ? { changed_at: step.now().toISOString(), walked_to: NEWEST, walked_again_at: null }
        : { changed_at: before.changed_at, walked_to: before.walked_to, walked_again_at: before.walked_again_at }
      // Another place is asked whether it locks before the next copy is made.
      const locks = isNew ? 0 : before.locks
      await store.putMirror(tx, { storage, first, second, acknowledge, when_down, keep_removed_days, locks, ...walk })
    }
    const after = await recorded(tx, await store.findMirror(tx, storage))
    record({
      name: 'storage_update',
      resource: { type: 'storage', id: name },
      details: { name, before: described, after },
    })
  })
  ctx.blobs.refreshCopies()
}

/** The settings that are given. */
const defined = ({ acknowledge, when_down, keep_removed_days }: MirrorChange) => ({
  ...(acknowledge && { acknowledge }),
  ...(when_down && { when_down }),
  ...(keep_removed_days !== undefined && { keep_removed_days }),
})

/**
 * Makes the mirror of a storage the place that is read and written first, and the other its mirror. Nothing is copied: what
 * the other misses from now on is queued. Refused while the mirror lacks copies, unless `accept_missing`.
 */
export async function failover(
  ctx: Ctx,
  name: string,
  { accept_missing = false }: { accept_missing?: boolean | undefined },
): Promise<void> {
  const storage = await numberOf(ctx.db, name)
  const now = await store.findMirror(ctx.db, storage)
  if (!now || now.second === null) throw new ServiceError('conflict', `The storage "${name}" has no mirror.`)
  const { second } = now
  await within(
    ctx.config.mirrorTimeoutMs,
    ctx.blobs.place(second).then((driver) => driver.check()),
  ).catch((error: unknown) => {
    throw new ServiceError('conflict', `The mirror cannot be used. ${explain(error)}`, { cause: error })
  })
  await ctx.act(async ({ tx, record }) => {
    const row = await store.lockMirror(tx, storage)
    if (row?.second !== second || row.first !== now.first)
      throw new ServiceError('conflict', 'The mirror has just been changed. Try again.')
    const lacking = (await store.countDue(tx)).get(second)?.count ?? 0
    const isWalked = row.walked_to === null
    if ((lacking > 0 || !isWalked) && !accept_missing)
      throw new ServiceError(
        'conflict',
        `The mirror lacks ${isWalked ? `${lacking} copies` : 'copies of what was there before it'}. Wait until it is complete, or accept that they cannot be read until the other place is back.`,
      )
    // Where the walk has not ended, what the new first place lacks is found by reads and the scrub.
    await store.updateMirror(tx, storage, { first: second, second: row.first, locks: 0 })
    const [before, after] = [await nameOfPlace(tx, row.first), await nameOfPlace(tx, second)]
    record({
      name: 'storage_failover',
      resource: { type: 'storage', id: name },
      details: { name, before, after, copies_missing: lacking },
    })
  })
  ctx.blobs.refreshCopies()
}
