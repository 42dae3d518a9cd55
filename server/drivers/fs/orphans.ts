import fs from 'node:fs'
import path from 'node:path'
import { sharedSync } from '../../base/shared-sync.ts'
import { assertBlobId, type BlobDriver, isBlobId, type StoredBlob } from '../driver.ts'
import { eachOf, exists, ifThere } from './bytes.ts'
import { syncFolder } from './folders.ts'

/** Name suffixes of a blob stored whole, and of one in parts. */
const ENDINGS = ['', '.d']

/**
 * Blobs set aside are renamed into the storage's folder `orphans`: a file as a file, parts as their folder. The
 * modification time says since when; it is set before the rename, so that no crash can make one look older than it is.
 */
export function fileOrphans(
  root: string,
  shardOf: (id: string) => { directory: string; sync(): Promise<void> },
): Pick<BlobDriver, 'setAside' | 'bringBack' | 'listAside' | 'removeAside'> {
  const folder = path.join(root, 'orphans')
  const sync = sharedSync(() => syncFolder(folder))
  const asidePath = (id: string, ending: string) => path.join(folder, id + ending)
  const ownPath = (id: string, ending: string) => path.join(shardOf(id).directory, id + ending)

  /** Moves both kinds where they exist, and syncs both folders, the one that gains the entry first. */
  async function move(one: (ending: string) => Promise<boolean>, syncs: (() => Promise<void>)[]) {
    const moved: boolean[] = []
    for (const ending of ENDINGS) moved.push(await one(ending))
    if (moved.includes(true)) for (const sync of syncs) await sync()
  }

  async function setAside(id: string): Promise<void> {
    assertBlobId(id)
    const one = async (ending: string): Promise<boolean> => {
      const from = ownPath(id, ending)
      const now = new Date()
      // There may be nothing of this kind. lutimes, since a damaged entry may be anything.
      if ((await ifThere(fs.promises.lutimes(from, now, now).then(() => true))) !== true) return false
      if ((await fs.promises.mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) await syncFolder(root)
      // The same id means the same bytes: set aside before, and since restored from a backup.
      await fs.promises.rm(asidePath(id, ending), { recursive: true, force: true })
      await fs.promises.rename(from, asidePath(id, ending))
      return true
    }
    await move(one, [sync, shardOf(id).sync])
  }

  async function bringBack(id: string): Promise<void> {
    assertBlobId(id)
    const one = async (ending: string): Promise<boolean> => {
      const to = ownPath(id, ending)
      if (await exists(to)) return false
      return (await ifThere(fs.promises.rename(asidePath(id, ending), to).then(() => true))) === true
    }
    await move(one, [shardOf(id).sync, sync])
  }

  async function* listAside(): AsyncGenerator<StoredBlob> {
    const entries = await ifThere(fs.promises.opendir(folder))
    if (!entries) return
    for await (const { name } of entries) {
      const id = name.endsWith('.d') ? name.slice(0, -2) : name
      const stat = isBlobId(id) ? await ifThere(fs.promises.lstat(path.join(folder, name))) : undefined
      if (!stat) continue
      const size = stat.isDirectory() ? await sizeOfAll(path.join(folder, name)) : stat.size
      yield { id, size, modified_at: stat.mtime }
    }
  }

  async function removeAside(id: string): Promise<void> {
    assertBlobId(id)
    for (const ending of ENDINGS) await fs.promises.rm(asidePath(id, ending), { recursive: true, force: true })
  }

  return { setAside, bringBack, listAside, removeAside }
}

/** Total size of a folder's files. */
async function sizeOfAll(folder: string): Promise<number> {
  const names = (await ifThere(fs.promises.readdir(folder))) ?? []
  const sizes = await eachOf(
    names,
    async (name) => (await ifThere(fs.promises.lstat(path.join(folder, name))))?.size ?? 0,
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
