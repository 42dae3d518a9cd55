import { DEFAULT_STORAGE } from '../../../../contract/storages.ts'
import type { Ctx } from '../../../context.ts'
import type { Db } from '../../../db/schema.ts'
import { StorageAway } from '../../../drivers/driver.ts'
import { markOfStorage } from '../../../drivers/routing/ids.ts'
import { findInstanceId, findStorageById } from '../../../drivers/routing/store.ts'

/** The name of the storage that a place belongs to. */
export const nameOfPlace = async (db: Db, place: number): Promise<string> =>
  place === 0 ? DEFAULT_STORAGE : ((await findStorageById(db, place))?.name ?? `${place}`)

/** The mark at a place; throws StorageAway where it is not ours: what looks like missing bytes is another disk then. */
export async function markAt(ctx: Ctx, place: number): Promise<string> {
  const owner = await (await ctx.blobs.place(place)).owner()
  const ours = markOfStorage(await findInstanceId(ctx.db), place === 0 ? null : place)
  if (owner !== ours) throw new StorageAway('The storage does not have our mark')
  return ours
}
