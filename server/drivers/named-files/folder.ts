import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { ifThere } from '../fs/bytes.ts'
import type { NamedFile, NamedFiles } from './named-files.ts'

/** Of a file that is not complete. */
const DRAFT = '.draft'

/** Named files in a folder, which only its owner can read. */
export function namedFilesIn(root: string): NamedFiles {
  const known = new Set<string>()
  const fileOf = (name: string): string => path.join(root, ...name.split('/'))

  /** Creates a file's folder, and syncs those that got a new entry. */
  async function makeFolder(folder: string): Promise<void> {
    if (known.has(folder)) return
    const first = await fs.promises.mkdir(folder, { recursive: true, mode: 0o700 })
    if (first !== undefined)
      for (let one = folder; one.length >= path.dirname(first).length; one = path.dirname(one)) await syncFolder(one)
    known.add(folder)
  }

  return {
    async put(name, bytes) {
      const file = fileOf(name)
      const folder = path.dirname(file)
      const draft = `${file}.${randomUUID()}${DRAFT}`
      try {
        await makeFolder(folder)
        await fs.promises.writeFile(draft, bytes, { flag: 'wx', mode: 0o600, flush: true })
        await fs.promises.rename(draft, file)
        await syncFolder(folder)
      } catch (error) {
        known.delete(folder)
        await fs.promises.rm(draft, { force: true }).catch(() => undefined)
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
    async remove(name) {
      await fs.promises.rm(fileOf(name), { force: true })
    },
    close: () => undefined,
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.promises.open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
