import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { MARK } from '../driver.ts'
import { isMissing } from './bytes.ts'

/** The instance that a storage folder belongs to; null if it has no mark or does not exist. */
export async function ownerOfFolder(root: string): Promise<string | null> {
  try {
    return (await fs.promises.readFile(path.join(root, MARK), 'utf8')).trim()
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Marks the folder unless it is marked. A mark is complete or absent, and survives any crash. */
export async function claimFolder(root: string, instance: string): Promise<void> {
  const temporary = path.join(root, `${MARK}.${randomUUID()}`)
  try {
    await fs.promises.writeFile(temporary, `${instance}\n`, { flag: 'wx', mode: 0o600, flush: true })
    await fs.promises.link(temporary, path.join(root, MARK)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await fs.promises.rm(temporary, { force: true })
  }
  const folder = await fs.promises.open(root, 'r')
  await folder.sync()
  await folder.close()
}
