import { ServiceError } from '../../../contract/errors.ts'

/** What a key is bound to, as the key service has to be told again to open it. */
export type EncryptionContext = Readonly<Record<string, string>>

/** One key of a key service. Every call rejects with what `unreachable` or `refused` make. */
export interface KeyService {
  /** A new key of 32 bytes, and the same as the service sealed it. */
  newKey(context: EncryptionContext): Promise<{ key: Uint8Array; sealed: string }>
  /** Opens what the service sealed. */
  open(sealed: string, context: EncryptionContext): Promise<Uint8Array>
  close(): void
}

/** How long a key service may take to answer, in milliseconds. */
export const TIMEOUT_MS = 5000

/** The answer to whoever needs a key of a service that does not answer. */
export const unreachable = (name: string, cause: unknown): ServiceError =>
  new ServiceError('busy', `The key service of the key "${name}" cannot be reached at the moment. Try again.`, {
    headers: { 'retry-after': '2' },
    unreachable: 'key_service',
    cause,
  })

/** The answer to whoever needs a key that the service does not have, or not for us. */
export const refused = (name: string, why: string, cause?: unknown): ServiceError =>
  new ServiceError('conflict', `The key "${name}" cannot be used: ${why}.`, {
    faults: [{ path: 'encryption.key', message: 'cannot be used' }],
    cause,
  })
