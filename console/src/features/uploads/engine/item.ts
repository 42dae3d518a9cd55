const MIB = 1024 ** 2
/** Files up to this size are sent in one request, larger ones in parts. */
export const SMALL_BYTES = 8 * MIB
const PARTS_AIMED_AT = 9000

/** The part size for a large file: whole mebibytes, and not too many parts. */
export const partSizeFor = (size: number): number => Math.max(SMALL_BYTES, Math.ceil(size / PARTS_AIMED_AT / MIB) * MIB)

/** Those that need attention first. */
export const states = [
  'error',
  'conflict',
  'running',
  'completing',
  'full',
  'paused',
  'checking',
  'queued',
  'lost',
  'done',
  'skipped',
  'cancelled',
] as const
/**
 * `lost`: interrupted by a reload; the file has to be chosen again. `conflict`: the key exists and the user has not
 * decided yet. `full`: its bucket has no room; it waits until there is some, or the user tries again.
 */
export type State = (typeof states)[number]
export type IfTaken = 'ask' | 'replace' | 'skip' | 'both'
export type Choice = Exclude<IfTaken, 'ask'>

export const over: readonly State[] = ['done', 'skipped', 'cancelled']
/** States with something left to send. */
export const unsent: readonly State[] = states.filter((state) => state !== 'lost' && !over.includes(state))

/** Files that were added together. */
export interface Batch {
  id: string
  bucket: string
  prefix: string
  ifTaken: IfTaken
  handles: readonly FileSystemHandle[]
}
export interface Problem {
  title: string
  detail: string
  code: string
}
/** The existing object; nulls if the user cannot see it. */
export interface Clash {
  size: number | null
  modified: string | null
  /** Whether both have the same contents; undefined where that is not known. */
  identical?: boolean
}
/** The multipart upload on the server. */
export interface Multipart {
  id: string
  partSize: number
  /** ETags of the uploaded parts. */
  parts: Map<number, string>
  urls: Map<number, string>
  /** Whether `parts` matches the server; not after a reload or a long pause. */
  known: boolean
}

export interface Item {
  readonly id: string
  readonly batch: Batch
  /** Relative to the batch's prefix. */
  readonly path: string
  /** The folder it belongs to; '' for single files. */
  readonly group: string
  readonly size: number
  readonly modified: number
  key: string
  file: File | undefined
  state: State
  sent: number
  /** May replace an existing object. */
  overwrite: boolean
  /** An earlier attempt may have succeeded without a response. */
  uncertain: boolean
  problem: Problem | undefined
  clash: Clash | undefined
  /** The last number added to its name to keep both. */
  copies: number
  upload: Multipart | undefined
  /** For a file with parts sent before a reload. */
  fingerprint: string | undefined
  /** Stops its current work. */
  running: AbortController | undefined
}

export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36).padStart(7, '0')).join('')

/** A path's first folder, or ''. */
export const groupOf = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '')

/** `photo.jpg` as `photo (2).jpg`. */
export function numbered(key: string, n: number): string {
  const slash = key.lastIndexOf('/') + 1
  const dot = key.lastIndexOf('.')
  const end = dot > slash ? dot : key.length
  return `${key.slice(0, end)} (${n})${key.slice(end)}`
}
