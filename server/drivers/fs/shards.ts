import fs from 'node:fs'
import { hasFilesToSpare } from '../../base/open-files.ts'
import { sharedSync } from '../../base/shared-sync.ts'
import type { FileCalls } from './bytes.ts'

/** One of the folders of a storage's blobs. */
export interface Shard {
  directory: string
  /** Syncs the folder; shared by everyone who needs it at the same time. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** Opens folders to sync them. They are kept open, unless this process may have few files open. */
export function openShards({ open, close, fsync }: FileCalls, folders: readonly string[]): Shard[] {
  const kept = hasFilesToSpare()
  return folders.map((directory) => {
    const held = kept ? fs.openSync(directory, 'r') : undefined
    const sync = async (): Promise<void> => {
      if (held !== undefined) return fsync(held)
      const fd = await open(directory, 'r')
      try {
        await fsync(fd)
      } finally {
        await close(fd)
      }
    }
    return { directory, sync: sharedSync(sync), close: async () => void (held !== undefined && (await close(held))) }
  })
}
