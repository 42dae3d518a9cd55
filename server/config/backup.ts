/** An access key of an S3 engine. */
export interface KeyPair {
  accessKeyId: string
  secretAccessKey: string
}
/** A place for copies of the database. */
export interface BackupPlace {
  /** As STORAGE_URL, or `storage:<name>`. */
  url: string
  /** For S3; null: the SDK's own lookup. */
  credentials: KeyPair | null
}
interface Values {
  BACKUP_URL: string
  STORAGE_URL: string
  S3_ACCESS_KEY_ID: string
  S3_SECRET_ACCESS_KEY: string
  BACKUP_S3_ACCESS_KEY_ID: string
  BACKUP_S3_SECRET_ACCESS_KEY: string
}

/**
 * Where the database is copied to; null: nowhere. An S3 engine that has the contents of objects has their names as well, unless
 * something else is said.
 */
export function backupOf(values: Values, databaseUrl: string): BackupPlace | null {
  if (values.BACKUP_URL === 'off' || !databaseUrl.startsWith('sqlite:')) return null
  if (values.BACKUP_URL) return { url: values.BACKUP_URL, credentials: backupKeys(values) }
  const below = belowStorage(values.STORAGE_URL)
  return below === undefined ? null : { url: below, credentials: storageKeys(values) }
}

export const storageKeys = (values: Values): KeyPair | null =>
  keysOf(values.S3_ACCESS_KEY_ID, values.S3_SECRET_ACCESS_KEY)
export const backupKeys = (values: Values): KeyPair | null =>
  keysOf(values.BACKUP_S3_ACCESS_KEY_ID, values.BACKUP_S3_SECRET_ACCESS_KEY) ?? storageKeys(values)

const keysOf = (accessKeyId: string, secretAccessKey: string): KeyPair | null =>
  accessKeyId ? { accessKeyId, secretAccessKey } : null

/** A text without the slashes at its end. */
function withoutSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end--
  return text.slice(0, end)
}

/** The folder `database` of a storage on an S3 engine; undefined for files. */
function belowStorage(storageUrl: string): string | undefined {
  const [, place, query = ''] = /^(s3:\/\/[^?]*)(\?.*)?$/.exec(storageUrl) ?? []
  return place === undefined ? undefined : `${withoutSlashes(place)}/database${query}`
}
