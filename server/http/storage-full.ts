import { isDatabaseFull } from '../db/errors.ts'

/** Error codes of files and of S3 stores. */
const CODES = new Set(['ENOSPC', 'EDQUOT', 'QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull'])

/** Whether something failed only because the disk, the database or the S3 store is full. */
export function isStorageFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, status } = error as Error & { code?: unknown; status?: unknown }
  const full = isDatabaseFull(error) || status === 507 || (typeof code === 'string' && CODES.has(code))
  return full || isStorageFull(error.cause)
}
