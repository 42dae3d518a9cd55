import path from 'node:path'
import { trimEndOf } from '../base/trim-end.ts'
import type { Config } from '../config/config.ts'
import type { BlobDriver } from './driver.ts'
import { fileDriver } from './fs/driver.ts'
import { type BlobObserver, observeBlobs } from './observe.ts'
import type { S3Credentials, S3Options } from './s3/client.ts'

export interface StorageOptions {
  /** For s3; default: the SDK's usual sources. */
  credentials?: S3Credentials | undefined
  /** For s3: whether clients upload and download directly at the engine, by signed URLs. */
  direct?: boolean | undefined
  /** For files: whether to throw StorageMissing instead of creating the folders. */
  existing?: boolean | undefined
}

/**
 * Opens the storage given by a URL: `file:<folder>`, where a relative folder is below the working directory, or
 * `s3://<bucket>[/<prefix>][?endpoint=http…&region=…&path_style=true|false]`. Throws on anything else, and if the
 * folder cannot be created. Use `check` to find out whether an S3 engine answers.
 */
export async function openBlobs(storageUrl: string, options: StorageOptions = {}): Promise<BlobDriver> {
  const folder = storageFolder(storageUrl)
  if (folder !== undefined) return fileDriver(folder, { existing: options.existing })
  if (!storageUrl.startsWith('s3:'))
    throw new Error('STORAGE_URL must be file:<folder> or s3://<bucket>; no other storage is supported')
  return openS3({ ...parseS3Url(storageUrl), ...options })
}

/** Opens a storage on an S3 engine, which is not asked for anything yet. */
export async function openS3(options: S3Options): Promise<BlobDriver> {
  // The SDK takes a third of a second to load.
  const { s3Driver } = await import('./s3/driver.ts')
  return s3Driver(options)
}

/** Opens a configuration's storage; `observe` is called for every call. */
export async function openStorage(
  { storageUrl, s3Credentials, directTransfers }: Config,
  observe?: BlobObserver,
  { existing }: Pick<StorageOptions, 'existing'> = {},
): Promise<BlobDriver> {
  const credentials = s3Credentials ?? undefined
  const driver = await openBlobs(storageUrl, { credentials, direct: directTransfers, existing })
  return observe ? observeBlobs(driver, observe) : driver
}

/** The folder of a file storage; undefined for others. */
export const storageFolder = (storageUrl: string): string | undefined => {
  const folder = /^file:(.+)$/s.exec(storageUrl)?.[1]
  return folder === undefined ? undefined : path.resolve(folder)
}

/** Where on an S3 engine a URL points. Errors never repeat the URL, which may contain a secret. */
export function parseS3Url(storageUrl: string): S3Options {
  const refuse = (why: string): never => {
    throw new Error(
      `STORAGE_URL: ${why}; expected s3://<bucket>[/<prefix>][?endpoint=http…&region=…&path_style=true|false]`,
    )
  }
  const url = URL.canParse(storageUrl) ? new URL(storageUrl) : refuse('not a URL')
  if (url.username || url.password) refuse('must not contain credentials')
  if (url.port || url.hash) refuse('must not contain a port or fragment')
  const bucket = url.hostname
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) refuse('not a valid bucket name')
  const known = ['endpoint', 'region', 'path_style']
  for (const name of url.searchParams.keys()) {
    if (!known.includes(name)) refuse(`only ${known.join(', ')} can be set`)
    if (url.searchParams.getAll(name).length > 1) refuse(`${name} is set twice`)
  }
  const given = (name: string): string | undefined => url.searchParams.get(name) || undefined
  const endpoint = given('endpoint')
  if (endpoint !== undefined) {
    const target = URL.canParse(endpoint) ? new URL(endpoint) : refuse('the endpoint is not a URL')
    if (!/^https?:$/.test(target.protocol)) refuse('the endpoint must be http or https')
    if (target.username || target.password) refuse('the endpoint must not contain credentials')
    if (target.search || target.hash) refuse('the endpoint must not have a query or fragment')
  }
  const pathStyle = given('path_style')
  if (pathStyle !== undefined && !/^(true|false)$/.test(pathStyle)) refuse('path_style must be true or false')
  let prefix = ''
  try {
    prefix = trimEndOf(decodeURIComponent(url.pathname).replace(/^\/+/, ''), '/')
  } catch {
    refuse('the prefix is not percent-encoded')
  }
  if (/[^\x20-\x7e]|\/\/|(^|\/)\.\.?(\/|$)/.test(prefix) || prefix.length > 512) refuse('not a valid prefix')
  return {
    bucket,
    prefix: prefix && `${prefix}/`,
    endpoint,
    region: given('region'),
    pathStyle: pathStyle === undefined ? undefined : pathStyle === 'true',
  }
}
