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

/**
 * Step: throws conflict if what a bucket is to be replicated to overlaps with bytes of our own, with those that were taken over,
 * or with the replica of another bucket.
 */
export async function assertFreeToReplicate(
  db: Db,
  config: Config,
  storage: StorageRow,
  { prefix, bucket }: { prefix: string; bucket: string },
): Promise<void> {
  const wanted = keysOf(config, storage, prefix)
  const own = (await ownKeys(db, config)).find(({ keys }) => overlap(keys, wanted))
  if (own) throw new ServiceError('conflict', `Strongroom keeps bytes of its own there, as the storage "${own.name}".`)
  const taken = (await attachedKeys(db, config)).find(({ mode, keys }) => mode !== 'read_only' && overlap(keys, wanted))
  if (taken) throw new ServiceError('conflict', `The bucket "${taken.name}" has its bytes there.`)
  const other = (await replicaKeys(db, config)).find(({ name, keys }) => name !== bucket && overlap(keys, wanted))
  if (other) throw new ServiceError('conflict', `The bucket "${other.name}" is replicated to some of it already.`)
}

/** Step: throws conflict if bytes of our own would lie among what is attached, or a replica. */
export async function assertFreeToOwn(db: Db, config: Config, storage: StorageRow): Promise<void> {
  const wanted = keysOf(config, storage, storage.prefix)
  const replica = (await replicaKeys(db, config)).find(({ keys }) => overlap(keys, wanted))
  if (replica)
    throw new ServiceError(
      'conflict',
      `The bucket "${replica.name}" is replicated there. Use another prefix for bytes of Strongroom's own.`,
    )
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

async function attachedKeys(db: Db, config: Config) {
  const storages = new Map((await listStorages(db)).map((row) => [row.id, row]))
  const attached = await db
    .selectFrom('attachments')
    .innerJoin('buckets', 'buckets.id', 'attachments.bucket_id')
    .select(['buckets.name', 'buckets.mode', 'attachments.storage_id', 'prefix'])
    .execute()
  return attached.map(({ name, mode, storage_id, prefix }) => ({
    name,
    mode,
    keys: keysOf(config, storages.get(storage_id) as StorageRow, prefix),
  }))
}

async function replicaKeys(db: Db, config: Config): Promise<{ name: string; keys: Keys | undefined }[]> {
  const storages = new Map((await listStorages(db)).map((row) => [row.id, row]))
  const replicas = await db
    .selectFrom('replications')
    .innerJoin('buckets', 'buckets.id', 'replications.bucket_id')
    .select(['buckets.name', 'replications.storage_id', 'prefix'])
    .where('buckets.deleted_at', 'is', null)
    .execute()
  return replicas.flatMap(({ name, storage_id, prefix }) => {
    const storage = storages.get(storage_id)
    return storage ? [{ name, keys: keysOf(config, storage, prefix) }] : []
  })
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
