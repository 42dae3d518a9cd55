/** SQLITE_FULL, in the lowest byte of what node:sqlite tells. */
const SQLITE_FULL = 13
/** Of files; PostgreSQL's disk_full; and what S3 engines say. */
const CODES = new Set(['ENOSPC', 'EDQUOT', '53100', 'QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull'])

/** Whether something failed only because the disk, the database or the S3 engine has no space left. */
export function isStorageFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, errcode, status } = error as Error & { code?: unknown; errcode?: unknown; status?: unknown }
  const full = typeof errcode === 'number' && (errcode & 0xff) === SQLITE_FULL
  return full || status === 507 || (typeof code === 'string' && CODES.has(code)) || isStorageFull(error.cause)
}
