import fs from 'node:fs'
import path from 'node:path'
import { type Config, ConfigError, IMAGE_FOLDER } from '../../config/config.ts'
import { databaseFile } from '../../db/engine.ts'

/** Lies in every folder that the cache may empty. */
const MARKER = '.strongroom-image-cache'
const MARKER_TEXT = 'Rendered images that Strongroom keeps. May be removed while no service runs.\n'

/** Until 0.1 the cache lay in the configured folder itself: its folders, and its files in them. */
const FORMER_FOLDER = /^([0-9a-f]{2}|tmp|\d{1,3})$/
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const FORMER_FILE = new RegExp(`^${UUID}(\\.[\\w-]{1,22})?$`)
/** Its folders, in one another, are not deeper. */
const FORMER_DEPTH = 2

/**
 * Makes the folder of a cache, and says in it and in the one above that it is ours. Does nothing where both say so.
 * Rejects when it cannot be written.
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
 * Why this folder must not be used for the cache; null when it may. `others` are folders that hold what nobody may lose:
 * the cache must be none of them and hold none of them, and must not lie in one that `inside` says.
 */
function whyNot(base: string, others: readonly { name: string; folder: string; inside: boolean }[]): string | null {
  const here = realPath(base)
  for (const { name, folder, inside } of others) {
    const there = realPath(folder)
    if (here === there) return `is ${name} (${there})`
    if (isWithin(there, here)) return `holds ${name} (${there})`
    if (inside && isWithin(here, there)) return `lies in ${name} (${there})`
  }
  const names = namesIn(base)
  const own = namesIn(path.join(base, IMAGE_FOLDER))
  if (own.length > 0 && !own.includes(MARKER))
    return `has a folder ${IMAGE_FOLDER} that no cache has made (it lacks ${MARKER}); name another folder, or empty that one`
  if (own.length > 0) return null
  const foreign = names.find((name) => !isHarmless(name) && countFormer(path.join(base, name)) === undefined)
  return foreign === undefined
    ? null
    : `holds what is not the cache's (${foreign}); name an empty folder, or a new one in it`
}

/** What lies in the folder of a file system by itself, and hidden files. */
const isHarmless = (name: string): boolean => name === 'lost+found' || name === IMAGE_FOLDER || name.startsWith('.')

/** How many files of a former release's cache are in a folder; undefined where it is none, by its name or any in it. */
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
      // A name without an ending is a draft's; elsewhere it would be a blob's.
      if (!FORMER_FILE.test(name) || !(name.includes('.') || path.basename(folder) === 'tmp')) return undefined
      count++
    }
  }
  return count
}

/** Removes what a former release kept in the configured folder itself, unless anything else lies there. */
async function removeFormer(base: string): Promise<void> {
  const names = namesIn(base).filter((name) => !isHarmless(name))
  const counts = names.map((name) => countFormer(path.join(base, name)))
  // Empty folders alone may be anybody's.
  if (counts.includes(undefined) || !counts.some(Boolean)) return
  for (const name of names) await fs.promises.rm(path.join(base, name), { recursive: true, force: true })
}

/** Removes caches of processes that there are no longer, which nobody would keep within their limit. */
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

/** Nothing where there is no such folder, or none that we may read: then we cannot write there either. */
function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder)
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

const isFolder = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false

/** With every link followed, as far as the path exists. */
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

/** Refuses a folder in which the cache could do harm. */
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

/** Removes what no process will use any more; to be called when the service has started. */
export async function tidyCaches(config: Config, processes: number): Promise<void> {
  if (config.imageCacheBytes === 0) return
  await keepOnlyCaches(config.imageCacheBase, processes)
  await removeFormer(config.imageCacheBase)
}
