import fs from 'node:fs'
import path from 'node:path'
import { Refusal } from '../../base/refusal.ts'
import type { BackupPlace } from '../../config/backup.ts'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../db/schema.ts'
import { rowOf } from '../../db/sqlite-files.ts'
import { listMirrors } from '../../drivers/copies/store.ts'
import { MARK } from '../../drivers/driver.ts'
import { type Where, whereOf } from '../../drivers/routing/open.ts'
import { findStorage, findStorageById, type StorageRow } from '../../drivers/routing/store.ts'
import type { Keys } from '../../secrets/derive.ts'

/** Of a place that is a registered storage. */
const REGISTERED = 'storage:'
/** Its folder there. */
const FOLDER = 'database'

/** The registered storage that a BACKUP_URL names; undefined for others. */
const nameIn = (url: string): string | undefined =>
  url.startsWith(REGISTERED) ? url.slice(REGISTERED.length) : undefined

/** Where on a registered storage the database is copied to. Throws if it is not used. */
function placeOn(keys: Keys, name: string, row: StorageRow | undefined): BackupPlace {
  if (!row) throw new Error(`BACKUP_URL names the storage "${name}", which is not registered`)
  if (row.disabled_at !== null) throw new Error(`BACKUP_URL names the storage "${name}", which is turned off`)
  return folderIn(whereOf(keys, row), FOLDER)
}

/** A folder of a storage, or the storage itself. */
function folderIn(where: Where, folder: string): BackupPlace {
  if (where.kind === 'file') return { url: `file:${path.join(where.folder, folder)}`, credentials: null }
  const { bucket, prefix, endpoint, region, pathStyle, credentials = null } = where.s3
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries({ endpoint, region, path_style: pathStyle }))
    if (value !== undefined) asked.set(name, String(value))
  const query = asked.size > 0 ? `?${asked}` : ''
  return { url: `s3://${bucket}/${prefix}${folder}${query}`, credentials }
}

/** The registered storages that have the bytes of the default one. Those that are not used now are left out. */
export async function mirrorsOfDefault(config: Config, db: Db): Promise<BackupPlace[]> {
  if (!config.storagesEnabled) return []
  const row = (await listMirrors(db)).find(({ storage }) => storage === 0)
  const numbers = [row?.first, row?.second].filter((place) => typeof place === 'number' && place !== 0)
  const rows = await Promise.all(numbers.map((place) => findStorageById(db, place as number)))
  return rows.flatMap((one) => {
    if (!one || one.disabled_at !== null) return []
    const where = whereOf(config, one)
    // Without its mark, what is there is another disk.
    const isAway = where.kind === 'file' && !fs.existsSync(path.join(where.folder, MARK))
    return isAway ? [] : [folderIn(where, '')]
  })
}

/** The backup place of a service with this database; null if there is none, or it is a storage that is not used now. */
export async function placeFor(config: Config, db: Db | undefined): Promise<BackupPlace | null> {
  const { backup, storagesEnabled } = config
  const name = backup === null ? undefined : nameIn(backup.url)
  if (backup === null || name === undefined) return backup
  if (!db || !storagesEnabled) return null
  const row = await findStorage(db, name)
  return row && row.disabled_at === null ? placeOn(config, name, row) : null
}

/** The same where no database is open, for whoever copies this file. Throws where the storage is not used. */
export function placeOfFile(database: string, keys: Keys, backup: BackupPlace): BackupPlace {
  const name = nameIn(backup.url)
  if (name === undefined) return backup
  return placeOn(keys, name, rowOf<StorageRow>(database, 'select * from storages where name = ?', name))
}

/** Whether a service has to look up its backup place in the database. */
export const isRegistered = ({ url }: BackupPlace): boolean => nameIn(url) !== undefined

/** The place that a command is to read, before there is a database. Throws a Refusal where nothing says. */
export function placeToRead({ backup, backupCredentials }: Config, from: string | undefined): BackupPlace {
  if (from !== undefined) return { url: from, credentials: backupCredentials }
  if (backup === null) throw new Refusal('Say where the backup is: --from file:<folder> or s3://…, or BACKUP_URL.')
  if (isRegistered(backup))
    throw new Refusal(
      'BACKUP_URL names a registered storage, whose address is in the database. Give it with --from: for files "file:<folder>/database", for S3 "s3://<bucket>/<prefix>database?endpoint=…" (BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY).',
    )
  return backup
}
