import type { Logger } from 'pino'
import { errors, ServiceError } from '../../contract/errors.ts'
import { isDatabaseOutage } from '../db/errors.ts'
import { isStorageFull, storageFull } from '../db/storage-full.ts'
import { BlobMissing, isExhausted, isOverload, isStorageOutage, StorageAway } from '../drivers/driver.ts'
import { KeyUnavailable, SegmentDamaged } from '../segments/cipher.ts'

const OUTAGE_RETRY_SECONDS = '2'

/**
 * What a request is answered with that ended in any error: a ServiceError is itself; a full disk and a database or
 * storage out of reach get one of their own, as does a storage that must not be used; anything else is `internal`, and hidden. All but the client's errors are
 * logged. `reads`: whether the request could not have changed anything.
 */
export function asServiceError(error: Error & { code?: unknown }, reads: boolean, log: Logger): ServiceError {
  if (error instanceof ServiceError) {
    if (error.code === 'busy') log.warn(error.message)
    else if (errors[error.code].status >= 500) log.error({ err: error }, error.message)
    return error
  }
  if (isStorageFull(error)) {
    log.error({ err: error }, 'no space left')
    return storageFull()
  }
  const headers = { 'retry-after': OUTAGE_RETRY_SECONDS }
  if (isExhausted(error)) {
    log.error({ err: error }, 'too many open files, or no memory left')
    return new ServiceError('busy', 'The service has too much to do at the moment. Try again.', { headers })
  }
  if (error instanceof BlobMissing) {
    log.error({ err: error }, 'bytes of an object are missing or incomplete')
    return new ServiceError(
      'damaged',
      'The bytes of this object are missing or incomplete in the storage. Trying again does not help: ask an administrator, who can restore them from a backup.',
    )
  }
  if (error instanceof SegmentDamaged || error instanceof KeyUnavailable) {
    log.error({ err: error }, 'bytes of an object were changed, or have lost their key')
    return new ServiceError(
      'damaged',
      'The bytes of this object were changed in the storage, or are encrypted and have lost their key. Trying again does not help: ask an administrator, who can restore them from a backup.',
    )
  }
  // One that cannot be opened because its engine does not answer is told below.
  if (error instanceof StorageAway && !isStorageOutage(error.cause)) {
    log.warn({ reason: error.message }, 'a storage cannot be used')
    return new ServiceError('busy', `${error.message}.`, { headers, unreachable: 'storage' })
  }
  const lost = isDatabaseOutage(error) ? 'database' : isStorageOutage(error) ? 'storage' : undefined
  if (!lost) {
    log.error({ err: error }, 'unexpected error')
    return new ServiceError('internal', 'An internal error occurred. Find it in the log by its request id.')
  }
  const { message, code } = error
  log.warn({ reason: message, ...(code === undefined ? {} : { reason_code: code }) }, `the ${lost} cannot be reached`)
  // It is then unknown whether a change was made.
  const what = lost === 'database' ? 'database' : 'storage of this bucket'
  const detail = `The ${what} cannot be reached at the moment. Try again.${
    reads ? '' : ' The change may or may not have been made.'
  }`
  if (lost === 'storage' && isOverload(error)) return new ServiceError('busy', detail, { headers })
  return new ServiceError('busy', detail, { headers, unreachable: lost })
}

/** Whether a request failed because its client disconnected; our own connections may be reset as well. */
export const isBrokenOff = (error: Error, request: { errored: Error | null; aborted: boolean }): boolean =>
  'code' in error && error.code === 'ECONNRESET' && (request.errored !== null || request.aborted)
