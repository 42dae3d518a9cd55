import type { Logger } from 'pino'
import { openStorage } from './blobs/open.ts'
import type { Config } from './config.ts'
import type { System } from './context.ts'
import { type Database, openDatabase } from './db/open.ts'
import { isBeforeAnswer } from './observe/meter.ts'
import { databaseObserver } from './observe/telemetry.ts'

/** Opens the database of a configuration; what nobody waits for goes to the log. */
export const openDatabaseOf = (config: Config, log: Logger): Promise<Database> =>
  openDatabase(config.databaseUrl, {
    connections: config.databasePoolSize,
    observer: databaseObserver(config),
    // onSend in http/app.ts waits once for all that a request has read.
    answersWait: isBeforeAnswer,
    report: (error) => log.warn({ err: error }, 'database'),
  })

/** Does one thing with database, brought up to date, and storage, and closes both: without a service that goes on. */
export async function once<T>(config: Config, log: Logger, work: (system: System) => Promise<T>): Promise<T> {
  const database = await openDatabaseOf(config, log)
  const blobs = await openStorage(config)
  try {
    await database.migrate()
    const stopping = new AbortController().signal
    const background = () => undefined
    const now = () => new Date()
    return await work({ database, blobs, config, now, log, background, worksInBackground: false, stopping })
  } finally {
    await blobs.close()
    await database.close()
  }
}
