import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Refusal } from '../../base/refusal.ts'
import type { Config } from '../../config/config.ts'
import { databaseFile } from '../../db/engine.ts'
import { unusableFile } from '../../db/file.ts'
import { storageFolder } from '../../drivers/open.ts'

const uid = process.getuid?.() ?? os.userInfo().username

/** Throws if this process cannot write to a folder or create it; `variable` is the setting that names it. */
export function assertWritable(folder: string, variable: string): void {
  const whole = path.resolve(folder)
  let there = whole
  while (!fs.existsSync(there) && there !== path.dirname(there)) there = path.dirname(there)
  try {
    fs.accessSync(there, fs.constants.W_OK | fs.constants.X_OK)
  } catch {
    const where = there === whole ? 'is not writable' : `cannot be created: ${there} is not writable`
    throw new Refusal(`${variable} ${whole} ${where} for uid ${uid}.`)
  }
  if (!fs.statSync(there).isDirectory()) throw new Refusal(`${variable} ${whole}: ${there} is not a folder.`)
}

/** Throws if a service with this configuration could not write to its folders. */
export function assertFolders({ dataDir, databaseUrl, storageUrl }: Config): void {
  const data = path.resolve(dataDir)
  /** Reports DATA_DIR for folders inside it: that is what has to be changed. */
  const assert = (folder: string, variable: string): void => {
    const inside = folder === data || folder.startsWith(`${data}${path.sep}`)
    if (inside) assertWritable(data, 'DATA_DIR')
    assertWritable(folder, folder === data ? 'DATA_DIR' : variable)
  }
  const file = databaseFile(databaseUrl)
  if (file !== undefined) assert(path.dirname(path.resolve(file)), 'The folder of DATABASE_URL')
  assertOwnDatabaseFile(databaseUrl)
  const storage = storageFolder(storageUrl)
  if (storage !== undefined) assert(storage, 'The folder of STORAGE_URL')
}

/** Throws if a SQLite database belongs to another user, for example one that root created. */
export function assertOwnDatabaseFile(databaseUrl: string): void {
  const foreign = unusableFile(databaseUrl)
  if (foreign) throw new Refusal(`The database file ${foreign} is not readable and writable for uid ${uid}.`)
}
