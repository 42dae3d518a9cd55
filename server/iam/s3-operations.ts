// Which action of policies each operation of S3 is, and the right that grants have for it.
import type { BucketAction } from '../../contract/names.ts'
import type { Asked } from './names-of-rights.ts'

/** The action of policies that an operation is, and the right that it needs; `version` of a version that is named. */
interface ActionOf {
  right: BucketAction
  action: string
  version?: string
}

const of = (right: BucketAction, action: string, version?: string): ActionOf => ({
  right,
  action: `s3:${action}`,
  ...(version === undefined ? {} : { version: `s3:${version}` }),
})
const see = (action: string): ActionOf => of('list', action)
const manage = (action: string): ActionOf => of('manage', action)

/**
 * Which action of policies each operation is
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html). Those that are not here have
 * none: they are about no bucket.
 */
const ACTIONS: { readonly [operation: string]: ActionOf } = {
  CreateBucket: of('create', 'CreateBucket'),
  HeadBucket: see('ListBucket'),
  DeleteBucket: manage('DeleteBucket'),
  GetBucketLocation: see('GetBucketLocation'),
  GetBucketVersioning: see('GetBucketVersioning'),
  GetBucketAcl: see('GetBucketAcl'),
  GetBucketOwnershipControls: see('GetBucketOwnershipControls'),
  GetBucketRequestPayment: see('GetBucketRequestPayment'),
  GetBucketAccelerateConfiguration: see('GetAccelerateConfiguration'),
  GetBucketLogging: see('GetBucketLogging'),
  GetBucketNotificationConfiguration: see('GetBucketNotification'),
  GetBucketPolicy: see('GetBucketPolicy'),
  GetBucketPolicyStatus: see('GetBucketPolicyStatus'),
  GetBucketCors: see('GetBucketCORS'),
  GetBucketLifecycleConfiguration: see('GetLifecycleConfiguration'),
  GetBucketTagging: see('GetBucketTagging'),
  GetBucketWebsite: see('GetBucketWebsite'),
  GetBucketReplication: see('GetReplicationConfiguration'),
  GetObjectLockConfiguration: see('GetBucketObjectLockConfiguration'),
  GetBucketEncryption: see('GetEncryptionConfiguration'),
  GetPublicAccessBlock: see('GetBucketPublicAccessBlock'),
  ListBucketAnalyticsConfigurations: see('GetAnalyticsConfiguration'),
  GetBucketAnalyticsConfiguration: see('GetAnalyticsConfiguration'),
  ListBucketIntelligentTieringConfigurations: see('GetIntelligentTieringConfiguration'),
  GetBucketIntelligentTieringConfiguration: see('GetIntelligentTieringConfiguration'),
  ListBucketInventoryConfigurations: see('GetInventoryConfiguration'),
  GetBucketInventoryConfiguration: see('GetInventoryConfiguration'),
  ListBucketMetricsConfigurations: see('GetMetricsConfiguration'),
  GetBucketMetricsConfiguration: see('GetMetricsConfiguration'),
  PutBucketAcl: manage('PutBucketAcl'),
  PutBucketReplication: manage('PutReplicationConfiguration'),
  DeleteBucketReplication: manage('PutReplicationConfiguration'),
  PutBucketPolicy: manage('PutBucketPolicy'),
  DeleteBucketPolicy: manage('DeleteBucketPolicy'),
  PutBucketOwnershipControls: manage('PutBucketOwnershipControls'),
  DeleteBucketOwnershipControls: manage('PutBucketOwnershipControls'),
  PutPublicAccessBlock: manage('PutBucketPublicAccessBlock'),
  DeletePublicAccessBlock: manage('PutBucketPublicAccessBlock'),
  PutBucketEncryption: manage('PutEncryptionConfiguration'),
  DeleteBucketEncryption: manage('PutEncryptionConfiguration'),
  PutBucketInventoryConfiguration: manage('PutInventoryConfiguration'),
  DeleteBucketInventoryConfiguration: manage('PutInventoryConfiguration'),
  PutBucketCors: manage('PutBucketCORS'),
  DeleteBucketCors: manage('PutBucketCORS'),
  PutBucketWebsite: manage('PutBucketWebsite'),
  DeleteBucketWebsite: manage('DeleteBucketWebsite'),
  PutBucketLifecycleConfiguration: of('policy', 'PutLifecycleConfiguration'),
  DeleteBucketLifecycle: of('policy', 'PutLifecycleConfiguration'),
  PutBucketVersioning: manage('PutBucketVersioning'),
  PutObjectLockConfiguration: manage('PutBucketObjectLockConfiguration'),
  PutBucketTagging: manage('PutBucketTagging'),
  DeleteBucketTagging: manage('PutBucketTagging'),
  ListObjects: of('list', 'ListBucket'),
  ListObjectsV2: of('list', 'ListBucket'),
  ListObjectVersions: of('list', 'ListBucketVersions'),
  ListMultipartUploads: of('write', 'ListBucketMultipartUploads'),
  PutObject: of('write', 'PutObject'),
  CopyObject: of('write', 'PutObject'),
  GetObject: of('read', 'GetObject', 'GetObjectVersion'),
  HeadObject: of('read', 'GetObject', 'GetObjectVersion'),
  DeleteObject: of('delete', 'DeleteObject', 'DeleteObjectVersion'),
  CreateMultipartUpload: of('write', 'PutObject'),
  UploadPart: of('write', 'PutObject'),
  UploadPartCopy: of('write', 'PutObject'),
  CompleteMultipartUpload: of('write', 'PutObject'),
  ListParts: of('write', 'ListMultipartUploadParts'),
  AbortMultipartUpload: of('write', 'AbortMultipartUpload'),
  GetObjectAttributes: of('read', 'GetObjectAttributes', 'GetObjectVersionAttributes'),
  GetObjectTagging: of('read', 'GetObjectTagging', 'GetObjectVersionTagging'),
  PutObjectTagging: of('write', 'PutObjectTagging', 'PutObjectVersionTagging'),
  DeleteObjectTagging: of('write', 'DeleteObjectTagging', 'DeleteObjectVersionTagging'),
  GetObjectRetention: of('read', 'GetObjectRetention'),
  PutObjectRetention: of('write', 'PutObjectRetention'),
  GetObjectLegalHold: of('read', 'GetObjectLegalHold'),
  PutObjectLegalHold: of('manage', 'PutObjectLegalHold'),
  GetObjectAcl: of('read', 'GetObjectAcl', 'GetObjectVersionAcl'),
  PutObjectAcl: of('write', 'PutObjectAcl', 'PutObjectVersionAcl'),
}

/** The action that an operation is, and the right for it; undefined for one that is about no bucket. */
export const actionOfOperation = (name: string): ActionOf | undefined =>
  Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined

const rights = new Map(
  Object.values(ACTIONS).flatMap(({ right, action, version }) =>
    [action, ...(version === undefined ? [] : [version])].map((name): [string, BucketAction] => [name, right]),
  ),
)
/** What an action of policies is asked for with; undefined for one that no operation is. */
export const askedBy = (action: string): Asked | undefined => {
  const right = rights.get(action)
  return right && { right, action, exactly: true }
}
