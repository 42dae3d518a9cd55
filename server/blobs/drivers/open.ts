import path from 'node:path'
import type { Config } from '../../config/config.ts'
import type { BlobDriver } from './driver.ts'
import { fileDriver } from './fs/driver.ts'
import { type BlobObserver, observeBlobs } from './observed.ts'
import type { S3Credentials, S3Options } from './s3/client.ts'

export interface StorageOptions {
  /** For s3; without them the SDK looks where it always does. */
  credentials?: S3Credentials | undefined
  /** For s3: whether clients send and fetch bytes at the engine itself, by signed URLs. */
  direct?: boolean | undefined
  /** For files: whether to throw StorageMissing instead of making the folders. */
  existing?: boolean | undefined
}

/**
 * Opens the storage a URL names: `file:<folder>`, where a relative folder is below the working directory, or
 * `s3://<bucket>[/<prefix>][?endpoint=http…&region=…&path_style=true|false]`. Throws on anything else, and when the folder
 * cannot be made. Whether an S3 engine answers is for `check` to say.
 */
export async function openBlobs(storageUrl: string, options: StorageOptions = {}): Promise<BlobDriver> {
  const folder = storageFolder(storageUrl)
  if (folder !== undefined) return fileDriver(folder, { existing: options.existing })
  if (!storageUrl.startsWith('s3:'))
    throw new Error('STORAGE_URL has to be file:<folder> or s3://<bucket>; no other storage is supported')
  const parsed = parseS3Url(storageUrl)
  // The SDK takes a third of a second to load.
  const { s3Driver } = await import('./s3/driver.ts')
  return s3Driver({ ...parsed, ...options })
}

/** Opens the storage of a configuration; `observe` hears of every call. */
export async function openStorage(
  { storageUrl, s3Credentials, directTransfers }: Config,
  observe?: BlobObserver,
  { existing }: Pick<StorageOptions, 'existing'> = {},
): Promise<BlobDriver> {
  const credentials = s3Credentials ?? undefined
  const driver = await openBlobs(storageUrl, { credentials, direct: directTransfers, existing })
  return observe ? observeBlobs(driver, observe) : driver
}

/** The folder of a storage of files; undefined of others. */
export const storageFolder = (storageUrl: string): string | undefined => {
  const folder = /^file:(.+)$/s.exec(storageUrl)?.[1]
  return folder === undefined ? undefined : path.resolve(folder)
}

/** Never repeats the URL: somebody may have put a secret into it. */
function parseS3Url(storageUrl: string): S3Options {
  const refuse = (why: string): never => {
    throw new Error(`STORAGE_URL: ${why}; s3://<bucket>[/<prefix>][?endpoint=http…&region=…&path_style=true|false]`)
  }
  const url = URL.canParse(storageUrl) ? new URL(storageUrl) : refuse('not a URL')
  if (url.username || url.password) refuse('credentials do not belong in it')
  if (url.port || url.hash) refuse('a port or fragment does not belong in it')
  const bucket = url.hostname
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) refuse('not the name of a bucket')
  const known = ['endpoint', 'region', 'path_style']
  for (const name of url.searchParams.keys()) {
    if (!known.includes(name)) refuse(`only ${known.join(', ')} can be set`)
    if (url.searchParams.getAll(name).length > 1) refuse(`${name} is set twice`)
  }
  const given = (name: string): string | undefined => url.searchParams.get(name) || undefined
  const endpoint = given('endpoint')
  if (endpoint !== undefined) {
    const target = URL.canParse(endpoint) ? new URL(endpoint) : refuse('the endpoint is not a URL')
    if (!/^https?:$/.test(target.protocol)) refuse('the endpoint has to be http or https')
    if (target.username || target.password) refuse('credentials do not belong in it')
    if (target.search || target.hash) refuse('the endpoint has to end with its path')
  }
  const pathStyle = given('path_style')
  if (pathStyle !== undefined && !/^(true|false)$/.test(pathStyle)) refuse('path_style has to be true or false')
  let prefix = ''
  try {
    prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '')
  } catch {
    refuse('the prefix is not encoded as in a URL')
  }
  if (/[^\x20-\x7e]|\/\/|(^|\/)\.\.?(\/|$)/.test(prefix) || prefix.length > 512) refuse('not a prefix')
  return {
    bucket,
    prefix: prefix && `${prefix}/`,
    endpoint,
    region: given('region'),
    pathStyle: pathStyle === undefined ? undefined : pathStyle === 'true',
  }
}
