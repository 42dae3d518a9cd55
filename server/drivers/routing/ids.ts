import { newId } from '../../base/id.ts'
import type { StorageId } from '../blobs.ts'

/** The storage of STORAGE_URL. */
export const DEFAULT = null

/** The highest id of a storage that fits into a blob's. */
export const MOST_STORAGES = 0x7ff
/** Set beside the storage's id in those of blobs that others keep there. */
const EXTERNAL = 0x800

/**
 * A new id for a blob on a storage. On the default one it is a UUIDv7. On any other it is a UUIDv8 (RFC 9562 section 5.8):
 * a UUIDv7 whose first 12 random bits are a flag, for bytes that others keep, and the storage's id, so that whoever has the
 * id of a blob knows where its bytes are.
 */
export function newBlobId(storage: StorageId): string {
  return storage === DEFAULT ? newId() : idWith(storage, 0)
}

/** A new id for bytes that others keep on a storage. */
export const newExternalId = (storage: number): string => idWith(storage, EXTERNAL)

function idWith(storage: number, flag: number): string {
  const id = newId()
  if (!Number.isInteger(storage) || storage < 1 || storage > MOST_STORAGES) throw new Error('Not the id of a storage')
  return `${id.slice(0, 14)}8${(storage | flag).toString(16).padStart(3, '0')}${id.slice(18)}`
}

/** The storage of a blob, by its id. */
export const storageOf = (id: string): StorageId =>
  id[14] === '8' ? Number.parseInt(id.slice(15, 18), 16) & MOST_STORAGES : DEFAULT

/** Whether a blob is bytes that others keep, by its id. */
export const isExternal = (id: string): boolean => id[14] === '8' && (id[15] as string) >= '8'

/** What the mark of a storage says: whose it is, and, of others than the default one, which. */
export const markOfStorage = (instance: string, storage: StorageId): string =>
  storage === DEFAULT ? instance : `${instance}/${storage}`

/** The part of an id that says its storage, after its 14th character; only for others than the default one. */
export const digitsOf = (storage: number): string => `8${storage.toString(16).padStart(3, '0')}`
