import fs from 'node:fs'
import path from 'node:path'
import { Refusal } from '../../base/refusal.ts'
import { pointsAtStorage } from '../../blobs/pointers.ts'
import { findKnown } from '../../blobs/store.ts'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../db/schema.ts'
import { type BlobDriver, MARK } from '../../drivers/driver.ts'
import { blobIdsIn, foldersOf } from '../../drivers/fs/folders.ts'
import { ownerOfFolder } from '../../drivers/fs/mark.ts'
import { openStorage, storageFolder } from '../../drivers/open.ts'

/** How many blobs to read from a storage without a mark: one that the database knows is enough. */
const SAMPLE = 1000

/** What a storage contains, as far as needed to find its owner. */
export interface StorageLook {
  owner: string | null
  /** Some of its blobs; not read if it has an owner. */
  blobs: readonly string[]
}

/** Inspects a configuration's storage without creating anything in it. */
export async function inspectStorage(config: Config): Promise<StorageLook> {
  const folder = storageFolder(config.storageUrl)
  if (folder !== undefined) {
    const owner = await ownerOfFolder(folder)
    return { owner, blobs: owner === null ? await sampleFolder(folder) : [] }
  }
  const driver = await openStorage(config)
  try {
    return await lookThrough(driver)
  } finally {
    await driver.close()
  }
}

async function lookThrough(driver: BlobDriver): Promise<StorageLook> {
  const owner = await driver.owner()
  const blobs: string[] = []
  if (owner === null)
    for await (const { id } of driver.list()) {
      blobs.push(id)
      if (blobs.length === SAMPLE) break
    }
  return { owner, blobs }
}

async function sampleFolder(root: string): Promise<string[]> {
  const found: string[] = []
  for (const folder of foldersOf(root)) {
    if (!fs.existsSync(folder)) continue
    for await (const { ids, inParts } of blobIdsIn(folder)) {
      found.push(...ids, ...inParts)
      if (found.length >= SAMPLE) return found
    }
  }
  return found
}

const nameOf = ({ storageUrl }: Config): string => {
  const folder = storageFolder(storageUrl)
  return folder === undefined ? 'The storage of STORAGE_URL' : `The storage ${folder}`
}

/** Throws if the storage is marked as another instance's; `id` is null for a database without a schema. */
export function assertOwner(config: Config, { owner }: StorageLook, id: string | null): void {
  if (owner === null || owner === id) return
  const folder = storageFolder(config.storageUrl)
  const mark = folder === undefined ? `its object "${MARK}"` : path.join(folder, MARK)
  throw new Refusal(
    `${nameOf(config)} belongs to another database (${mark} names the instance ${owner || 'unknown'}; this is ${id ?? 'an empty database'}). Check STORAGE_URL, DATABASE_URL and DATA_DIR.`,
  )
}

/**
 * Throws if a database must not use this storage: another database's, one whose blobs are all unknown to it, or an
 * empty one while it has objects (for example because a disk is not mounted). `db` is undefined without a schema.
 */
export async function assertFits(
  config: Config,
  look: StorageLook,
  database: { id: string | null; db: Db | undefined },
  acceptNewStorage: boolean,
): Promise<void> {
  assertOwner(config, look, database.id)
  if (look.owner !== null || acceptNewStorage) return
  const { db } = database
  if (look.blobs.length > 0) {
    const known = db === undefined ? 0 : (await findKnown(db, look.blobs)).size
    if (known === 0)
      throw new Refusal(
        `${nameOf(config)} contains data, but none that this database knows, so it belongs to another one. Check STORAGE_URL, DATABASE_URL and DATA_DIR; to use it with this database anyway, add --accept-new-storage.`,
      )
  } else if (db !== undefined && (await pointsAtStorage(db)))
    throw new Refusal(
      `${nameOf(config)} is empty, but this database has objects whose contents should be there. Check STORAGE_URL, and whether its disk is mounted; if the contents are on a mirror, or permanently lost, add --accept-new-storage.`,
    )
}

/** Verifies that the storage belongs to this database, and marks it if it has no mark yet. */
export async function claimStorage(
  config: Config,
  driver: BlobDriver,
  database: { id: string; db: Db },
  acceptNewStorage: boolean,
): Promise<void> {
  const look = await lookThrough(driver)
  await assertFits(config, look, database, acceptNewStorage)
  if (look.owner !== null) return
  await driver.claimFor(database.id)
  const owner = await driver.owner()
  assertOwner(config, { owner, blobs: [] }, database.id)
  if (owner === null) throw new Refusal(`${nameOf(config)} did not keep the mark of this database. Check STORAGE_URL.`)
}
