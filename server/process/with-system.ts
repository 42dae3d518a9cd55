import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { System } from '../context.ts'
import type { Database } from '../db/database.ts'
import { openDatabase } from '../db/open.ts'
import { isBeforeAnswer } from '../observe/meter.ts'
import { databaseObserver } from '../observe/telemetry.ts'
import { assertMayWork, storageOfCommand } from './instance/join.ts'
import { publish } from './publish.ts'

/** Opens the database of a configuration; what nobody waits for goes to the log. */
export const openDatabaseOf = (config: Config, log: Logger, { existing = false } = {}): Promise<Database> =>
  openDatabase(config.databaseUrl, {
    connections: config.databasePoolSize,
    observer: databaseObserver(config),
    // onSend in http/app.ts waits once for all that a request has read.
    answersWait: isBeforeAnswer,
    report: (error) => log.warn({ err: error }, 'database'),
    existing,
  })

/**
 * Does one thing with the database and the storage of a service, beside it or without it, and closes both. Opens what is
 * there: it makes nothing, brings no schema up to date, and throws a Refusal where the two and the key are not of one
 * service. `needs.storage`: whether it is to begin only where the storage is there.
 */
export async function once<T>(
  config: Config,
  log: Logger,
  needs: { storage: boolean },
  work: (system: System) => Promise<T>,
): Promise<T> {
  await assertMayWork(config, needs)
  const database = await openDatabaseOf(config, log, { existing: true })
  return withOpened({ database, blobs: storageOfCommand(config), config, log }, work)
}

/** Does one thing with a database and a storage, without a service that goes on, and closes both. */
export async function withOpened<T>(
  opened: Pick<System, 'database' | 'blobs' | 'config' | 'log'>,
  work: (system: System) => Promise<T>,
): Promise<T> {
  try {
    const stopping = new AbortController().signal
    const background = () => undefined
    const now = () => new Date()
    return await work({ ...opened, publish, now, background, worksInBackground: false, stopping })
  } finally {
    await opened.blobs.close()
    await opened.database.close()
  }
}
