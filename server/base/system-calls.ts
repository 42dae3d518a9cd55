import fs from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

/** How long to wait for a file to be closed where no more may be open, and between two tries, in milliseconds. */
const PATIENCE_MS = 2000
const PAUSE_MS = 20

/** Opens files; where this process or machine has as many open as it may, waits for others to be closed. */
function patientOpen() {
  const openOnce = promisify(fs.open)
  return async (file: string, flags: string, mode?: number): Promise<number> => {
    for (let waited = 0; ; waited += PAUSE_MS)
      try {
        return await openOnce(file, flags, mode)
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if ((code !== 'EMFILE' && code !== 'ENFILE') || waited >= PATIENCE_MS) throw error
        await pause(PAUSE_MS)
      }
  }
}

/**
 * The file system's calls on file descriptors, as promises over the callback functions: reading 4 KiB through a
 * FileHandle takes 1.7 times as long.
 */
export function systemCalls() {
  const { writev: writeSome, read: readSome } = fs
  return {
    open: patientOpen(),
    close: promisify(fs.close),
    fstat: promisify(fs.fstat),
    fsync: promisify(fs.fsync),
    fdatasync: promisify(fs.fdatasync),
    rename: promisify(fs.rename),
    unlink: promisify(fs.unlink),
    /** Writes at the current position, perhaps only part; resolves to how many bytes. */
    writev: (fd: number, chunks: Uint8Array[]): Promise<number> =>
      new Promise((resolve, reject) =>
        writeSome(fd, chunks, (error, written) => (error ? reject(error) : resolve(written))),
      ),
    /** Reads up to `length` bytes at `position` of the file to `offset` of the buffer; resolves to how many. */
    read: (
      fd: number,
      buffer: Uint8Array,
      { offset, length, position }: { offset: number; length: number; position: number },
    ): Promise<number> =>
      new Promise((resolve, reject) =>
        readSome(fd, buffer, offset, length, position, (error, got) => (error ? reject(error) : resolve(got))),
      ),
  }
}
