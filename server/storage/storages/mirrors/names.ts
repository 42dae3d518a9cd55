import { DEFAULT_STORAGE } from '../../../../contract/storages.ts'
import type { Db } from '../../../db/schema.ts'
import { findStorageById } from '../../../drivers/routing/store.ts'

/** The name of the storage that a place belongs to. */
export const nameOfPlace = async (db: Db, place: number): Promise<string> =>
  place === 0 ? DEFAULT_STORAGE : ((await findStorageById(db, place))?.name ?? `${place}`)
