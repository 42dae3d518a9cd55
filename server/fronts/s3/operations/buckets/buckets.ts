import { ServiceError } from '../../../../../contract/errors.ts'
import { actionsOn, decide } from '../../../../../contract/permissions.ts'
import { permits } from '../../../../iam/decide.ts'
import { findConfig } from '../../../../storage/buckets/documents/config.ts'
import * as service from '../../../../storage/buckets/service.ts'
import { findBucket } from '../../../../storage/buckets/store.ts'
import { answer, answerXml } from '../../answers/answer.ts'
import { element, result, xmlTime } from '../../answers/xml.ts'
import { type S3Code, S3Error } from '../../errors.ts'
import { type Exchange, parameter } from '../../requests/exchange.ts'
import { childText, type DocumentShape, malformedXml, readDocument } from '../../requests/read-xml.ts'
import { bucketAclDocument } from '../documents/acl.ts'
import { corsDocument } from '../documents/cors.ts'
import { encryptionDocument } from '../documents/encryption.ts'
import { inventoriesDocument, inventoryDocument } from '../documents/inventory.ts'
import { lifecycleDocument } from '../documents/lifecycle.ts'
import { ownershipDocument, publicAccessBlockDocument } from '../documents/ownership.ts'
import { policyStatusDocument, policyText } from '../documents/policy.ts'
import { replicationDocument } from '../documents/replication.ts'
import { taggingDocument } from '../documents/tagging.ts'
import { websiteDocument } from '../documents/website.ts'
import { numberIn } from '../lists.ts'
import { changeVersioning, objectLockDocument } from '../locks.ts'
import { ownerElement } from '../owner.ts'

const MOST_BUCKETS = 10_000
const MOST_CONFIGURATION = 65_536
export const VERSIONING: DocumentShape = {
  root: 'VersioningConfiguration',
  most: MOST_CONFIGURATION,
  elements: { Status: 'text', MfaDelete: 'text' },
}
/**
 * The buckets in which the caller has any right; in pages only if `max-buckets` asks for them. `bucket-region` asks for those of
 * one region, and all are in the same.
 */
export async function listBuckets(exchange: Exchange): Promise<void> {
  const limit = numberIn(exchange, 'max-buckets', { least: 1, most: MOST_BUCKETS }) ?? MOST_BUCKETS
  const prefix = parameter(exchange, 'prefix') ?? ''
  const token = parameter(exchange, 'continuation-token') || undefined
  const region = parameter(exchange, 'bucket-region')
  const isElsewhere = region !== undefined && region !== exchange.system.config.s3.region
  const { items, next_cursor } = isElsewhere
    ? { items: [], next_cursor: undefined }
    : await service.listBuckets(exchange.ctx, limit, token, prefix)
  const { user_id, display_name } = exchange.ctx.actor
  await answerXml(
    exchange,
    result(
      'ListAllMyBucketsResult',
      ownerElement(user_id, display_name),
      element(
        'Buckets',
        ...items.map(({ name, created_at }) =>
          element('Bucket', element('Name', name), element('CreationDate', xmlTime(created_at))),
        ),
      ),
      element('ContinuationToken', next_cursor),
      element('Prefix', parameter(exchange, 'prefix')),
    ),
  )
}

/**
 * Throws unless the caller has any right in the bucket, or a policy lets them ask this: AccessDenied whether it exists or
 * not; NoSuchBucket only to those who could create it. What a policy denies was refused before.
 */
async function assertBucket({ ctx, bucket }: Exchange): Promise<void> {
  const { actor } = ctx
  const { groups } = actor
  // The action that the request is, for which stands the right to list.
  const isTold = permits(actor, 'list', bucket, '')
  if (isTold || actionsOn(groups, bucket).length > 0 || decide(groups, 'create', bucket, '').allowed) {
    if (await findBucket(ctx.db, bucket)) return
    throw service.bucketMissing(bucket)
  }
  throw new ServiceError('forbidden', `You need a right on bucket "${bucket}".`)
}

export async function headBucket(exchange: Exchange): Promise<void> {
  const region = { 'x-amz-bucket-region': exchange.system.config.s3.region }
  exchange.response.setHeader('x-amz-bucket-region', region['x-amz-bucket-region'])
  await assertBucket(exchange)
  await answer(exchange, 200, region)
}

export async function deleteBucket(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  await service.deleteBucket(ctx, bucket)
  await answer(exchange, 204, {})
}

const location = ({ system }: Exchange) => {
  const { region } = system.config.s3
  return result('LocationConstraint', region === 'us-east-1' ? '' : region)
}

const noSuch = (code: S3Code, message: string) => (): never => {
  throw new S3Error(code, message)
}
const noCors = noSuch('NoSuchCORSConfiguration', 'The CORS configuration does not exist')
const noLifecycle = noSuch('NoSuchLifecycleConfiguration', 'The lifecycle configuration does not exist')
const noTags = noSuch('NoSuchTagSet', 'The TagSet does not exist')

const bucketCors = async ({ ctx, bucket }: Exchange) =>
  corsDocument((await findConfig(ctx.db, bucket, 'cors')) ?? noCors())
const bucketLifecycle = async ({ ctx, bucket }: Exchange) =>
  lifecycleDocument((await findConfig(ctx.db, bucket, 'lifecycle')) ?? noLifecycle())
const bucketTagging = async ({ ctx, bucket }: Exchange) =>
  taggingDocument((await findConfig(ctx.db, bucket, 'tagging')) ?? noTags())

const STATUS = { enabled: 'Enabled', suspended: 'Suspended' } as const

