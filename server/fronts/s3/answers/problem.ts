import type { Marker, ServiceError } from '../../../../contract/errors.ts'
import type { System } from '../../../context.ts'
import { asServiceError, isBrokenOff } from '../../../http/failure.ts'
import { LAG_HEADER } from '../../../http/standby.ts'
import { REDIRECT_LOCATION } from '../../../storage/objects/describe.ts'
import { S3Error } from '../errors.ts'
import type { Wire } from '../requests/exchange.ts'
import type { Target } from '../requests/target.ts'
import { answer } from './answer.ts'
import { errorDocument } from './xml.ts'

/** The answer to a HEAD has no document that could say that it is no delete marker: the public suite wants that said. */
const NO_MARKER = { 'x-amz-delete-marker': 'false' }

const noSuchKey = (key: string, marker?: Marker, method?: string) =>
  new S3Error('NoSuchKey', 'The specified key does not exist.', {
    fields: { Key: key },
    headers: marker ? markerHeaders(marker) : method === 'HEAD' ? NO_MARKER : {},
  })

/** What answers say of a delete marker that is there instead. */
const markerHeaders = ({ version_id }: Marker): Record<string, string> => ({
  'x-amz-delete-marker': 'true',
  'x-amz-version-id': version_id,
})

const noSuchVersion = (key: string) =>
  new S3Error('NoSuchVersion', 'The specified version does not exist.', { fields: { Key: key } })

/** The refusal of everything but its deletion to a delete marker. */
const onlyDeletable = (marker: Marker, method: string) =>
  new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.', {
    fields: { Method: method, ResourceType: 'DeleteMarker' },
    headers: {
      ...markerHeaders(marker),
      'last-modified': new Date(marker.last_modified).toUTCString(),
      allow: 'DELETE',
    },
  })

