import fs from 'node:fs'
import path from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'
import { type Config, ConfigError, IMAGE_FOLDER } from '../../config/config.ts'
import { databaseFile } from '../../db/engine.ts'

/** Name of the marker in every folder that the cache may empty. */
const MARKER = '.strongroom-image-cache'
const MARKER_TEXT = "Strongroom's cache of rendered images. Safe to delete while the service is stopped.\n"

/**
 * Creates a cache folder and places a marker in it and in its parent. Does nothing if both have one. Rejects if it
 * cannot be written.
 */
export async function claimFolder(folder: string): Promise<void> {
  for (const one of [path.dirname(folder), folder]) {
    makeFolder(one)
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
  const own = namesIn(path.join(base, IMAGE_FOLDER))
  if (own.length > 0 && !own.includes(MARKER))
    return `has a folder ${IMAGE_FOLDER} that no cache made (it lacks ${MARKER}); use another folder, or empty that one`
  if (own.length > 0) return null
  const foreign = namesIn(base).find((name) => !isHarmless(name))
  return foreign === undefined
    ? null
    : `contains files that are not the cache's (${foreign}); use an empty folder, or a new one inside it`
}

/** What may be there anyway: lost+found at a file system's root, our own folder, hidden files. */
const isHarmless = (name: string): boolean => name === 'lost+found' || name === IMAGE_FOLDER || name.startsWith('.')

/** Empty if the folder does not exist or cannot be read, in which case we cannot write to it either. */
function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder)
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

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

/**
 * Deletes the caches of processes that no longer exist, which nothing would limit. Call it once the service has started.
 */
export async function tidyCaches({ imageCacheBase, imageCacheBytes }: Config, processes: number): Promise<void> {
  if (imageCacheBytes === 0) return
  const own = path.join(imageCacheBase, IMAGE_FOLDER)
  const names = namesIn(own)
  if (!names.includes(MARKER)) return
  for (const name of names) {
    const folder = path.join(own, name)
    if (!/^\d+$/.test(name) || Number(name) < processes || !namesIn(folder).includes(MARKER)) continue
    await fs.promises.rm(folder, { recursive: true, force: true })
  }
}
