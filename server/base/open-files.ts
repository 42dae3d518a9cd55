import fs from 'node:fs'

/** Files that a process has open besides those of requests: the database, the log, libraries, pipes, and some to spare. */
const OWN = 96
/** The part of the others that connections may take. The rest is for what is read and written for them, which can wait. */
const OF_CONNECTIONS = 3 / 4
/** Connections below this number would serve nobody. */
const LEAST = 16
/** With fewer files than this, nothing keeps one open that can be opened when it is needed. */
const FEW = 2048

/** How many files this process may have open (`ulimit -n`); Node itself raises that to the hard limit. Infinity if unknown. */
export function openFilesLimit(): number {
  try {
    const limit = /^Max open files +(\d+)/m.exec(fs.readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Whether files may be kept open only because they will be needed again. */
export const hasFilesToSpare = (): boolean => openFilesLimit() >= FEW

/**
 * How many connections a process can have with so many files, if that is fewer than `most` (0: any number); undefined if
 * there are enough files. `kept`: files that the storage keeps open.
 */
export function connectionsWithin(limit: number, most: number, kept: number): number | undefined {
  const fitting = Math.max(LEAST, Math.floor((limit - OWN - kept) * OF_CONNECTIONS))
  if (!Number.isFinite(limit)) return undefined
  return most === 0 || fitting < most ? fitting : undefined
}
