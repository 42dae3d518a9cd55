import { ServiceError } from '../../contract/errors.ts'
import type { ByteRange } from '../base/byte-range.ts'
import type { KeyOrder } from '../base/key-order.ts'
import { type BlobBody, StorageAway } from './driver.ts'

/** An object that others keep, as a list has it. */
export interface ListedObject {
  /** Whole, with the prefix that was asked for. */
  key: string
  size: number
  /** Without quotes; null if the engine gives none. */
  etag: string | null
  modified_at: Date
  storage_class: string | null
}

/** A key that cannot be an object of ours. */
export interface RefusedKey {
  /** The engine's bytes of it. */
  bytes: Buffer
  /** As it can be shown. */
  key: string
  reason: string
}

/** A part of a list, in the order that was asked for. */
export interface ListedPage {
  objects: ListedObject[]
  refused: RefusedKey[]
  /** With which to ask for the next part; undefined after the last. */
  next: string | undefined
}

/** An object as the engine says that it is now. */
export interface HeadOfObject extends ListedObject {
  version_id: string | null
  /** Whether its bytes have to be restored before they can be read. */
  archived: boolean
  content_type: string | undefined
  /** By their lower-case names. */
  headers: { [name: string]: string }
  metadata: { [name: string]: string }
  tagged: boolean
}

/** What identifies bytes that others keep. */
export interface ExternalRef {
  key: string
  version_id: string | null
  etag: string | null
  size: number
  /** Only counts without an ETag. */
  modified_at: string
}

/** Where a part of a list begins. */
export interface ListFrom {
  /** After this key; without it, with the first one. */
  after?: string | undefined
  /** The `next` of the part before. */
  next?: string | undefined
  /** How the engine is expected to order its list; default by bytes. */
  order?: KeyOrder | undefined
}

/** A bucket of an engine whose objects others keep. Only reads: there is nothing in it that could write. */
export interface ExternalSource {
  /**
   * Lists at most 1,000 objects under a prefix. Rejects with a ListingDisordered if they are not in the expected order, or
   * do not come after the key.
   */
  list(prefix: string, from: ListFrom): Promise<ListedPage>
  /** Undefined only if the engine says that there is no such object. */
  head(key: string): Promise<HeadOfObject | undefined>
  /**
   * The bytes, or a range of them. Rejects with ExternalChanged before the first byte if they are other ones by now, or
   * gone.
   */
  get(ref: ExternalRef, range?: ByteRange): Promise<BlobBody>
  /** Null if they may not be read. */
  tags(key: string, version: string | null): Promise<{ [name: string]: string } | null>
  close(): void
}

/** Removes what others kept and was taken over. */
export interface ExternalRemover {
  /**
   * Removes these bytes: their version, or the object while it still is what is known of it. `gone`: it was not there.
   * `changed`: others have written something else, which stays.
   */
  remove(ref: ExternalRef): Promise<'removed' | 'gone' | 'changed'>
  /** Rejects unless objects under a prefix may be removed. */
  probe(prefix: string): Promise<void>
  close(): void
}

/** What an object is besides its bytes. */
export interface Described {
  size: number
  content_type: string
  /** By their lower-case names. */
  headers: { [name: string]: string | undefined }
  metadata: { [name: string]: string }
  tags: { [name: string]: string }
}

/** How an object is written. */
export interface WriteOptions {
  /** Awaited before the request is complete that makes the object: where it rejects, there is none. */
  mayFinish?(): Promise<void>
  /** Aborts the requests. */
  signal?: AbortSignal
  /** The MD5 of all bytes, in hex, for the engine to compare; not of what is sent in parts. */
  md5?: string | null
  /** Whether the engine is to encrypt it, with a key of its own. */
  encrypt?: boolean
}

/** Writes objects of ours to a bucket of an engine, under keys of its users. */
export interface ExternalWriter {
  /** Resolves once the object is there; on failure, nothing of it is. */
  put(key: string, source: AsyncIterable<Uint8Array>, described: Described, options?: WriteOptions): Promise<void>
  /** Deletes what has a key; in a bucket that keeps versions, that stays behind a delete marker. No error if there is nothing. */
  remove(key: string): Promise<void>
  close(): void
}

/** What identified an object's bytes is not true any more. */
export class ExternalChanged extends StorageAway {
  constructor(cause?: unknown) {
    super('The object was changed on its storage while it was read; try again', { cause })
  }
}

/** Others have changed or removed bytes that were taken over from them. */
export class TakenOverBytesChanged extends ServiceError {
  constructor(cause?: unknown) {
    super('conflict', 'Others have changed or deleted the bytes of this object on their storage.', { cause })
  }
}

/** A list in another order than was expected: nothing can be concluded from what it lacks. */
export class ListingDisordered extends Error {
  /** The order in which this part of the list is; undefined if it is in none. */
  readonly order: KeyOrder | undefined
  constructor(message: string, order?: KeyOrder) {
    super(message)
    this.order = order
  }
}

/** An answer that no S3 engine should give. */
export class UnexpectedAnswer extends StorageAway {}
