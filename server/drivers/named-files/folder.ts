import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { makeFolder, syncMade } from '../../base/make-folder.ts'
import { ifThere } from '../fs/bytes.ts'
import { syncFolder } from '../fs/folders.ts'
import type { NamedFile, NamedFiles } from './named-files.ts'

/** Of a file that is not complete. */
const DRAFT = '.draft'
/** What file systems say that know no second name for a file. */
const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** Named files in a folder, which only its owner can read. */
export function namedFilesIn(root: string): NamedFiles {
  const known = new Set<string>()
  const fileOf = (name: string): string => path.join(root, ...name.split('/'))

  /** Creates a file's folder, and syncs those that got a new entry. */
  function makeOnce(folder: string): void {
    if (known.has(folder)) return
    syncMade(makeFolder(folder))
    known.add(folder)
  }

  /** Writes a file completely before `name` gives it its own. */
  async function write(file: string, bytes: Buffer, name: (draft: string) => Promise<void>): Promise<void> {
    const folder = path.dirname(file)
    const draft = `${file}.${randomUUID()}${DRAFT}`
    try {
      makeOnce(folder)
      await fs.promises.writeFile(draft, bytes, { flag: 'wx', mode: 0o600, flush: true })
      await name(draft)
      await syncFolder(folder)
    } catch (error) {
      known.delete(folder)
      throw error
    } finally {
      await fs.promises.rm(draft, { force: true }).catch(() => undefined)
    }
  }

  return {
    put: (name, bytes) => write(fileOf(name), bytes, (draft) => fs.promises.rename(draft, fileOf(name))),
    async create(name, bytes) {
      const file = fileOf(name)
      try {
        await write(file, bytes, (draft) => fs.promises.link(draft, file))
        return true
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException
        if (code === 'EEXIST') return bytes.equals(await fs.promises.readFile(file))
        if (!WITHOUT_LINKS.has(code)) throw error
      }
      // A file system without links.
      try {
        await fs.promises.writeFile(file, bytes, { flag: 'wx', mode: 0o600, flush: true })
        await syncFolder(path.dirname(file))
        return true
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
        throw error
      }
    },
    get: (name) => ifThere(fs.promises.readFile(fileOf(name))),
    async list(prefix) {
      const found: NamedFile[] = []
      const folder = path.join(root, prefix)
      const entries = await ifThere(fs.promises.readdir(folder, { recursive: true, withFileTypes: true }))
      for (const entry of entries ?? []) {
        if (!entry.isFile() || entry.name.endsWith(DRAFT)) continue
        const file = path.join(entry.parentPath, entry.name)
        const stat = await ifThere(fs.promises.stat(file))
        if (stat) found.push({ name: path.relative(root, file).split(path.sep).join('/'), size: stat.size })
      }
      return found.sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    async folders(within) {
      const entries = await ifThere(fs.promises.readdir(path.join(root, within), { withFileTypes: true }))
      return (entries ?? []).flatMap((entry) => (entry.isDirectory() ? [`${within}${entry.name}/`] : [])).sort()
    },
    async remove(name) {
      await fs.promises.rm(fileOf(name), { force: true })
    },
    close: () => undefined,
  }
}
