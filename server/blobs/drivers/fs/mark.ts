import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { MARK } from '../driver.ts'
import { isMissing } from './bytes.ts'

/** Which instance the folder of a storage belongs to; null where it has no mark, or is not there. */
export async function ownerOfFolder(root: string): Promise<string | null> {
  try {
    return (await fs.promises.readFile(path.join(root, MARK), 'utf8')).trim()
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Marks it unless it is marked: a mark is whole or not there, and no crash takes it back. */
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
