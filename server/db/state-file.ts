import fs from 'node:fs'
import path from 'node:path'
import { syncFolder } from '../base/make-folder.ts'

/** What a small file holds; undefined if there is none, or not a whole one. */
export function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as T
  } catch {
    return undefined
  }
}

/** Puts a file in the place of the former at once. Without `synced`, a power failure may bring that back, or leave none. */
export function writeJson(file: string, value: object, { synced = false } = {}): void {
  const draft = `${file}.new`
  fs.writeFileSync(draft, JSON.stringify(value), { mode: 0o600, flush: synced })
  fs.renameSync(draft, file)
  if (synced) syncFolder(path.dirname(path.resolve(file)))
}
