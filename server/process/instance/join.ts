import path from 'node:path'
import { Refusal } from '../../base/refusal.ts'
import type { Config } from '../../config/config.ts'
import type { System } from '../../context.ts'
import { databaseFile } from '../../db/engine.ts'
import { lookInto } from '../../db/look.ts'
import { appliedMigrations, compareSchema } from '../../db/migrate.ts'
import type { Db, Row } from '../../db/schema.ts'
import { type BlobDriver, isStorageOutage } from '../../drivers/driver.ts'
import { explain } from '../../drivers/explain.ts'
import { lazyStorage } from '../../drivers/lazy.ts'
import { openStorage, storageFolder } from '../../drivers/open.ts'
import { assertServiceKeys } from '../../encryption/service-keys.ts'
import { assertNotFenced } from '../backup/fence.ts'
import { assertFolders, assertOwnDatabaseFile } from './folders.ts'
import { assertKey, assertKeyOfService, noteKey, prepareEncryption } from './key.ts'
import { assertFits, assertOwner, claimStorage, inspectStorage, type StorageLook } from './storage.ts'
import { readInstance } from './store.ts'

/** What an operator has explicitly accepted. */
export interface Accepted {
  newKey: boolean
  newStorage: boolean
}

/** The contents of a database that has a schema, before it is opened. */
interface Seen {
  db: Db
  lacking: readonly string[]
  /** Migrations of a later release, which this one can live with. */
  later: readonly string[]
  instance: Row<'instance'>
}

/** Throws a Refusal where the keys of encrypted contents cannot be read, in a schema that has any. */
const assertReadable = async (config: Config, { db, lacking }: Seen): Promise<void> => {
  if (!lacking.includes(ENCRYPTION)) await assertServiceKeys(config, db)
}
const ENCRYPTION = '0040-encryption-breaking'

/** Throws a Refusal where another instance has taken over from this database. */
const assertMayWrite = async (config: Config, { db, lacking }: Seen): Promise<void> => {
  if (!lacking.includes(EPOCH)) await assertNotFenced(config, db)
}
const EPOCH = '0045-epoch'

const see = <T>(config: Pick<Config, 'databaseUrl'>, look: (seen: Seen | undefined) => Promise<T>): Promise<T> =>
  lookInto(config.databaseUrl, async (db) => {
    const applied = db ? await appliedMigrations(db) : []
    if (!db || applied.length === 0) return look(undefined)
    const { lacking, later } = compareSchema(applied)
    return look({ db, lacking, later, instance: await readInstance(db) })
  })

/** Whether anything was ever stored in this database. */
export const hasSchema = (databaseUrl: string): Promise<boolean> => see({ databaseUrl }, async (seen) => !!seen)

/** Throws a Refusal unless a service may start on this database, storage and key; changes nothing either way. */
export async function assertMayServe(config: Config, accepted: Accepted): Promise<void> {
  assertFolders(config)
  const compare = async (): Promise<void> => {
    // Read before the database: an instance is recorded there before the storage names it.
    const look = await unlessAway(inspectStorage(config))
    await see(config, async (seen) => {
      assertKey(config, seen?.instance.key_fingerprint ?? null, accepted.newKey)
      if (seen && !accepted.newKey) await assertReadable(config, seen)
      const database = { id: seen?.instance.id ?? null, db: seen?.db }
      if (look) await assertFits(config, look, database, accepted.newStorage)
      if (seen) await assertMayWrite(config, seen)
    })
  }
  try {
    await compare()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // Another replica may be starting for the first time, and have progressed between the two reads.
    await compare()
  }
}

/** Throws a Refusal unless a release with this key may change the schema of this database. */
export const assertMayUpgrade = (config: Config): Promise<void> =>
  see(config, async (seen) => assertKey(config, seen?.instance.key_fingerprint ?? null, false))

/** Returns undefined while the storage cannot be reached. */
const unlessAway = (look: Promise<StorageLook>): Promise<StorageLook | undefined> =>
  look.catch((error: unknown) => {
    if (isStorageOutage(error)) return undefined
    throw new Refusal(`The storage of STORAGE_URL cannot be used. ${explain(error)}`, { cause: error })
  })

/**
 * Records that database, key and storage belong together; throws a Refusal if they do not. Returns the storage to use:
 * while it cannot be reached, nothing in it is touched before this is known.
 */
export async function join(system: System, storage: BlobDriver, accepted: Accepted): Promise<BlobDriver> {
  const { config, log, database } = system
  const { id } = await noteKey(system, accepted.newKey)
  await prepareEncryption(system, accepted.newKey)
  const settle = () => claimStorage(config, storage, { id, db: database.db }, accepted.newStorage)
  try {
    await settle()
    return storage
  } catch (error) {
    if (!isStorageOutage(error)) throw error
    const reason = explain(error)
    log.warn({ err: error, reason }, 'the storage cannot be reached; its owner will be checked before it is used')
    return lazyStorage(storage.traits, async () => {
      await settle()
      return storage
    })
  }
}

/**
 * Throws a Refusal unless a command may work on this configuration's service. `storage`: whether it also needs the
 * storage; otherwise it is enough that the storage is not known to be another database's.
 */
export async function assertMayWork(config: Config, { storage }: { storage: boolean }): Promise<void> {
  assertOwnDatabaseFile(config.databaseUrl)
  const look = await unlessAway(inspectStorage(config))
  await see(config, async (seen) => {
    if (!seen) throw noDatabase(config.databaseUrl)
    const { instance, lacking } = seen
    if (lacking.length > 0)
      throw new Refusal(
        'The schema of the database is older than this release. Start the service once, which brings it up to date.',
      )
    assertKeyOfService(config, instance.key_fingerprint)
    await assertReadable(config, seen)
    if (look) assertOwner(config, look, instance.id)
    if (storage && look?.owner === null) throw noStorage(config)
    await assertMayWrite(config, seen)
  })
  // Reports a missing or incomplete storage.
  if (storage) await (await openExisting(config)).close()
}

/** Throws a Refusal unless this configuration's database may be moved: it has to have the schema of this release. */
export async function assertMayMove(config: Config): Promise<void> {
  await assertMayWork(config, { storage: false })
  await see(config, async (seen) => {
    if (seen && seen.later.length > 0)
      throw new Refusal(
        `The schema of the database is newer than this release (${seen.later.join(', ')}). Run the command of that release.`,
      )
  })
}

const openExisting = (config: Config) =>
  openStorage(config, undefined, { existing: true }).catch((error: Error) => {
    throw new Refusal(`${error.message}.`, { cause: error })
  })

/** A command's storage, opened on first use. Commands only read and remove, so that they need no traits. */
export const storageOfCommand = (config: Config) =>
  lazyStorage({ buffered: 0, leastPart: 0 }, () => openExisting(config))

export const noDatabase = (databaseUrl: string): Refusal => {
  const file = databaseFile(databaseUrl)
  const where =
    file === undefined ? 'The database of DATABASE_URL is empty.' : `There is no database at ${path.resolve(file)}.`
  return new Refusal(
    `${where} Run the command with the same environment as the service (DATA_DIR, DATABASE_URL): only the service creates a database.`,
  )
}

const noStorage = ({ storageUrl }: Config): Refusal => {
  const folder = storageFolder(storageUrl)
  const where = folder === undefined ? 'The storage of STORAGE_URL' : `The storage ${folder}`
  return new Refusal(
    `${where} cannot be found, or no service has used it with this database yet. Check STORAGE_URL and DATA_DIR.`,
  )
}