/** An error of the core in the words of S3. */
function translate(error: ServiceError, { bucket, key, method }: Target & { method: string }): S3Error {
  const { message, headers, faults } = error
  const [{ path = '' } = {}] = faults
  switch (error.code) {
    case 'forbidden':
      return new S3Error('AccessDenied', 'Access Denied')
    case 'approval_required':
      return new S3Error('ApprovalRequired', message, { fields: { ApprovalId: String(error.extensions.approval_id) } })
    case 'budget_exceeded':
      return new S3Error('BudgetExceeded', message, { fields: { Budget: String(error.extensions.budget) } })
    case 'unauthenticated':
      return new S3Error('InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.')
    case 'not_found':
      if (error.missing === 'object') return noSuchKey(key, error.marker, method)
      if (error.missing === 'version') return error.marker ? onlyDeletable(error.marker, method) : noSuchVersion(key)
      if (error.missing === 'upload')
        return new S3Error(
          'NoSuchUpload',
          'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
        )
      return new S3Error('NoSuchBucket', 'The specified bucket does not exist', { fields: { BucketName: bucket } })
    case 'precondition_failed':
      // If-Match asks for an object: where there is none, that is what is wrong.
      if (error.missing === 'object') return noSuchKey(key)
      return new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold')
    case 'quota_exceeded':
      return new S3Error('QuotaExceeded', message)
    case 'too_large':
      return new S3Error('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size')
    case 'not_empty':
      return new S3Error('BucketNotEmpty', 'The bucket you tried to delete is not empty', {
        fields: { BucketName: bucket },
      })
    case 'range_not_satisfiable':
      return new S3Error('InvalidRange', 'The requested range is not satisfiable', { headers })
    case 'already_exists':
      return new S3Error('BucketAlreadyExists', 'The requested bucket name is not available.', {
        fields: { BucketName: bucket },
      })
    case 'locked':
      return new S3Error('AccessDenied', 'Access Denied because object protected by object lock.')
    case 'read_only':
      return new S3Error('AccessDenied', message)
    case 'archived':
      return new S3Error('InvalidObjectState', "The operation is not valid for the object's storage class")
    case 'conflict':
    case 'changed':
      if (error.marker) return onlyDeletable(error.marker, method)
      if (path === 'bucket.object_lock')
        return new S3Error('InvalidRequest', 'Bucket is missing Object Lock Configuration')
      if (path === 'encryption.key') return new S3Error('KMS.DisabledException', message)
      if (path === 'body.checksum')
        return new S3Error('BadDigest', 'The checksum you specified did not match the calculated checksum.')
      return new S3Error('OperationAborted', message)
    case 'encryption_key_required':
      return new S3Error(
        'InvalidRequest',
        'The object was stored using a form of Server Side Encryption. The correct parameters must be provided to retrieve the object.',
      )
    case 'erased':
      return new S3Error('ObjectErased', error.message)
    case 'damaged':
      return new S3Error('ObjectDamaged', message)
    case 'standby':
      return new S3Error('ServiceUnavailable', message, { headers })
    case 'busy':
      // Its engine does not answer: to send fewer requests would not help.
      if (error.unreachable) return new S3Error('ServiceUnavailable', message, { headers })
      return new S3Error('SlowDown', 'Please reduce your request rate.', { headers })
    case 'rate_limited':
      return new S3Error('SlowDown', 'Please reduce your request rate.', { headers })
    case 'storage_full':
      return new S3Error('InsufficientStorage', message)
    case 'request_timeout':
      return new S3Error(
        'RequestTimeout',
        'Your socket connection to the server was not read from or written to within the timeout period.',
      )
    case 'malformed':
      if (path.startsWith('header.content-md5') || path.startsWith('header.x-checksum'))
        return new S3Error(
          'BadDigest',
          'The Content-MD5 or checksum value that you specified did not match what the server received.',
        )
      return new S3Error('InvalidRequest', message)
    case 'invalid_request':
      if (path.startsWith('header.x-amz-tagging')) return new S3Error('InvalidTag', message)
      if (path === `header.${REDIRECT_LOCATION}`)
        return new S3Error(
          'InvalidRedirectLocation',
          "The website redirect location must have a prefix of 'http://' or 'https://' or '/'.",
        )
      if (path.startsWith('header.x-amz-meta-')) return new S3Error('MetadataTooLarge', message)
      if (path.includes('checksum')) return new S3Error('InvalidRequest', message)
      return new S3Error('InvalidArgument', message)
    case 'internal':
      return new S3Error('InternalError', 'We encountered an internal error. Please try again.')
    default:
      return new S3Error('InvalidRequest', message)
  }
}

/** Answers with an error, whatever was thrown; what is not for the client's eyes is logged and hidden. */
export async function answerError(system: System, wire: Wire, target: Target, error: unknown): Promise<void> {
  const { response, id } = wire
  if (response.headersSent) {
    system.log.warn({ err: error }, 'an S3 answer was broken off')
    response.destroy()
    return
  }
  const { code, message, fields, headers, status } = refusalOf(system, wire, target, error)
  dropHeaders(response)
  const resource = `/${target.bucket}${target.key === '' ? '' : `/${target.key}`}`
  const document = errorDocument({
    Code: code,
    Message: message,
    Resource: resource,
    ...fields,
    RequestId: id,
    HostId: id,
  })
  await answer({ system, ...wire }, status, { ...headers, 'content-type': 'application/xml' }, document)
}

/** What was thrown, in the words of S3; what is not for the client's eyes is logged and hidden. */
export function refusalOf(system: System, { request }: Wire, target: Target, error: unknown): S3Error {
  if (error instanceof S3Error) return error
  const thrown = error as Error
  if (isBrokenOff(thrown, request)) return new S3Error('IncompleteBody', 'The request body terminated unexpectedly')
  const reads = request.method === 'GET' || request.method === 'HEAD'
  return translate(asServiceError(thrown, reads, system.log), { ...target, method: request.method ?? '' })
}

/** Takes back the headers of an answer that failed. */
export function dropHeaders(response: Wire['response']): void {
  for (const name of response.getHeaderNames())
    if (!KEPT.has(name) && !name.startsWith('access-control-')) response.removeHeader(name)
}

/** Headers that belong to every answer. */
const KEPT = new Set(['connection', 'vary', LAG_HEADER])
