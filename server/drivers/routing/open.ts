import type { Config } from '../../config/config.ts'
import type { Keys } from '../../secrets/derive.ts'
import { isSealedWithCurrent, seal, unseal } from '../../secrets/seal.ts'
import type { BlobDriver } from '../driver.ts'
import type { ExternalRemover, ExternalSource, ExternalWriter } from '../external.ts'
import { fileDriver } from '../fs/driver.ts'
import { openS3, parseS3Url, storageFolder } from '../open.ts'
import type { S3Options } from '../s3/client.ts'
import type { StorageRow } from './store.ts'

const SECRET_PURPOSE = 'storage-secret'

/** A storage's secret as it is stored: encrypted, and together with its name, so that it cannot be moved to another row. */
export const sealSecret = (config: Config, name: string, secret: string): string =>
  seal(config, SECRET_PURPOSE, `${name}:${secret}`)

/** Throws if it is another storage's, or was encrypted with a SECRET_KEY that is no longer known. */
export function unsealSecret(config: Keys, name: string, sealed: string): string {
  const text = unseal(config, SECRET_PURPOSE, sealed)
  if (!text.startsWith(`${name}:`)) throw new Error(`The stored secret of the storage ${name} is another one's`)
  return text.slice(name.length + 1)
}

/** The same secret encrypted with the current SECRET_KEY. */
export const resealSecret = (config: Config, name: string, sealed: string): string =>
  isSealedWithCurrent(config, sealed) ? sealed : sealSecret(config, name, unsealSecret(config, name, sealed))

/** What of a row says where the storage is. */
export type Place = Pick<
  StorageRow,
  'name' | 'kind' | 'endpoint' | 'region' | 'bucket' | 'prefix' | 'path_style' | 'folder' | 'access_key_id' | 'secret'
>

/** Where a storage is, ready to be opened. */
export type Where = { kind: 's3'; s3: S3Options } | { kind: 'file'; folder: string }

/** Where a storage of the table is. */
export function whereOf(config: Keys, place: Place): Where {
  const { name, kind, bucket, prefix, endpoint, region, path_style, folder, access_key_id, secret } = place
  if (kind === 'file') return { kind, folder: folder ?? '' }
  const credentials =
    access_key_id === null || secret === null
      ? undefined
      : { accessKeyId: access_key_id, secretAccessKey: unsealSecret(config, name, secret) }
  const pathStyle = path_style === null ? undefined : path_style === 1
  const s3 = { bucket: bucket ?? '', prefix, endpoint: endpoint ?? undefined, region: region ?? undefined }
  return { kind, s3: { ...s3, pathStyle, credentials } }
}

/** Where the storage of STORAGE_URL is. */
export function whereOfDefault({ storageUrl, s3Credentials }: Config): Where {
  const folder = storageFolder(storageUrl)
  if (folder !== undefined) return { kind: 'file', folder }
  return { kind: 's3', s3: { ...parseS3Url(storageUrl), credentials: s3Credentials ?? undefined } }
}

/**
 * Opens a storage. Its clients are never sent there directly. `existing`: whether a folder must have been used before;
 * otherwise it is created.
 */
export const openWhere = async (where: Where, { existing }: { existing: boolean }): Promise<BlobDriver> =>
  where.kind === 'file' ? fileDriver(where.folder, { existing }) : openS3(where.s3)

/** Opens the bucket of an S3 engine to read what others keep there. */
export async function openSource(where: Where): Promise<ExternalSource> {
  if (where.kind === 'file') throw new Error('it is a folder')
  const { s3Source } = await import('../s3/source.ts')
  return s3Source(where.s3)
}

/** Opens the bucket of an S3 engine to remove there what others kept and is ours now. */
export async function openRemover(where: Where): Promise<ExternalRemover> {
  if (where.kind === 'file') throw new Error('it is a folder')
  const { s3Remover } = await import('../s3/remover.ts')
  return s3Remover(where.s3)
}

/** Opens the bucket of an S3 engine to write objects there under keys of their own. */
export async function openWriter(where: Where): Promise<ExternalWriter> {
  if (where.kind === 'file') throw new Error('it is a folder')
  const { s3Writer } = await import('../s3/writer.ts')
  return s3Writer(where.s3)
}

/** Whether what is sent to an S3 engine is protected by TLS on its way. Without an endpoint, it is AWS. */
export const isSecure = ({ endpoint }: Pick<Place, 'endpoint'>): boolean =>
  endpoint === null || endpoint.toLowerCase().startsWith('https:')
