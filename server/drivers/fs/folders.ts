// The folders of a file storage, and the blobs in each.
import fs from 'node:fs'
import path from 'node:path'
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

/**
 * Creates a folder and those above it that lack, one by one: Node's own `recursive` never returns where a file system says
 * of a folder in one that exists that it cannot be there (ENOENT, as /proc does). Returns those that lacked, the uppermost
 * first.
 */
function makeWithParents(folder: string): string[] {
  const lacking: string[] = []
  for (let at = folder; !fs.existsSync(at) && at !== path.dirname(at); at = path.dirname(at)) lacking.unshift(at)
  for (const one of lacking)
    try {
      fs.mkdirSync(one, { mode: 0o700 })
    } catch (error) {
      // Another process has made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  return lacking
}

/** Creates `root` and its folders, and syncs every folder that got a new entry. */
export function makeFolders(root: string, folders: string[]): void {
  const made = makeWithParents(root)
  // Fails as making it would where it is a file.
  if (!fs.statSync(root).isDirectory()) fs.mkdirSync(root)
  for (const folder of folders) makeWithParents(folder)
  for (const folder of [root, ...made.map((one) => path.dirname(one)).reverse()]) {
    const fd = fs.openSync(folder, 'r')
    fs.fsyncSync(fd)
    fs.closeSync(fd)
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
