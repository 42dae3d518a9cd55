import type { Readable } from 'node:stream'

/** Inclusive byte positions, as in RFC 9110 section 14. */
export interface ByteRange {
  start: number
  end: number
}
export interface StoredBlob {
  id: string
  size: number
  modified_at: Date
}
/** A body of one chunk comes as bytes, everything else as a stream. */
export type BlobBody = Uint8Array | Readable

/** Immutable bytes under ids. Ids are UUIDs; anything else is refused at once. */
export interface BlobDriver {
  /**
   * Stores all bytes of `source` under `id`, which is written once, and gives their number. When it resolves they are
   * durable and readable; when it rejects (source failed, disk full) nothing can be read under that id. Holds only a
   * few chunks in memory.
   */
  put(id: string, source: AsyncIterable<Uint8Array>): Promise<number>
  /**
   * The bytes of a blob of `size` bytes, or a range of them. Rejects with BlobMissing when there is no such blob. Bytes
   * that are not there any more (a truncated file) are an error of the stream, never a short body.
   */
  get(id: string, size: number, range?: ByteRange): Promise<BlobBody>
  /** Removes a blob and whatever an interrupted put left of it; no error when there is nothing. */
  remove(id: string): Promise<void>
  /** Every readable blob, in any order. */
  list(): AsyncIterable<StoredBlob>
  /** Rejects when blobs cannot be written and removed at this time. */
  check(): Promise<void>
  close(): Promise<void>
}

export class BlobMissing extends Error {
  constructor(id: string, cause?: unknown) {
    super(`Blob ${id} is missing or incomplete in the storage`, { cause })
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Throws unless `id` is a UUID: no name of a user's choice ever reaches a storage path. */
export function assertBlobId(id: string): void {
  if (!UUID.test(id)) throw new Error('Not a blob id')
}
