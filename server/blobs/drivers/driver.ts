import type { Readable } from 'node:stream'
import type { ByteRange } from '../../base/byte-range.ts'

export interface StoredBlob {
  id: string
  /** Bytes. */
  size: number
  modified_at: Date
}
/** Something in the storage that cannot be looked at. */
export interface DamagedEntry {
  /** Where it is, below the storage's root. */
  name: string
  /** Of the blob whose place it is; null of a whole folder of them. */
  id: string | null
  error: Error
}
/** A body small enough for one chunk comes as bytes, everything else as a stream. */
export type BlobBody = Uint8Array | Readable

/** One part of a blob that arrives in parts. */
export interface StoredPart {
  /** 1 to 10,000. */
  number: number
  /** Bytes. */
  size: number
  /** What the engine knows this very part by: given by putPart, or (S3) the ETag that a direct upload answered. */
  ref: string
}

/** Immutable bytes under ids. Ids are UUIDs; every function refuses anything else at once. */
export interface BlobDriver {
  /**
   * Stores all bytes of `source` under `id`, which is written once, and gives their number. When it resolves they are
   * durable and readable; when it rejects (source failed, disk full, id taken) this call has left nothing that can be
   * read under that id. Holds at most `buffered` bytes besides the chunk it last took, and takes the next only when there
   * is room. Chunks must not change after they were given. A failure ends the iteration, which destroys a source that is
   * a stream. `size`, where it is known, spares engines that must know it beforehand a buffer; it rejects when the source
   * gives another number of bytes.
   */
  put(id: string, source: AsyncIterable<Uint8Array>, size?: number): Promise<number>
  /** What one put or putPart holds in memory at most, in bytes. */
  readonly buffered: number
  /**
   * The bytes of a blob of `size` bytes (what its row says), or a range of them, which lies within `size`. Rejects with
   * BlobMissing when there is no such blob or it is shorter than that. Bytes that vanish later are an error of the
   * stream, never a short body. A stream has to be read to its end or destroyed.
   */
  get(id: string, size: number, range?: ByteRange): Promise<BlobBody>
  /**
   * Removes a blob and whatever an interrupted put or unfinished parts left of it; no error when there is nothing. Reads
   * that began before go on or fail, but never give wrong bytes. Not synced: after a power failure the blob may be back.
   */
  remove(id: string): Promise<void>
  /**
   * Begins a blob that arrives in parts; gives a handle for the calls below, which the caller keeps. Nothing can be read
   * under the id before completeParts.
   */
  beginParts(id: string): Promise<string>
  /**
   * Stores one part of exactly `size` bytes durably and gives its ref. An earlier one under the number stays beside it
   * until removePart, or (S3, where a number has one content) the latest one finished takes its place, also where several
   * arrive at once; when it rejects, an earlier one is as it was. Which one counts is the caller's to write down.
   */
  putPart(
    id: string,
    handle: string,
    part: { number: number; size: number },
    source: AsyncIterable<Uint8Array>,
  ): Promise<string>
  /**
   * Removes a part that another one has taken the place of, unless completeParts has taken it up, in whatever process. No
   * error when it is gone.
   */
  removePart(id: string, handle: string, part: Pick<StoredPart, 'number' | 'ref'>): Promise<void>
  /** The parts that are there, all of each number, in order of number. Empty after completeParts and abortParts. */
  listParts(id: string, handle: string): Promise<StoredPart[]>
  /**
   * Makes these parts, in order of number (numbers may be left out), the blob. Never copies their bytes: costs
   * O(parts). Parts not named are removed, or (Ceph, of numbers not named) make it reject. Idempotent: called again after
   * it succeeded, or after a crash in its midst, it ends the same. Rejects with BlobMissing when a part is not there, or
   * when the blob was made of others: of several callers at the same time with different parts at most one succeeds.
   */
  completeParts(id: string, handle: string, parts: readonly StoredPart[]): Promise<void>
  /** Removes the parts; idempotent, also after completeParts, whose blob it leaves alone. */
  abortParts(id: string, handle: string): Promise<void>
  /**
   * A URL to which a client PUTs one part without credentials, `size` bytes exactly; null where parts come through us.
   * `expiresIn` in seconds.
   */
  partUrl(
    id: string,
    handle: string,
    number: number,
    options: { expiresIn: number; size: number },
  ): Promise<string | null>
  /** A URL that gives the whole blob without credentials under these headers; null where it is given by us. */
  directUrl(
    id: string,
    options: { expiresIn: number; contentType: string; contentDisposition: string },
  ): Promise<string | null>
  /**
   * Every readable blob, in any order, in constant memory. What is put or removed meanwhile may be in it or not. With
   * `onDamaged` it goes on after an entry that cannot be looked at, else it rejects there.
   */
  list(onDamaged?: (entry: DamagedEntry) => void): AsyncIterable<StoredBlob>
  /** Which instance the storage is marked as belonging to; null where it has no mark. */
  owner(): Promise<string | null>
  /** Marks the storage durably, unless it is marked: `owner` then says whose it is. Of several at once one stays. */
  claimFor(instance: string): Promise<void>
  /**
   * Moves a blob, also a damaged one, out of the way: until bringBack nothing can be read under its id, and `list` and
   * `remove` do not find it. Survives a power failure. No error when there is nothing.
   */
  setAside(id: string): Promise<void>
  /** Undoes setAside, unless there is a blob under the id by now. No error when nothing was set aside. */
  bringBack(id: string): Promise<void>
  /** What was set aside, and as `modified_at` when. */
  listAside(): AsyncIterable<StoredBlob>
  /** Removes what was set aside, for good; no error when there is nothing. */
  removeAside(id: string): Promise<void>
  /** Rejects when blobs cannot be written and removed at this time: it tries it. */
  check(): Promise<void>
  /** Waits for puts in flight, then lets go of the storage; later puts reject. */
  close(): Promise<void>
}

export class BlobMissing extends Error {
  constructor(id: string, cause?: unknown) {
    super(`Blob ${id} is missing or incomplete in the storage`, { cause })
  }
}

/** What marks a storage: a file or an object beside the blobs, so that a copy of them has it too. */
export const MARK = 'instance-id'

/** There is no storage where one has to be, or not all of it. */
export class StorageMissing extends Error {}

/** Whether a call failed only because the engine of the storage cannot be reached, or has too much to do, at this time. */
export const isStorageOutage = (error: unknown): boolean =>
  error instanceof Error && (('outage' in error && error.outage === true) || isStorageOutage(error.cause))

/** The process or the machine has run out of something: it says nothing about what was asked for. */
const EXHAUSTED = new Set(['EMFILE', 'ENFILE', 'ENOMEM'])
/**
 * Whether a call failed because of what is at this one place of the storage (a file where a folder should be, a sector
 * that cannot be read, a right that is missing), so that the same call may succeed for others.
 */
export const isDamage = (error: unknown): error is Error =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  !EXHAUSTED.has(error.code) &&
  !isStorageOutage(error)

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
export const isBlobId = (name: string): boolean => UUID.test(name)
/** Throws unless `id` is a UUID: no name of a user's choice ever reaches a storage path. */
export function assertBlobId(id: string): void {
  if (!isBlobId(id)) throw new Error('Not a blob id')
}
