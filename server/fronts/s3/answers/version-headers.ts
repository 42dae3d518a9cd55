import type { HeldBucket } from '../../../storage/buckets/service.ts'
import { versionName } from '../../../storage/history/retire.ts'
import type { AnswerHeaders } from './answer.ts'

/** How the answer to a write names what it made: `null` versions are not named there. */
export const writtenHeader = ({ version_id }: { version_id?: string | undefined }): AnswerHeaders => ({
  'x-amz-version-id': version_id === 'null' ? undefined : version_id,
})

/** How an answer names a version: not at all in a bucket that never kept any. */
export const versionHeader = (
  versioning: HeldBucket['versioning'],
  { version_id }: { version_id: string | null },
): AnswerHeaders => ({ 'x-amz-version-id': versionName(versioning, version_id) })
