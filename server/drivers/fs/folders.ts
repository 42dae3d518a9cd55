// The folders of a file storage, and the blobs in each.
import fs from 'node:fs'
import path from 'node:path'
import { makeFolder, syncMade, syncFolder as syncNow } from '../../base/make-folder.ts'
import { isBlobId, StorageMissing } from '../driver.ts'

const STATS_AT_A_TIME = 64

/** The folders that contain a storage's blobs. */
export const foldersOf = (root: string): string[] =>
  Array.from({ length: 256 }, (_, i) => path.join(root, i.toString(16).padStart(2, '0')))

export function assertFolders(root: string, folders: string[]): void {
  if (!fs.existsSync(root)) throw new StorageMissing(`There is no storage at ${root}`)
  const lacking = folders.find((folder) => !fs.existsSync(folder))
  if (lacking) throw new StorageMissing(`The storage at ${root} is damaged: ${path.basename(lacking)} is missing`)
}

/** Creates `root` and its folders, and syncs every folder that got a new entry. */
export function makeFolders(root: string, folders: string[]): void {
  const made = makeFolder(root)
  for (const folder of folders) makeFolder(folder)
  syncNow(root)
  syncMade(made)
}

/** Has the entries of a folder survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.promises.open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The blob ids whose names belong in a folder, in batches; multipart ones, finished or not, separately. */
export async function* blobIdsIn(directory: string): AsyncGenerator<{ ids: string[]; inParts: string[] }> {
  let ids: string[] = []
  let inParts: string[] = []
  for await (const { name } of await fs.promises.opendir(directory)) {
    const id = name.endsWith('.d') ? name.slice(0, -2) : name
    if (!isBlobId(id) || id.slice(-2) !== path.basename(directory)) continue
    const group = id === name ? ids : inParts
    group.push(id)
    if (group.length < STATS_AT_A_TIME) continue
    yield { ids, inParts }
    ids = []
    inParts = []
  }
  yield { ids, inParts }
}
