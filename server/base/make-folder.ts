// Folders that are made with those above them, and their entries, which a power failure must not take away.
import fs from 'node:fs'
import path from 'node:path'

/**
 * Creates a folder and those above it that lack, one by one: Node's own `recursive` never returns where a file system says
 * of a folder in one that exists that it cannot be there (ENOENT, as /proc does). Only its owner can read it. Returns those
 * that lacked, the uppermost first. Throws EEXIST where a file has its name.
 */
export function makeFolder(folder: string): string[] {
  const lacking: string[] = []
  for (let at = path.resolve(folder); !fs.existsSync(at) && at !== path.dirname(at); at = path.dirname(at))
    lacking.unshift(at)
  for (const one of lacking)
    try {
      fs.mkdirSync(one, { mode: 0o700 })
    } catch (error) {
      // Another process has made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  // Fails as making it would where it is a file.
  if (!fs.statSync(folder).isDirectory()) fs.mkdirSync(folder)
  return lacking
}

/** Has the entries of a folder survive a power failure. */
export function syncFolder(folder: string): void {
  const handle = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
}

/** Has folders that were made survive a power failure: syncs those that they are in, the lowest first. */
export function syncMade(made: readonly string[]): void {
  for (const folder of made.toReversed()) syncFolder(path.dirname(folder))
}
