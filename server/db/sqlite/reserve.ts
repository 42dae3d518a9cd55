import { randomFillSync } from 'node:crypto'
import fs from 'node:fs'
import type { Reserve } from '../database.ts'

const MIB = 1024 * 1024
/** Below this much free space a start would not find room for the files that SQLite creates beside the database. */
const START_NEEDS = MIB
/** For how long after it was let go everybody who finds the disk full may try again, in milliseconds. */
const RELEASED_LATELY_MS = 2000

const fileOf = (database: string): string => `${database}-reserve`

/** The reserve beside a database file. What an earlier process has kept there is found again. */
export function openReserve(database: string): Reserve {
  const file = fileOf(database)
  let releasedAt = Number.NEGATIVE_INFINITY
  let making: Promise<void> | undefined

  /** Random bytes, because a file system may compress others to nothing. */
  async function make(bytes: number): Promise<void> {
    const draft = `${file}.new`
    try {
      const handle = await fs.promises.open(draft, 'w', 0o600)
      try {
        const block = randomFillSync(Buffer.allocUnsafe(Math.min(bytes, MIB)))
        for (let at = 0; at < bytes; at += block.length)
          await handle.write(block, 0, Math.min(block.length, bytes - at), at)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await fs.promises.rename(draft, file)
    } catch (error) {
      // Another process of the service has just made it.
      if (sizeOf(file) === bytes) return
      await fs.promises.rm(draft, { force: true })
      throw error
    }
  }

  return {
    held: () => sizeOf(file),
    release() {
      const there = sizeOf(file) > 0
      if (there) {
        remove(file)
        releasedAt = performance.now()
      }
      return there || performance.now() - releasedAt < RELEASED_LATELY_MS
    },
    async keep(bytes) {
      if (sizeOf(file) === bytes) return
      making ??= make(bytes).finally(() => {
        making = undefined
      })
      await making
    },
  }
}

/** Lets the reserve of a database go before it is opened, if the disk has no room for what SQLite creates beside it. */
export function releaseIfFull(database: string): void {
  const file = fileOf(database)
  if (sizeOf(file) === 0) return
  const { bavail, bsize } = fs.statfsSync(file)
  if (bavail * bsize < START_NEEDS) remove(file)
}

const sizeOf = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Emptied first: a file system that copies on writing may have no room to change a folder. */
function remove(file: string): void {
  try {
    fs.truncateSync(file)
  } finally {
    fs.rmSync(file, { force: true })
  }
}
