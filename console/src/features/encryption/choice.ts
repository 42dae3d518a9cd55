import type { BucketEncryption } from '../../../../contract/encryption.ts'

/** A default encryption as the value of a list: `none`, `AES256`, or `aws:kms` with the name of the key. */
export const choiceOf = (encryption: BucketEncryption | null): string =>
  encryption === null
    ? 'none'
    : encryption.key === undefined
      ? encryption.algorithm
      : `${encryption.algorithm} ${encryption.key}`

/** The inverse. */
export function encryptionOf(choice: string): BucketEncryption | null {
  if (choice === 'none') return null
  if (choice === 'AES256') return { algorithm: 'AES256' }
  return { algorithm: 'aws:kms', key: choice.slice('aws:kms '.length) }
}
