// The inventories of a bucket by their names, as S3 knows them.
import type { Inventory } from '../../../contract/inventories.ts'
import type { Ctx } from '../../context.ts'
import { bucketMissing } from '../../storage/buckets/service.ts'
import { findBucket } from '../../storage/buckets/store.ts'
import { createInventory, deleteInventory, describe, updateInventory } from './service.ts'
import { type Given, mayChange, type Settings, settingsOf } from './settings.ts'
import * as store from './store.ts'

/** Those that the caller may change, after a name, in the order of names. */
export async function listNamed(
  ctx: Ctx,
  bucket: string,
  { after, limit }: { after: string; limit: number },
): Promise<Inventory[]> {
  const rows = await findRows(ctx, bucket)
  return rows
    .filter(({ name }) => name > after)
    .slice(0, limit)
    .map((row) => describe(row, undefined))
}

export async function findNamed(ctx: Ctx, bucket: string, name: string): Promise<Inventory | undefined> {
  const row = (await findRows(ctx, bucket)).find((one) => one.name === name)
  return row && describe(row, undefined)
}

async function findRows(ctx: Ctx, bucket: string): Promise<store.NamedInventory[]> {
  const source = await findBucket(ctx.db, bucket)
  if (!source) throw bucketMissing(bucket)
  const rows = await store.listOfBucket(ctx.db, source.id)
  return rows
    .filter((row) => mayChange(ctx.actor, row.bucket, settingsOf(row)))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Sets up an inventory, or changes the one of that name; what is not said stays as it is. */
export async function putNamed(
  ctx: Ctx,
  bucket: string,
  name: string,
  given: Given & Pick<Settings, 'destination'>,
): Promise<void> {
  const before = await findNamed(ctx, bucket, name)
  if (before) await updateInventory(ctx, before.id, given)
  else await createInventory(ctx, { ...given, name, bucket })
}

/** Deletes the inventory of a name, if there is one. */
export async function removeNamed(ctx: Ctx, bucket: string, name: string): Promise<void> {
  const found = await findNamed(ctx, bucket, name)
  if (found) await deleteInventory(ctx, found.id)
}
