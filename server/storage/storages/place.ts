import path from 'node:path'
import { ServiceError } from '../../../contract/errors.ts'
import type { StorageKind } from '../../../contract/storages.ts'
import { invalid } from '../../base/invalid.ts'
import { trimEndOf } from '../../base/trim-end.ts'
import type { Config } from '../../config/config.ts'
import { storageFolder } from '../../drivers/open.ts'
import { type Place, sealSecret } from '../../drivers/routing/open.ts'
import type { StorageRow } from '../../drivers/routing/store.ts'

export const storageMissing = (name: string): ServiceError =>
  new ServiceError('not_found', `There is no storage "${name}".`)

/** Where a storage is, and how to get in. */
export interface PlaceFields {
  kind?: StorageKind | undefined
  endpoint?: string | null | undefined
  region?: string | null | undefined
  bucket?: string | null | undefined
  prefix?: string | undefined
  path_style?: boolean | null | undefined
  folder?: string | null | undefined
  access_key_id?: string | null | undefined
  secret_access_key?: string | null | undefined
}

const fieldsOf = {
  s3: ['endpoint', 'region', 'bucket', 'prefix', 'path_style', 'access_key_id', 'secret_access_key'],
  file: ['folder'],
} as const satisfies { [kind in StorageKind]: readonly (keyof PlaceFields)[] }

/** The columns of a place that is asked for; its secret sealed for this name. Throws invalid_request. */
export function placeOf(config: Config, name: string, given: PlaceFields): Place {
  const { kind = 's3', secret_access_key: secret = null, path_style = null, prefix = '', ...fields } = given
  const other = fieldsOf[kind === 's3' ? 'file' : 's3'].find(
    (field) => given[field] !== undefined && given[field] !== null,
  )
  if (other !== undefined) throw invalid(`body.${other}`, `is not allowed for a storage of the kind ${kind}`)
  const { endpoint = null, region = null, bucket = null, folder = null, access_key_id = null } = fields
  if (kind === 's3' && bucket === null) throw invalid('body.bucket', 'is required')
  if (kind === 'file') assertFolder(config, folder)
  assertPair(access_key_id, secret)
  return {
    name,
    kind,
    endpoint: withoutSlash(endpoint),
    region,
    bucket,
    access_key_id,
    prefix: asPrefix(prefix),
    path_style: path_style === null ? null : path_style ? 1 : 0,
    folder: folder === null ? null : path.resolve(folder),
    secret: secret === null ? null : sealSecret(config, name, secret),
  }
}

/** An endpoint in the one form in which it is stored. */
const withoutSlash = (endpoint: string | null): string | null => (endpoint === null ? null : trimEndOf(endpoint, '/'))

/** A prefix with the slash that ends it. */
export const asPrefix = (prefix: string): string => (prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`)

/** What a request says of a place, in the form in which it is stored. */
export const normalPlace = <P extends Pick<PlaceFields, 'endpoint' | 'prefix' | 'folder'>>(given: P): P => ({
  ...given,
  ...(given.endpoint === undefined ? {} : { endpoint: withoutSlash(given.endpoint) }),
  ...(given.prefix === undefined ? {} : { prefix: asPrefix(given.prefix) }),
  ...(given.folder ? { folder: path.resolve(given.folder) } : {}),
})

function assertPair(accessKeyId: string | null, secret: string | null): void {
  if (accessKeyId === null && secret !== null) throw invalid('body.access_key_id', 'is required with a secret')
  if (accessKeyId !== null && secret === null) throw invalid('body.secret_access_key', 'is required with an access key')
}

/** Throws invalid_request unless files may be stored in a folder. */
function assertFolder({ storageFolders, storageUrl }: Config, folder: string | null): void {
  if (folder === null) throw invalid('body.folder', 'is required')
  const whole = path.resolve(folder)
  const isIn = (outer: string) => whole === outer || whole.startsWith(outer + path.sep)
  if (!storageFolders.some(isIn))
    throw invalid('body.folder', 'must be in one of the folders that STORAGE_FOLDERS of the service names')
  const own = storageFolder(storageUrl)
  if (own !== undefined && (isIn(own) || own.startsWith(whole + path.sep)))
    throw invalid('body.folder', 'is the default storage')
}

/** What can be changed of a place. */
export type PlaceChange = Pick<
  PlaceFields,
  'endpoint' | 'region' | 'path_style' | 'access_key_id' | 'secret_access_key'
>

/** The columns that a change gives a storage. */
export function changePlace(config: Config, row: StorageRow, given: PlaceChange): Partial<Place> {
  const other = Object.keys(given).find((field) => !(fieldsOf[row.kind] as readonly string[]).includes(field))
  if (other !== undefined) throw invalid(`body.${other}`, `is not allowed for a storage of the kind ${row.kind}`)
  const { secret_access_key: secret, path_style, endpoint, region, access_key_id } = given
  const next = {
    ...(endpoint === undefined ? {} : { endpoint: withoutSlash(endpoint) }),
    ...(region === undefined ? {} : { region }),
    ...(path_style === undefined ? {} : { path_style: path_style === null ? null : path_style ? 1 : 0 }),
    ...(access_key_id === undefined ? {} : { access_key_id }),
    ...(secret === undefined ? {} : { secret: secret === null ? null : sealSecret(config, row.name, secret) }),
  } as Partial<Place>
  const { access_key_id: id, secret: sealed } = { ...row, ...next }
  assertPair(id, sealed)
  return next
}