async function bucketVersioning({ ctx, bucket }: Exchange): Promise<string> {
  const { versioning = null } = (await findBucket(ctx.db, bucket)) ?? {}
  return result('VersioningConfiguration', versioning === null ? '' : element('Status', STATUS[versioning]))
}

/** `PutBucketVersioning`: whether contents that stop being current are kept as versions. */
export async function putBucketVersioning(exchange: Exchange): Promise<void> {
  const document = await readDocument(exchange, VERSIONING)
  const status = childText(document, 'Status')?.trim()
  const versioning = status === 'Enabled' ? 'enabled' : status === 'Suspended' ? 'suspended' : undefined
  if (versioning === undefined)
    throw new S3Error(
      'IllegalVersioningConfigurationException',
      'The Versioning element must be specified: Enabled or Suspended.',
    )
  const mfaDelete = childText(document, 'MfaDelete')?.trim()
  if (mfaDelete === 'Enabled') throw new S3Error('NotImplemented', 'MFA Delete is not implemented.')
  if (mfaDelete !== undefined && mfaDelete !== 'Disabled') throw malformedXml()
  await changeVersioning(exchange, { versioning })
  await answer(exchange, 200, {})
}

interface Answer {
  name: string
  query: string
  item?: boolean
  /** What the answer always is, where nothing can be configured. */
  partly?: string
  open?: 'anyone'
  /** Of the document, if that is not XML. */
  type?: string
  /** Further headers of the answer. */
  headers?: Record<string, string>
  document: (exchange: Exchange) => string | Promise<string>
}

/** An operation that says of every bucket that it has no such thing. */
const never = (name: string, query: string, code: S3Code, message: string): Answer => ({
  name,
  query,
  partly: `always \`${code}\``,
  document: noSuch(code, message),
})

/** Operations about configurations of a kind that no bucket has: the list of all, and one of them. */
const none = (kind: string, query: string, root: string): Answer[] => [
  {
    name: `ListBucket${kind}Configurations`,
    query,
    item: false,
    partly: 'always empty',
    document: () => result(root, element('IsTruncated', false)),
  },
  {
    ...never(
      `GetBucket${kind}Configuration`,
      query,
      'NoSuchConfiguration',
      'The specified configuration does not exist.',
    ),
    item: true,
  },
]

/** What clients ask about a bucket before they use it: what is configured, and what is true of every bucket here. */
const answers: readonly Answer[] = [
  { name: 'GetBucketLocation', query: 'location', open: 'anyone', document: location },
  {
    name: 'GetBucketVersioning',
    query: 'versioning',
    document: bucketVersioning,
  },
  { name: 'GetBucketAcl', query: 'acl', document: bucketAclDocument },
  { name: 'GetBucketOwnershipControls', query: 'ownershipControls', document: ownershipDocument },
  {
    name: 'GetBucketRequestPayment',
    query: 'requestPayment',
    partly: 'always `BucketOwner`',
    document: () => result('RequestPaymentConfiguration', element('Payer', 'BucketOwner')),
  },
  {
    name: 'GetBucketAccelerateConfiguration',
    query: 'accelerate',
    partly: 'always empty',
    document: () => result('AccelerateConfiguration', ''),
  },
  {
    name: 'GetBucketLogging',
    query: 'logging',
    partly: 'always empty',
    document: () => result('BucketLoggingStatus', ''),
  },
  {
    name: 'GetBucketNotificationConfiguration',
    query: 'notification',
    partly: 'always empty',
    document: () => result('NotificationConfiguration', ''),
  },
  { name: 'GetBucketPolicy', query: 'policy', type: 'application/json', document: policyText },
  { name: 'GetBucketPolicyStatus', query: 'policyStatus', document: policyStatusDocument },
  { name: 'GetBucketCors', query: 'cors', document: bucketCors },
  {
    name: 'GetBucketLifecycleConfiguration',
    query: 'lifecycle',
    // AWS' default, which holds where nothing moves between classes; Terraform compares it with its own.
    headers: { 'x-amz-transition-default-minimum-object-size': 'all_storage_classes_128K' },
    document: bucketLifecycle,
  },
  { name: 'GetBucketTagging', query: 'tagging', document: bucketTagging },
  { name: 'GetBucketWebsite', query: 'website', document: websiteDocument },
  { name: 'GetBucketReplication', query: 'replication', document: replicationDocument },
  { name: 'GetObjectLockConfiguration', query: 'object-lock', document: objectLockDocument },
  { name: 'GetBucketEncryption', query: 'encryption', document: encryptionDocument },
  { name: 'GetPublicAccessBlock', query: 'publicAccessBlock', document: publicAccessBlockDocument },
  ...none('Analytics', 'analytics', 'ListBucketAnalyticsConfigurationResult'),
  ...none('IntelligentTiering', 'intelligent-tiering', 'ListBucketIntelligentTieringConfigurationsOutput'),
  { name: 'ListBucketInventoryConfigurations', query: 'inventory', item: false, document: inventoriesDocument },
  { name: 'GetBucketInventoryConfiguration', query: 'inventory', item: true, document: inventoryDocument },
  ...none('Metrics', 'metrics', 'ListMetricsConfigurationsResult'),
]

/** Operations that say what is so of a bucket, to callers with any right in it. */
export const bucketStateOperations = answers.map(({ document, type = 'application/xml', headers, ...answer }) => ({
  ...answer,
  async run(exchange: Exchange): Promise<void> {
    await assertBucket(exchange)
    await answerXml(exchange, await document(exchange), { 'content-type': type, ...headers })
  },
}))
