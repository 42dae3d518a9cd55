import { allow } from '../../../../context.ts'
import { findKmsKey } from '../../../../encryption/kms/registry.ts'
import { defaultEncryption } from '../../../../storage/buckets/encryption.ts'
import { bucketMissing } from '../../../../storage/buckets/service.ts'
import { findBucket } from '../../../../storage/buckets/store.ts'
import { updateBucket } from '../../../../storage/buckets/update.ts'
import { answer } from '../../answers/answer.ts'
import { element, result } from '../../answers/xml.ts'
import { invalidArgument, S3Error } from '../../errors.ts'
import type { Exchange } from '../../requests/exchange.ts'
import { child, childText, type DocumentShape, malformedXml, readDocument } from '../../requests/read-xml.ts'

export const ENCRYPTION: DocumentShape = {
  root: 'ServerSideEncryptionConfiguration',
  most: 65_536,
  elements: {
    Rule: {
      ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'text', KMSMasterKeyID: 'text' },
      BucketKeyEnabled: 'text',
      BlockedEncryptionTypes: 'refused',
    },
  },
}

/** How new contents of a bucket are encrypted. */
export async function encryptionDocument({ ctx, bucket }: Exchange): Promise<string> {
  const row = await findBucket(ctx.db, bucket)
  if (!row) throw bucketMissing(bucket)
  const byDefault = defaultEncryption(row)
  if (!byDefault)
    throw new S3Error(
      'ServerSideEncryptionConfigurationNotFoundError',
      'The server side encryption configuration was not found',
    )
  return result(
    'ServerSideEncryptionConfiguration',
    element(
      'Rule',
      element(
        'ApplyServerSideEncryptionByDefault',
        element('SSEAlgorithm', byDefault.algorithm),
        element('KMSMasterKeyID', byDefault.key),
      ),
      element('BucketKeyEnabled', false),
    ),
  )
}

/** `PutBucketEncryption`: of contents that come from now on. */
export async function putBucketEncryption(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  allow(ctx.actor, 'manage', bucket)
  const document = await readDocument(exchange, ENCRYPTION)
  const rule = child(document, 'Rule')
  const given = rule && child(rule, 'ApplyServerSideEncryptionByDefault')
  if (!given) throw malformedXml()
  const algorithm = childText(given, 'SSEAlgorithm')?.trim()
  const key = childText(given, 'KMSMasterKeyID')?.trim()
  if (algorithm === 'aws:kms') {
    const keys = await findKmsKey(ctx.db, key ?? '')
    if (!keys) throw invalidArgument('KMSMasterKeyID', key ?? '', 'No key with this name is registered.')
    await updateBucket(ctx, bucket, { encryption: { algorithm, key: keys.name } })
    return answer(exchange, 200, {})
  }
  if (algorithm !== 'AES256')
    throw invalidArgument('SSEAlgorithm', algorithm ?? '', 'The encryption algorithm is not supported')
  if (key !== undefined)
    throw new S3Error(
      'InvalidArgument',
      'a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms',
    )
  await updateBucket(ctx, bucket, { encryption: { algorithm } })
  await answer(exchange, 200, {})
}

/** `DeleteBucketEncryption`: what is encrypted stays so. */
export async function deleteBucketEncryption(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  allow(ctx.actor, 'manage', bucket)
  await updateBucket(ctx, bucket, { encryption: null })
  await answer(exchange, 204, {})
}
