import { ServiceError } from '../../../contract/errors.ts'
import { DEFAULT_STORAGE } from '../../../contract/storages.ts'
import { trimEndOf } from '../../base/trim-end.ts'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../db/schema.ts'
import { whereOf, whereOfDefault } from '../../drivers/routing/open.ts'
import { listStorages, type StorageRow } from '../../drivers/routing/store.ts'
import type { S3Options } from '../../drivers/s3/client.ts'

/** Keys of an engine's bucket. */
type Keys = Pick<S3Options, 'endpoint' | 'bucket' | 'prefix'>

/** Step: throws conflict if what is to be attached overlaps with bytes of our own, or with what is attached already. */
export async function assertFreeToAttach(db: Db, config: Config, storage: StorageRow, prefix: string): Promise<void> {
  const wanted = keysOf(config, storage, prefix)
  const own = (await ownKeys(db, config)).find(({ keys }) => overlap(keys, wanted))
  if (own) throw new ServiceError('conflict', `Strongroom keeps bytes of its own there, as the storage "${own.name}".`)
  const other = (await attachedKeys(db, config)).find(({ keys }) => overlap(keys, wanted))
  if (other) throw new ServiceError('conflict', `The bucket "${other.name}" shows some of it already.`)
}

/** Step: throws conflict if bytes of our own would lie among what is attached. */
export async function assertFreeToOwn(db: Db, config: Config, storage: StorageRow): Promise<void> {
  const wanted = keysOf(config, storage, storage.prefix)
  const other = (await attachedKeys(db, config)).find(({ keys }) => overlap(keys, wanted))
  if (other)
    throw new ServiceError(
      'conflict',
      `The bucket "${other.name}" shows what others keep there. Use another prefix for bytes of Strongroom's own.`,
    )
}

async function ownKeys(db: Db, config: Config): Promise<{ name: string; keys: Keys | undefined }[]> {
  const marked = (await listStorages(db)).filter(({ marked_at }) => marked_at !== null)
  const first = whereOfDefault(config)
  return [
    { name: DEFAULT_STORAGE, keys: first.kind === 's3' ? first.s3 : undefined },
    ...marked.map((row) => ({ name: row.name, keys: keysOf(config, row, row.prefix) })),
  ]
}

async function attachedKeys(db: Db, config: Config): Promise<{ name: string; keys: Keys | undefined }[]> {
  const storages = new Map((await listStorages(db)).map((row) => [row.id, row]))
  const attached = await db
    .selectFrom('attachments')
    .innerJoin('buckets', 'buckets.id', 'attachments.bucket_id')
    .select(['buckets.name', 'attachments.storage_id', 'prefix'])
    .execute()
  return attached.map(({ name, storage_id, prefix }) => ({
    name,
    keys: keysOf(config, storages.get(storage_id) as StorageRow, prefix),
  }))
}

/** Undefined for a storage of files. */
function keysOf(config: Config, storage: StorageRow, prefix: string): Keys | undefined {
  const where = whereOf(config, storage)
  return where.kind === 's3' ? { ...where.s3, prefix } : undefined
}

function overlap(a: Keys | undefined, b: Keys | undefined): boolean {
  if (!a || !b || a.bucket !== b.bucket || address(a.endpoint) !== address(b.endpoint)) return false
  return a.prefix.startsWith(b.prefix) || b.prefix.startsWith(a.prefix)
}

/** An endpoint as it is compared: without the default port, in lower case. */
const address = (endpoint: string | undefined): string =>
  endpoint === undefined ? 'aws' : trimEndOf(new URL(endpoint).href, '/')
