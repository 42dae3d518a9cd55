import fs from 'node:fs'
import path from 'node:path'
import { type Config, ConfigError, IMAGE_FOLDER } from '../../config/config.ts'
import { databaseFile } from '../../db/engine.ts'

/** Name of the marker in every folder that the cache may empty. */
const MARKER = '.strongroom-image-cache'
const MARKER_TEXT = "Strongroom's cache of rendered images. Safe to delete while the service is stopped.\n"

/** Before 0.1 the cache used the configured folder itself; these are the names of its folders and files. */
const FORMER_FOLDER = /^([0-9a-f]{2}|tmp|\d{1,3})$/
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const FORMER_FILE = new RegExp(`^${UUID}(\\.[\\w-]{1,22})?$`)
/** Depth of the nested folders. */
const FORMER_DEPTH = 2

/**
 * Creates a cache folder and places a marker in it and in its parent. Does nothing if both have one. Rejects if it
 * cannot be written.
 */
export async function claimFolder(folder: string): Promise<void> {
  for (const one of [path.dirname(folder), folder]) {
    await fs.promises.mkdir(one, { recursive: true, mode: 0o700 })
    const marker = path.join(one, MARKER)
    await fs.promises
      .writeFile(marker, MARKER_TEXT, { flag: 'wx', mode: 0o600 })
      .catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      })
  }
}

/**
 * Why this folder must not be used for the cache; null if it may. `others` are folders whose contents must not be lost:
 * the cache must not be or contain one of them, nor be inside one with `inside`.
 */
function whyNot(base: string, others: readonly { name: string; folder: string; inside: boolean }[]): string | null {
  const here = realPath(base)
  for (const { name, folder, inside } of others) {
    const there = realPath(folder)
    if (here === there) return `is ${name} (${there})`
    if (isWithin(there, here)) return `contains ${name} (${there})`
    if (inside && isWithin(here, there)) return `is inside ${name} (${there})`
  }
  const names = namesIn(base)
  const own = namesIn(path.join(base, IMAGE_FOLDER))
  if (own.length > 0 && !own.includes(MARKER))
    return `has a folder ${IMAGE_FOLDER} that no cache made (it lacks ${MARKER}); use another folder, or empty that one`
  if (own.length > 0) return null
  const foreign = names.find((name) => !isHarmless(name) && countFormer(path.join(base, name)) === undefined)
  return foreign === undefined
    ? null
    : `contains files that are not the cache's (${foreign}); use an empty folder, or a new one inside it`
}

/** What may be there anyway: lost+found at a file system's root, our own folder, hidden files. */
const isHarmless = (name: string): boolean => name === 'lost+found' || name === IMAGE_FOLDER || name.startsWith('.')

/**
 * Counts files of a former release's cache in a folder; undefined if the name or any content shows that it is not one.
 */
function countFormer(folder: string, depth = FORMER_DEPTH): number | undefined {
  if (!FORMER_FOLDER.test(path.basename(folder)) || !isFolder(folder)) return undefined
  let count = 0
  for (const name of namesIn(folder)) {
    const entry = path.join(folder, name)
    if (isFolder(entry)) {
      const inside = depth > 1 ? countFormer(entry, depth - 1) : undefined
      if (inside === undefined) return undefined
      count += inside
    } else {
      // A name without an extension is a temporary file's in `tmp`; elsewhere it would be a blob's.
      if (!FORMER_FILE.test(name) || !(name.includes('.') || path.basename(folder) === 'tmp')) return undefined
      count++
    }
  }
  return count
}

/** Deletes what a former release cached in the configured folder itself, unless anything else is there. */
async function removeFormer(base: string): Promise<void> {
  const names = namesIn(base).filter((name) => !isHarmless(name))
  const counts = names.map((name) => countFormer(path.join(base, name)))
  // Empty folders alone could be anybody's.
  if (counts.includes(undefined) || !counts.some(Boolean)) return
  for (const name of names) await fs.promises.rm(path.join(base, name), { recursive: true, force: true })
}

/** Deletes caches of processes that no longer exist: nothing would keep them within their limit. */
async function keepOnlyCaches(base: string, count: number): Promise<void> {
  const own = path.join(base, IMAGE_FOLDER)
  const names = namesIn(own)
  if (!names.includes(MARKER)) return
  for (const name of names) {
    const folder = path.join(own, name)
    if (!/^\d+$/.test(name) || Number(name) < count || !namesIn(folder).includes(MARKER)) continue
    await fs.promises.rm(folder, { recursive: true, force: true })
  }
}

/** Empty if the folder does not exist or cannot be read, in which case we cannot write to it either. */
function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder)
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

const isFolder = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Resolves every symbolic link, as far as the path exists. */
function realPath(given: string): string {
  const absolute = path.resolve(given)
  try {
    return fs.realpathSync(absolute)
  } catch {
    const above = path.dirname(absolute)
    return above === absolute ? absolute : path.join(realPath(above), path.basename(absolute))
  }
}

const isWithin = (inner: string, outer: string): boolean => {
  const relative = path.relative(outer, inner)
  return relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative)
}

/** Throws if the cache could do harm in its folder. */
export function assertCacheFolder(config: Config): void {
  if (config.imageCacheBytes === 0) return
  const database = databaseFile(config.databaseUrl)
  const storage = config.storageUrl.startsWith('file:') ? config.storageUrl.slice('file:'.length) : undefined
  const why = whyNot(config.imageCacheBase, [
    { name: 'DATA_DIR', folder: config.dataDir, inside: false },
    { name: 'the folder of blobs in DATA_DIR', folder: path.join(config.dataDir, 'blobs'), inside: true },
    ...(database === undefined
      ? []
      : [{ name: 'the folder of the database', folder: path.dirname(database), inside: false }]),
    ...(storage === undefined ? [] : [{ name: 'the folder of STORAGE_URL', folder: storage, inside: true }]),
  ])
  if (why !== null) throw new ConfigError([`IMAGE_CACHE_DIR (${config.imageCacheBase}) ${why}`])
}

/** Deletes caches that no process will use any more. Call it once the service has started. */
export async function tidyCaches(config: Config, processes: number): Promise<void> {
  if (config.imageCacheBytes === 0) return
  await keepOnlyCaches(config.imageCacheBase, processes)
  await removeFormer(config.imageCacheBase)
}
