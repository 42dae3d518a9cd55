import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

export const MiB = 1024 * 1024

/** On a disk, even where all else that the tests write is in memory (.ci/run). */
export const makeFolder = () => fs.mkdtempSync(path.join(process.env.TEST_DISK ?? os.tmpdir(), 'strongroom-blobs-'))

export const filesIn = (folder: string): string[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))

export const failure = (code: string) => Object.assign(new Error(code), { code })
