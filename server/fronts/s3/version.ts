import type { HeldBucket } from '../../storage/buckets/service.ts'
import { namedVersion, versionName } from '../../storage/retired/retire.ts'
import { invalidArgument } from './errors.ts'
import { type AnswerHeaders, type Exchange, parameter } from './exchange.ts'

const PRINTABLE = /^[\x21-\x7e]{1,1024}$/

/** The version that a text names: null is the `null` version, undefined none. Throws InvalidArgument. */
export function versionOf(name: string | undefined): string | null | undefined {
  if (name === undefined) return undefined
  if (name === '') throw invalidArgument('versionId', '', 'Version id cannot be the empty string')
  // Answers repeat it in a header.
  if (!PRINTABLE.test(name)) throw invalidArgument('versionId', name, 'Invalid version id specified')
  return namedVersion(name)
}

/** The version that a request names. */
export const versionIn = (exchange: Exchange): string | null | undefined => versionOf(parameter(exchange, 'versionId'))

/** How the answer to a write names what it made: `null` versions are not named there. */
export const writtenHeader = ({ version_id }: { version_id?: string | undefined }): AnswerHeaders => ({
  'x-amz-version-id': version_id === 'null' ? undefined : version_id,
})

/** How an answer names a version: not at all in a bucket that never kept any. */
export const versionHeader = (
  versioning: HeldBucket['versioning'],
  { version_id }: { version_id: string | null },
): AnswerHeaders => ({ 'x-amz-version-id': versionName(versioning, version_id) })
