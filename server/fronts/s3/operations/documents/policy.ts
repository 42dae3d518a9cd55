import { bookOf } from '../../../../access/policies/book.ts'
import { isPublicAccessOn } from '../../../../access/settings/public-access.ts'
import { allow } from '../../../../context.ts'
import { collect } from '../../../../http/collect.ts'
import { MOST_BYTES } from '../../../../iam/document.ts'
import { MalformedPolicy } from '../../../../iam/malformed.ts'
import { PublicRefused, setBucketPolicy } from '../../../../storage/buckets/documents/bucket-policy.ts'
import { findConfig } from '../../../../storage/buckets/documents/config.ts'
import { findAccess, hasAcls, isPublic } from '../../../../storage/buckets/documents/public-access.ts'
import { answer } from '../../answers/answer.ts'
import { element, result } from '../../answers/xml.ts'
import { S3Error } from '../../errors.ts'
import { verified } from '../../requests/body-digests.ts'
import type { Exchange } from '../../requests/exchange.ts'

const tooLarge = () =>
  new S3Error('MaxMessageLengthExceeded', 'Your request was too large.', {
    fields: { MaxMessageLengthBytes: String(MOST_BYTES.bucket) },
  })

const textIn = async (exchange: Exchange): Promise<string> =>
  (await collect(verified(exchange), MOST_BYTES.bucket, tooLarge)).toString()

/** `PutBucketPolicy`. Needs `manage`; one that is public, that anything can be. */
export async function putBucketPolicy(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  allow(ctx.actor, 'manage', bucket)
  const text = await textIn(exchange)
  try {
    await setBucketPolicy(ctx, bucket, { text, canBePublic: isPublicAccessOn })
  } catch (error) {
    if (error instanceof MalformedPolicy) throw new S3Error('MalformedPolicy', error.message)
    if (error instanceof PublicRefused) throw new S3Error('AccessDenied', error.message)
    throw error
  }
  await answer(exchange, 204, {})
}

export async function deleteBucketPolicy(exchange: Exchange): Promise<void> {
  await setBucketPolicy(exchange.ctx, exchange.bucket, { text: null, canBePublic: isPublicAccessOn })
  await answer(exchange, 204, {})
}

const noPolicy = () => new S3Error('NoSuchBucketPolicy', 'The bucket policy does not exist')

/** The policy as it was put. */
export async function policyText({ ctx, bucket }: Exchange): Promise<string> {
  const policy = await findConfig(ctx.db, bucket, 'policy')
  if (!policy) throw noPolicy()
  return policy.text
}

/** Whether the bucket is public, by its policy or its ACL; one without either has no status. */
export async function policyStatusDocument({ ctx, bucket, authenticated }: Exchange): Promise<string> {
  const isOn = authenticated.publicAccess
  const { of, token } = await findAccess(ctx.db, [bucket])
  const policy = (await bookOf(ctx.db, token))?.of(bucket)
  if (policy === undefined && !hasAcls(of(bucket))) throw noPolicy()
  return result('PolicyStatus', element('IsPublic', isOn && isPublic(of(bucket), policy)))
}
