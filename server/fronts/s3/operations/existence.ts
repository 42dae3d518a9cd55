import { ServiceError } from '../../../../contract/errors.ts'
import type { Ctx } from '../../../context.ts'
import { permits } from '../../../iam/decide.ts'
import type { Found } from '../../../storage/objects/lookup.ts'
import { getContents } from '../../../storage/objects/service.ts'
import { S3Error } from '../errors.ts'
import type { Exchange } from '../requests/exchange.ts'
import type { Target } from '../requests/target.ts'
import { versionIn } from '../requests/version-id.ts'

/** Whether a key exists is told to those who may list it; to others its absence is a refusal. */
export function hideExistence({ actor }: Ctx, { bucket, key }: Target, error: unknown): unknown {
  const isMissing = error instanceof ServiceError && (error.missing === 'object' || error.missing === 'version')
  if (!isMissing || permits(actor, 'list', bucket, key)) return error
  return new S3Error('AccessDenied', 'Access Denied')
}

/**
 * The same for the source of a copy. A delete marker that is named as one is a bad request
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPartCopy.html, section on versioning).
 */
export function hideSourceExistence(ctx: Ctx, source: Target, error: unknown): unknown {
  const seen = hideExistence(ctx, source, error)
  return seen instanceof ServiceError && seen.missing === 'version' && seen.marker
    ? new S3Error(
        'InvalidRequest',
        'The source of a copy request may not specifically refer to a delete marker by version id.',
      )
    : seen
}

/** The object that a request is about, or the version of it that it names. */
export async function getVisible(exchange: Exchange): Promise<Found> {
  const { ctx, bucket, key } = exchange
  return getContents(ctx, bucket, key, { opens: false, version: versionIn(exchange) }).catch((error: unknown) => {
    throw hideExistence(ctx, { bucket, key }, error)
  })
}

/** The same for a change of it: where a delete marker hides the key, that is what cannot be changed. */
export async function getChangeable(exchange: Exchange): Promise<Found> {
  return getVisible(exchange).catch((error: unknown) => {
    if (!(error instanceof ServiceError && error.missing === 'object' && error.marker)) throw error
    throw new ServiceError('not_found', error.message, { missing: 'version', marker: error.marker })
  })
}
