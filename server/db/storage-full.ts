import { ServiceError } from '../../contract/errors.ts'
import { isDatabaseFull } from './errors.ts'

/** Error codes of files and of S3 stores. */
const CODES = new Set(['ENOSPC', 'EDQUOT', 'QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull'])

/** Whether something failed only because the disk, the database or the S3 store is full. */
export function isStorageFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, status } = error as Error & { code?: unknown; status?: unknown }
  const full = isDatabaseFull(error) || status === 507 || (typeof code === 'string' && CODES.has(code))
  return full || isStorageFull(error.cause)
}

/** The refusal of what a full disk, or one that is almost full, has no room for. */
export const storageFull = () => new ServiceError('storage_full', 'The storage is full. Nothing was changed.')
