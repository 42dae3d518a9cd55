const SQLITE_BUSY = 5
const SQLITE_FULL = 13

/** The primary result code, which is the lowest byte of the extended one that node:sqlite reports. */
function resultOf(error: Error): number | undefined {
  const { errcode } = error as { errcode?: unknown }
  return typeof errcode === 'number' ? errcode & 0xff : undefined
}

/** Never: the file is opened before the service starts. */
export const isOutage = (): boolean => false

/** Whether another connection holds the lock. */
export const isBusy = (error: Error): boolean => resultOf(error) === SQLITE_BUSY

/** Whether the disk is full. */
export const isFull = (error: Error): boolean => resultOf(error) === SQLITE_FULL
