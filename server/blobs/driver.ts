import type { Readable } from 'node:stream'

/** Inclusive byte positions, as in RFC 9110 section 14. */
export interface ByteRange {
  start: number
  end: number
}
export interface StoredBlob {
  id: string
  /** Bytes. */
  size: number
  modified_at: Date
}
/** A body small enough for one chunk comes as bytes, everything else as a stream. */
export type BlobBody = Uint8Array | Readable

/** Immutable bytes under ids. Ids are UUIDs; every function refuses anything else at once. */
export interface BlobDriver {
  /**
   * Stores all bytes of `source` under `id`, which is written once, and gives their number. When it resolves they are
   * durable and readable; when it rejects (source failed, disk full, id taken) this call has left nothing that can be
   * read under that id. Holds at most 1 MiB besides the chunk it last took, and takes the next only when there is room.
   * Chunks must not change after they were given. A failure ends the iteration, which destroys a source that is a
   * stream.
   */
  put(id: string, source: AsyncIterable<Uint8Array>): Promise<number>
  /**
   * The bytes of a blob of `size` bytes (what its row says), or a range of them, which lies within `size`. Rejects with
   * BlobMissing when there is no such blob or it is shorter than that. Bytes that vanish later are an error of the
   * stream, never a short body. A stream has to be read to its end or destroyed.
   */
  get(id: string, size: number, range?: ByteRange): Promise<BlobBody>
  /**
   * Removes a blob and whatever an interrupted put left of it; no error when there is nothing. Reads that began before
   * go on or fail, but never give wrong bytes. Not synced: after a power failure the blob may be back.
   */
  remove(id: string): Promise<void>
  /** Every readable blob, in any order, in constant memory. What is put or removed meanwhile may be in it or not. */
  list(): AsyncIterable<StoredBlob>
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

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
export const isBlobId = (name: string): boolean => UUID.test(name)
/** Throws unless `id` is a UUID: no name of a user's choice ever reaches a storage path. */
export function assertBlobId(id: string): void {
  if (!isBlobId(id)) throw new Error('Not a blob id')
}
