const MIB = 1024 ** 2
/** Files up to here go in one request, larger ones in parts. */
export const SMALL_BYTES = 8 * MIB
const PARTS_AIMED_AT = 9000

/** Bytes of each part of a large file: few enough parts, whole mebibytes. */
export const partSizeFor = (size: number): number => Math.max(SMALL_BYTES, Math.ceil(size / PARTS_AIMED_AT / MIB) * MIB)

/** In the order of what needs people's eyes first. */
export const states = [
  'error',
  'conflict',
  'running',
  'completing',
  'paused',
  'checking',
  'queued',
  'lost',
  'done',
  'skipped',
  'cancelled',
] as const
/**
 * `lost`: begun before the page was reloaded; its file has to be shown again. `conflict`: the key is taken, and nobody
 * has said what to do.
 */
export type State = (typeof states)[number]
export type IfTaken = 'ask' | 'replace' | 'skip' | 'both'
export type Choice = Exclude<IfTaken, 'ask'>

/** States in which something is still to be sent. */
export const unsent: readonly State[] = ['running', 'completing', 'paused', 'checking', 'queued', 'conflict', 'error']
export const over: readonly State[] = ['done', 'skipped', 'cancelled']

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
/** What stands where a file wants to go; nulls where nobody may know. */
export interface Clash {
  size: number | null
  modified: string | null
}
/** The upload in parts on the server. */
export interface Multipart {
  id: string
  partSize: number
  /** ETags of the parts that have arrived. */
  parts: Map<number, string>
  urls: Map<number, string>
  /** Whether `parts` is what the server has: not so after a reload, or when it was left alone for long. */
  known: boolean
}

export interface Item {
  readonly id: string
  readonly batch: Batch
  /** Below the batch's prefix. */
  readonly path: string
  /** The folder it came with; '' for single files. */
  readonly group: string
  readonly size: number
  readonly modified: number
  key: string
  file: File | undefined
  state: State
  sent: number
  /** May replace what is there. */
  overwrite: boolean
  /** An earlier attempt may have got through without our hearing of it. */
  uncertain: boolean
  problem: Problem | undefined
  clash: Clash | undefined
  /** The last number its name was given to keep both. */
  copies: number
  upload: Multipart | undefined
  /** Of a file that went in parts before a reload. */
  fingerprint: string | undefined
  /** Stops what runs for it. */
  running: AbortController | undefined
}

export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36).padStart(7, '0')).join('')

/** The first folder of a path, or ''. */
export const groupOf = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '')

/** `photo.jpg` as `photo (2).jpg`. */
export function numbered(key: string, n: number): string {
  const slash = key.lastIndexOf('/') + 1
  const dot = key.lastIndexOf('.')
  const end = dot > slash ? dot : key.length
  return `${key.slice(0, end)} (${n})${key.slice(end)}`
}
