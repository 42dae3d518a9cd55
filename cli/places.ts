import path from 'node:path'
import { isBucketName, isKeyText } from '../contract/names.ts'
import { UsageError } from './config.ts'

/** What a path in the service begins with: two letters, since one would be a drive on Windows. */
export const SCHEME = 'sr:'
/** How it began in earlier releases, which scripts may still use. */
const FORMER_SCHEME = 'stow:'

/** The path without its scheme; undefined for one that is not in the service. */
function withoutScheme(text: string): string | undefined {
  const scheme = [SCHEME, FORMER_SCHEME].find((one) => text.startsWith(one))
  return scheme && text.slice(scheme.length)
}

/** Whether a path is in the service. */
export const isRemote = (text: string): boolean => withoutScheme(text) !== undefined
/** Whether a path is the service as a whole. */
export const isWholeService = (text: string): boolean => withoutScheme(text) === ''

export interface RemotePlace {
  kind: 'remote'
  bucket: string
  /** A key or key prefix, taken literally: nothing in it is decoded. */
  key: string
}
export interface LocalPlace {
  kind: 'local'
  path: string
}
/** Standard input or output. */
export interface PipePlace {
  kind: 'pipe'
}
export type Place = RemotePlace | LocalPlace | PipePlace

/** `sr:bucket/key` is in the service, `-` a pipe, everything else a local path. */
export function parsePlace(text: string): Place {
  if (text === '-') return { kind: 'pipe' }
  const remote = withoutScheme(text)
  if (remote === undefined) {
    if (text === '') throw new UsageError('The path is empty.')
    return { kind: 'local', path: text }
  }
  const [bucket = '', ...rest] = remote.split('/')
  const key = rest.join('/')
  if (!isBucketName(bucket)) throw new UsageError(`${text}: "${bucket}" is not a valid bucket name.`)
  if (!isKeyText(key, 0)) throw new UsageError(`${text}: keys must be at most 1024 bytes of UTF-8.`)
  return { kind: 'remote', bucket, key }
}

export function remotePlace(text: string): RemotePlace {
  const place = parsePlace(text)
  if (place.kind !== 'remote') throw new UsageError(`${text} is a local path: write ${SCHEME}bucket/key`)
  return place
}

/** A bucket's name from user input, with or without the scheme. */
export function bucketName(text: string): string {
  const place = parsePlace(isRemote(text) ? text : SCHEME + text)
  if (place.kind === 'remote' && place.key === '') return place.bucket
  throw new UsageError(`${text} is not a bucket.`)
}

/** A bucket, or what is below a prefix of it. */
export function prefixedPlace(target: string): { bucket: string; prefix: string } {
  if (!isRemote(target)) return { bucket: bucketName(target), prefix: '' }
  const { bucket, key } = remotePlace(target)
  return { bucket, prefix: key }
}

/** The prefix of all keys in a folder: empty for the whole bucket, else ending with a slash. */
export const folderOf = ({ key }: Pick<RemotePlace, 'key'>): string =>
  key === '' || key.endsWith('/') ? key : `${key}/`

export const show = (bucket: string, key: string): string => printable(`${SCHEME}${bucket}/${key}`)

/** A name for display in a terminal, with control characters and line breaks escaped. */
export const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (one) => {
    const code = one.charCodeAt(0)
    return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`
  })

/** What an attached bucket shows, or where what was taken over lies, for display. */
export const showSource = ({ bucket, prefix, storage }: { bucket: string; prefix: string; storage: string }): string =>
  printable(`s3://${bucket}/${prefix} on the storage ${storage}`)

/** Names that Windows rejects or interprets differently. */
const isReserved = (name: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\\:*?"<>|\x01-\x1f]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name)

/**
 * The local path of an object below a folder, from the rest of its key; throws if a file system would interpret it
 * differently. `..`, an empty segment or a leading slash never become part of a path.
 */
export function localPath(root: string, rest: string, platform: NodeJS.Platform = process.platform): string {
  const segments = rest.split('/')
  for (const one of segments) {
    const nowhere = one === '' || one === '.' || one === '..' || one.includes('\0')
    if (nowhere || (platform === 'win32' && isReserved(one))) throw new Error('the key is not a valid file path')
  }
  return path.join(root, ...segments)
}
