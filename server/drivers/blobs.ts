import type { BlobDriver, DriverTraits } from './driver.ts'
import type { ExternalRemover, ExternalSource, ExternalWriter } from './external.ts'

/** A storage: null is that of STORAGE_URL, a number the id of another one's row. */
export type StorageId = number | null

/** Blobs on any storage: each call goes to the one that the blob's id says. Of bytes that others keep, only `get` works. */
export interface Blobs extends Omit<BlobDriver, 'traits' | 'owner' | 'claimFor' | 'unclaim'> {
  /** What differs between engines, of the one that has this blob. */
  traitsOf(id: string): Promise<DriverTraits>
  /** One storage; rejects with StorageAway. */
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
