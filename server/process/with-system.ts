import type { Logger } from 'pino'
import { agentGate } from '../access/agent-limits/gate.ts'
import type { Config } from '../config/config.ts'
import type { System } from '../context.ts'
import type { Database } from '../db/database.ts'
import { openDatabase } from '../db/open.ts'
import type { WriteTurn } from '../db/turn.ts'
import type { BlobDriver } from '../drivers/driver.ts'
import { currentMeter, isBeforeAnswer } from '../observe/meter.ts'
import { databaseObserver } from '../observe/telemetry.ts'
import { blobsOf } from './blobs.ts'
import { assertMayWork, storageOfCommand } from './instance/join.ts'
import { publish } from './publish.ts'

/** Opens the configured database; its background errors go to the log. `turn`: see `DatabaseOptions`. */
export const openDatabaseOf = (
  config: Config,
  log: Logger,
  { existing = false, turn }: { existing?: boolean; turn?: WriteTurn | undefined } = {},
): Promise<Database> =>
  openDatabase(config.databaseUrl, {
    connections: config.databasePoolSize,
    observer: databaseObserver(config),
    // onSend in fronts/api/app.ts waits once for all that a request has read.
    answersWait: isBeforeAnswer,
    arrived: () => currentMeter()?.began ?? Number.POSITIVE_INFINITY,
    report: (error) => log.warn({ err: error }, 'database'),
    migrated: (migration) =>
      log.info(
        { migration },
        migration.endsWith('-breaking')
          ? `applied the migration ${migration}: earlier releases can no longer use the database`
          : `applied the migration ${migration}`,
      ),
    existing,
    turn,
  })

/**
 * Runs one task with a service's database and storage, whether or not the service is running, and closes both. It only
 * opens what exists: it creates nothing and migrates nothing, and throws a Refusal where database, storage and key do
 * not belong to one service. `needs.storage`: fail early where the storage cannot be reached.
 */
export async function withSystem<T>(
  config: Config,
  log: Logger,
  needs: { storage: boolean },
  work: (system: System) => Promise<T>,
): Promise<T> {
  await assertMayWork(config, needs)
  const database = await openDatabaseOf(config, log, { existing: true })
  return withOpened({ database, storage: storageOfCommand(config), config, log }, work)
}

/** Runs one task with an open database and storage, without a running service, and closes both. */
export async function withOpened<T>(
  { storage, ...opened }: Pick<System, 'database' | 'config' | 'log'> & { storage: BlobDriver },
  work: (system: System) => Promise<T>,
): Promise<T> {
  const now = () => new Date()
  const stopping = new AbortController().signal
  const background = () => undefined
  const shared = { ...opened, agentGate, publish, now, background, worksInBackground: false, stopping }
  const blobs = blobsOf(shared, storage)
  try {
    return await work({ ...shared, blobs })
  } finally {
    await blobs.close()
    await opened.database.close()
  }
}
