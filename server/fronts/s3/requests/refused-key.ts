// How requests are refused whose key, token or signature is wrong.
import type { KeyFault } from '../../../access/access-keys/authenticate.ts'
import { S3Error } from '../errors.ts'
import type { Credential } from './signature/credential.ts'
import type { Mismatch } from './signature/verify.ts'

/** The refusal of a request signed by Version 4. */
export function refusal(
  fault: KeyFault,
  { accessKeyId, signature }: Credential,
  { canonical, text }: Mismatch,
): S3Error {
  if (fault !== 'wrong signature') return unusable(fault, accessKeyId)
  return wrongSignature({
    AWSAccessKeyId: accessKeyId,
    StringToSign: text,
    SignatureProvided: signature,
    CanonicalRequest: canonical,
  })
}

/** How a request is refused whose key cannot be used. */
export function unusable(fault: Exclude<KeyFault, 'wrong signature'>, accessKeyId: string): S3Error {
  if (fault === 'expired token') return new S3Error('ExpiredToken', 'The provided token has expired.')
  if (fault === 'wrong token' || fault === 'revoked token')
    return new S3Error('InvalidToken', 'The provided token is malformed or otherwise invalid.')
  return unknownKey(accessKeyId)
}

const unknownKey = (accessKeyId: string): S3Error =>
  new S3Error('InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.', {
    fields: { AWSAccessKeyId: accessKeyId },
  })

/** The refusal of a signature, with what is not secret of what was compared. */
export const wrongSignature = (fields: Record<string, string>): S3Error =>
  new S3Error(
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    { fields },
  )
