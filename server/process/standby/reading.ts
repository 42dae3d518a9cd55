import { ServiceError } from '../../../contract/errors.ts'
import { systemActor } from '../../access/actors.ts'
import type { Config } from '../../config/config.ts'
import { createContext, type System } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { openDatabaseToRead } from '../../db/open.ts'
import type { BlobDriver } from '../../drivers/driver.ts'
import { assertServiceKeys, latestServiceKey } from '../../encryption/service-keys.ts'
import { standbyRefuses } from '../../http/standby.ts'
import { databaseObserver } from '../../observe/telemetry.ts'
import { assertKeyOfService } from '../instance/key.ts'
import { assertOwner } from '../instance/storage.ts'
import { readInstance } from '../instance/store.ts'

/** The answer to every change on a standby. */
export const refuseOnStandby = (): Promise<never> =>
  Promise.reject(standbyRefuses('This is a standby, which only answers reads. Send changes to the main service.'))

/** Whether that is why something failed. */
export const isOfStandby = (error: unknown): boolean => error instanceof ServiceError && error.code === 'standby'

/** Opens the database of a standby for reading; throws a Refusal if this release cannot read it. */
export const openToRead = (config: Config): Promise<Database> =>
  openDatabaseToRead(config.databaseUrl, databaseObserver(config))

/**
 * Throws a Refusal unless a standby's database is read with its key, and the storage is not another one's. Changes
 * nothing. Returns the storage to use.
 */
export async function joinStandby(system: System, storage: BlobDriver): Promise<BlobDriver> {
  const { config, database } = system
  const { id, key_fingerprint } = await readInstance(database.db)
  assertKeyOfService(config, key_fingerprint)
  await assertServiceKeys(config, database.db)
  assertOwner(config, { owner: await storage.owner().catch(() => null), blobs: [] }, id)
  await latestServiceKey(createContext(system, systemActor))
  return storage
}
