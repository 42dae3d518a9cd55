import type { ByteRange } from '../base/byte-range.ts'
import type { Expected } from './copies/expected.ts'
import type { BlobBody, BlobDriver, DriverTraits } from './driver.ts'
import type { ExternalRemover, ExternalSource, ExternalWriter } from './external.ts'

/** A storage: null is that of STORAGE_URL, a number the id of another one's row. */
export type StorageId = number | null

/** What is done with each copy for itself. */
type Holding = 'holds' | 'hold' | 'removeHeld'

/** Blobs on any storage: each call goes to the one that the blob's id says. Of bytes that others keep, only `get` works. */
export interface Blobs
  extends Omit<BlobDriver, 'traits' | 'get' | 'putOver' | 'owner' | 'claimFor' | 'unclaim' | Holding> {
  /**
   * As a driver's `get`. With `expected`, each segment is compared with its checksum, if there is one, before any byte of it
   * is passed on: rejects with SegmentDamaged, or ends the stream with it.
   */
  get(id: string, size: number, range?: ByteRange, expected?: Expected): Promise<BlobBody>
  /** The same of the copies at some places alone: all of it, from the first of them where that is whole. */
  getFrom(places: readonly number[], id: string, size: number, expected: Expected): Promise<BlobBody>
  /** The places at which a blob has or is to have copies, that which is read first before the other. 0 is that of STORAGE_URL. */
  placesOf(id: string): Promise<number[]>
  /** What is at a place, whichever storages have their bytes there; rejects with StorageAway. */
  place(place: number): Promise<BlobDriver>
  /** Has this process read again which storages have copies. */
  refreshCopies(): void
  /** What differs between engines, of the one that has this blob. */
  traitsOf(id: string): Promise<DriverTraits>
  /** One storage, with its copies; rejects with StorageAway. */
  driver(storage: StorageId): Promise<BlobDriver>
  /** What others keep on a storage; rejects with StorageAway. */
  source(storage: number): Promise<ExternalSource>
  /** To remove there what was taken over; rejects with StorageAway. */
  remover(storage: number): Promise<ExternalRemover>
  /** To write objects there under keys of their own; rejects with StorageAway. */
  writer(storage: number): Promise<ExternalWriter>
  /** Has this process read a storage's row again before it is next used. */
  refresh(storage: number): void
}
