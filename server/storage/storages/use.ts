import { ServiceError } from '../../../contract/errors.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import { DEFAULT_STORAGE } from '../../../contract/storages.ts'
import type { Ctx, Upkeep } from '../../context.ts'
import type { Db, Tx } from '../../db/schema.ts'
import type { StorageId } from '../../drivers/blobs.ts'
import { explain } from '../../drivers/explain.ts'
import { DEFAULT, markOfStorage } from '../../drivers/routing/ids.ts'
import { openWhere, whereOf } from '../../drivers/routing/open.ts'
import {
  findInstanceId,
  findStorage,
  findStorageById,
  listStorages,
  type StorageRow,
} from '../../drivers/routing/store.ts'
import { assertFreeToAttach, assertFreeToOwn, assertFreeToReplicate } from './overlap.ts'
import { storageMissing } from './place.ts'
import * as store from './store.ts'

/** The names of buckets' storages, by their ids. */
export async function findStorageNames(
  db: Db,
  rows: readonly { storage_id: StorageId }[],
): Promise<Map<StorageId, string>> {
  const names = new Map<StorageId, string>([[DEFAULT, DEFAULT_STORAGE]])
  if (rows.some(({ storage_id }) => storage_id !== DEFAULT))
    for (const { id, name } of await listStorages(db)) names.set(id, name)
  return names
}

/**
 * Makes sure that a storage can take bytes of ours, and marks it at the first use; returns its name. Others than the default
 * one are for administrators. Throws conflict, with what is wrong in a sentence.
 */
export async function prepareStorage(ctx: Ctx, name = DEFAULT_STORAGE): Promise<string> {
  if (name === DEFAULT_STORAGE) return name
  if (!isAdmin(ctx.actor.groups))
    throw new ServiceError('forbidden', 'Only administrators may choose another storage than the default.')
  const row = await findStorage(ctx.db, name)
  if (!row) throw storageMissing(name)
  if (row.disabled_at !== null || !ctx.config.storagesEnabled) throw turnedOff(name)
  if (row.marked_at !== null) return name
  await assertFreeToOwn(ctx.db, ctx.config, row)
  const unusable = (why: string, cause?: unknown) =>
    new ServiceError('conflict', `The storage "${name}" cannot take new bytes. ${why}`, { cause })
  const instance = await findInstanceId(ctx.db)
  const mark = markOfStorage(instance, row.id)
  const failed = (error: unknown): never => {
    throw unusable(explain(error), error)
  }
  const driver = await openWhere(whereOf(ctx.config, row), { existing: false }).catch(failed)
  try {
    await driver.check().catch(failed)
    const before = await driver.owner().catch(failed)
    if (before !== null && (await isForgotten(ctx.db, instance, before))) await driver.unclaim(before).catch(failed)
    await driver.claimFor(mark).catch(failed)
    const owner = await driver.owner().catch(failed)
    if (owner === null) throw unusable('It did not keep our mark.')
    if (owner !== mark)
      throw unusable(
        owner.split('/', 1)[0] === instance
          ? 'Its place is that of another storage of this service.'
          : 'It belongs to another Strongroom.',
      )
  } finally {
    await driver.close()
  }
  await ctx.upkeep(async ({ tx }) => {
    await store.lockAllStorages(tx)
    await assertFreeToOwn(tx, ctx.config, row)
    await store.updateStorage(tx, row.id, { marked_at: ctx.now().toISOString() })
  })
  ctx.blobs.refresh(row.id)
  return name
}

/** Whether a mark is that of a storage of ours that was deleted, so that nothing of it is left there. */
async function isForgotten(db: Db, instance: string, mark: string): Promise<boolean> {
  const [of, id] = mark.split('/')
  return of === instance && id !== undefined && !(await findStorageById(db, Number(id)))
}

const turnedOff = (name: string) => new ServiceError('conflict', `The storage "${name}" is turned off.`)

/**
 * Step: a storage of the table whose objects are to be shown; no other is changed until the transaction ends, so that what
 * is attached and what is our own cannot come to overlap.
 */
export async function holdToAttach(step: Upkeep, name: string, prefix: string): Promise<StorageRow> {
  const row = (await store.lockAllStorages(step.tx)).find((one) => one.name === name)
  if (!row) throw storageMissing(name)
  if (row.disabled_at !== null || !step.config.storagesEnabled) throw turnedOff(name)
  await assertFreeToAttach(step.tx, step.config, row, prefix)
  return row
}

/**
 * Step: a storage of the table to which a bucket is to be replicated, under a prefix; no other is changed until the transaction
 * ends.
 */
export async function holdToReplicate(
  step: Upkeep,
  name: string,
  at: { prefix: string; bucket: string },
): Promise<StorageRow> {
  const row = (await store.lockAllStorages(step.tx)).find((one) => one.name === name)
  if (!row) throw storageMissing(name)
  if (row.disabled_at !== null || !step.config.storagesEnabled) throw turnedOff(name)
  await assertFreeToReplicate(step.tx, step.config, row, at)
  return row
}

/**
 * Step: the id of a storage, which stays there until the transaction ends. `forOwn`: it must have been prepared for bytes of
 * our own.
 */
export async function holdStorage(tx: Tx, name: string, { forOwn } = { forOwn: true }): Promise<StorageId> {
  if (name === DEFAULT_STORAGE) return DEFAULT
  const row = await store.shareStorage(tx, name)
  if (!row) throw storageMissing(name)
  if (row.disabled_at !== null || (forOwn && row.marked_at === null)) throw turnedOff(name)
  return row.id
}
