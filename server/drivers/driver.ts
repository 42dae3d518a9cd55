// What every driver of a storage does with blobs, and the errors it does it with. Their tests are tests/blobs/conformance*.ts.

import type { Readable } from 'node:stream'
import { ID } from '../../contract/names.ts'
import type { ByteRange } from '../base/byte-range.ts'
import type { RecyclingSource } from '../base/recycling-source.ts'

export interface StoredBlob {
  id: string
  /** Bytes. */
  size: number
  modified_at: Date
}
/** An entry in the storage that cannot be read. */
export interface DamagedEntry {
  /** Its path relative to the storage's root. */
  name: string
  /** The blob that belongs there; null for a whole folder of blobs. */
  id: string | null
  error: Error
}
/** A body small enough for one chunk is returned as bytes, any other as a stream. */
export type BlobBody = Uint8Array | (Readable & Partial<Pick<RecyclingStream, 'recycle'>>)
/** A stream that can reuse the memory of its chunks. */
export interface RecyclingStream extends Readable {
  /**
   * Hands a chunk's memory back: nothing may read it afterwards. Optional; the garbage collector gets the others. Ignores
   * what is not a chunk of this stream, or was recycled before.
   */
  recycle(chunk: Uint8Array): void
}

/** One part of a multipart blob. */
export interface StoredPart {
  /** 1 to 10,000. */
  number: number
  /** Bytes. */
  size: number
  /**
   * The engine's identifier for exactly this part: returned by putPart, or (S3) the ETag returned for a direct upload.
   */
  ref: string
}

/** Limits that differ between engines. */
export interface DriverTraits {
  /** Most bytes that one put or putPart holds in memory. */
  buffered: number
  /** Fewest bytes of a part that is not its blob's last. */
  leastPart: number
}

/** Immutable bytes under ids. Ids are UUIDs; every function rejects anything else at once. */
export interface BlobDriver {
  /**
   * Stores all bytes of `source` under `id`, which can be written only once, and returns their number. When it
   * resolves, they are durable and readable; when it rejects (source failed, disk full, id taken), this call has left
   * nothing that can be read under that id. Holds at most `buffered` bytes besides the chunk it last took, and takes
   * the next only when there is room. Chunks must not change once
   * yielded, unless the driver recycles them. A failure ends the iteration, which destroys
   * a source that is a stream. `size`, if known, saves a buffer on engines that must know it beforehand; it rejects if
   * the source yields a different number of bytes.
   */
  put(id: string, source: RecyclingSource, size?: number): Promise<number>
  /**
   * As `put`, in the place of whatever is under the id: a blob, even a damaged one, or one in parts. What was there can be read
   * until the new bytes are durable, and stays if this rejects, unless the engine has not answered. One caller at a time.
   */
  putOver(id: string, source: RecyclingSource, size: number): Promise<number>
  /** What differs between engines. Known before a storage is opened. */
  readonly traits: DriverTraits
  /**
   * The bytes of a blob of `size` bytes (according to its row), or a range within them. Rejects with BlobMissing if
   * there is no such blob or it is shorter. Bytes that vanish later are an error of the stream, never a short body. A
   * stream must be read to its end or destroyed.
   */
  get(id: string, size: number, range?: ByteRange): Promise<BlobBody>
  /**
   * Deletes a blob and whatever an interrupted put or unfinished parts left of it; no error if there is nothing. Reads
   * already started either continue or fail, but never return wrong bytes. Not synced: after a power failure the blob
   * may be back.
   */
  remove(id: string): Promise<void>
  /** Whether the engine can hold blobs, so that nobody can destroy them for a time. */
  holds(): Promise<boolean>
  /** Has the engine hold what is under an id until a time, or longer if it does already. Only where it `holds`. */
  hold(id: string, until: Date): Promise<void>
  /**
   * As `remove`, and whatever else the engine keeps of the blob. Resolves to the time from which the rest can be removed by the
   * same call, if the engine holds some; nothing can be read under the id meanwhile.
   */
  removeHeld(id: string): Promise<Date | null>
  /**
   * Starts a multipart blob; returns a handle for the calls below, which the caller stores. Nothing can be read under
   * the id before completeParts.
   */
  beginParts(id: string): Promise<string>
  /**
   * Durably stores one part of exactly `size` bytes and returns its ref. An earlier part with the same number stays
   * beside it until removePart, or (S3, where a number has one content) is replaced by the one that finishes last, also
   * if several arrive at once; on rejection an earlier one is unchanged. The caller stores which one counts.
   */
  putPart(id: string, handle: string, part: { number: number; size: number }, source: RecyclingSource): Promise<string>
  /**
   * Stores a range of another blob, of exactly `size` bytes, as a part like putPart, where that takes no reading of it: by
   * a link to the same file, or inside the engine. Null where it would take that, or where the other blob is not whole.
   */
  copyPart(
    id: string,
    handle: string,
    part: { number: number; size: number },
    from: Pick<StoredBlob, 'id' | 'size'>,
    range: ByteRange,
  ): Promise<string | null>
  /**
   * Deletes a part that another has replaced, unless any process's completeParts has taken it. No error if it is gone.
   */
  removePart(id: string, handle: string, part: Pick<StoredPart, 'number' | 'ref'>): Promise<void>
  /** The stored parts, all of each number, in order of number. Empty after completeParts and abortParts. */
  listParts(id: string, handle: string): Promise<StoredPart[]>
  /**
   * Makes these parts the blob, in order of number (numbers may be skipped). Never copies their bytes: costs O(parts).
   * Parts not named are deleted; an engine that cannot leave out a number (Ceph) rejects with
   * UnnamedPartsRefused instead, and changes nothing. Idempotent: called again after success, or after a crash halfway, it has the same result. Rejects with
   * BlobMissing if a part is missing, or if the blob was made of other parts: of concurrent callers with different parts
   * at most one succeeds.
   */
  completeParts(id: string, handle: string, parts: readonly StoredPart[]): Promise<void>
  /**
   * Stores ranges of another blob, in this order, as a new one, as `put` does; where the engine can copy, no byte passes
   * through the service. There, all ranges but the last must have at least `traits.leastPart` bytes. `onCopied` is awaited
   * after each range. Rejects with BlobMissing if the other blob is missing or shorter.
   */
  copyRanges(
    id: string,
    from: Pick<StoredBlob, 'id' | 'size'>,
    ranges: readonly ByteRange[],
    onCopied: () => Promise<void>,
  ): Promise<void>
  /** Deletes the parts. Idempotent; after completeParts it leaves the blob alone. */
  abortParts(id: string, handle: string): Promise<void>
  /**
   * A URL to which a client can PUT one part of exactly `size` bytes without credentials; null if parts must pass
   * through the service. `expiresIn` is in seconds.
   */
  partUrl(
    id: string,
    handle: string,
    number: number,
    options: { expiresIn: number; size: number },
  ): Promise<string | null>
  /**
   * A URL that returns the whole blob without credentials, under these headers; null if it must pass through the
   * service.
   */
  directUrl(
    id: string,
    options: { expiresIn: number; contentType: string; contentDisposition: string },
  ): Promise<string | null>
  /**
   * Every readable blob, in any order, in constant memory. Blobs stored or deleted meanwhile may be included or not.
   * With `onDamaged` it continues after an entry that cannot be read; otherwise it rejects there.
   */
  list(onDamaged?: (entry: DamagedEntry) => void): AsyncIterable<StoredBlob>
  /** The instance that the storage is marked as belonging to; null without a mark. */
  owner(): Promise<string | null>
  /** Durably marks the storage unless it is marked: `owner` then says whose it is. Of concurrent marks one wins. */
  claimFor(instance: string): Promise<void>
  /** Removes the mark if it is that of this instance; no error if it is not, or there is none. */
  unclaim(instance: string): Promise<void>
  /**
   * Moves a blob, even a damaged one, out of the way: until bringBack nothing can be read under its id, and `list` and
   * `remove` do not find it. Survives a power failure. No error if there is nothing.
   */
  setAside(id: string): Promise<void>
  /** Undoes setAside, unless there is a blob under the id by now. No error if nothing was set aside. */
  bringBack(id: string): Promise<void>
  /** What was set aside; `modified_at` says when. */
  listAside(): AsyncIterable<StoredBlob>
  /** Permanently deletes what was set aside; no error if there is nothing. */
  removeAside(id: string): Promise<void>
  /** Tries to write and delete a blob; rejects if that fails. */
  check(): Promise<void>
  /** Waits for puts in flight, then releases the storage; later puts reject. */
  close(): Promise<void>
}

export class BlobMissing extends Error {
  constructor(id: string, cause?: unknown) {
    super(`Blob ${id} is missing or incomplete in the storage`, { cause })
  }
}

/** The engine cannot make a blob without parts that were sent and are not named. */
export class UnnamedPartsRefused extends Error {
  constructor(id: string, cause?: unknown) {
    super(`Blob ${id} cannot be completed without every part that was sent`, { cause })
  }
}

/** Name of a storage's mark: a file or object beside the blobs, so that a copy of them includes it. */
export const MARK = 'instance-id'

/** The expected storage does not exist, or part of it is missing. */
export class StorageMissing extends Error {}

/** A storage that cannot be used now, as its message says. For those who call it, an outage. */
export class StorageAway extends Error {
  readonly outage = true
}

/** Whether a call failed only because the storage engine is currently unreachable or overloaded. */
export const isStorageOutage = (error: unknown): boolean =>
  error instanceof Error && (('outage' in error && error.outage === true) || isStorageOutage(error.cause))

/** Codes of engines that ask for fewer requests. */
const OVERLOADED = new Set(['SlowDown', 'ThrottlingException', 'TooManyRequests'])
/** Whether an outage is that of an engine that answers, but wants fewer requests. */
export const isOverload = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && OVERLOADED.has(String(error.code))) ||
    ('status' in error && error.status === 429) ||
    isOverload(error.cause))

/** A source has ended too early or too late for the size that was announced: not the storage's fault. */
export class WrongLength extends Error {}

/** Errors of a process or machine out of resources, which say nothing about the entry requested. */
const EXHAUSTED = new Set(['EMFILE', 'ENFILE', 'ENOMEM'])
/** Whether a call failed because this process or machine has as many files open as it may, or no memory left. */
export const isExhausted = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && typeof error.code === 'string' && EXHAUSTED.has(error.code)) || isExhausted(error.cause))
/**
 * Whether a call failed because of one entry in the storage (a file where a folder should be, an unreadable sector,
 * missing permissions), so that the same call may succeed for others.
 */
export const isDamage = (error: unknown): error is Error =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  !EXHAUSTED.has(error.code) &&
  !isStorageOutage(error)

const uuid = new RegExp(ID)
export const isBlobId = (name: string): boolean => uuid.test(name)
/** Throws unless `id` is a UUID: no name chosen by a user ever reaches a storage path. */
export function assertBlobId(id: string): void {
  if (!isBlobId(id)) throw new Error('Not a blob id')
}
