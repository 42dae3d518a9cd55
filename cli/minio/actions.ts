import type { BucketAction } from '../../contract/names.ts'

/** What MinIO must allow before one of our actions is granted. */
interface Needs {
  /** On each of the objects. */
  objects: readonly string[]
  /** On the bucket. */
  bucket: readonly string[]
  /** In the service. */
  service?: readonly string[]
  /** Lesser ones on the objects, which ours includes. */
  lesser?: readonly string[]
  /** What must not be denied besides, on the objects and on the bucket. */
  undenied?: readonly string[]
  undeniedOfBucket?: readonly string[]
  /** Needed in a key's own policy; in a user's, it is enough that they are not denied. */
  inScope?: readonly string[]
}

/** Our actions in terms of MinIO's. `share` is missing: MinIO has no links that work without a key and outlast a week. */
export const NEEDS: { readonly [A in Exclude<BucketAction, 'share'>]: Needs } = {
  list: {
    objects: [],
    bucket: ['s3:ListBucket'],
    // Who may list the objects may list the versions.
    undeniedOfBucket: ['s3:ListBucketVersions', 's3:HeadBucket'],
  },
  read: {
    objects: ['s3:GetObject'],
    bucket: [],
    lesser: ['s3:GetObjectTagging', 's3:GetObjectAttributes', 's3:GetObjectRetention', 's3:GetObjectLegalHold'],
    undenied: ['s3:GetObjectVersion', 's3:GetObjectVersionTagging', 's3:GetObjectVersionAttributes'],
  },
  write: {
    objects: ['s3:PutObject'],
    bucket: [],
    lesser: [
      's3:PutObjectTagging',
      's3:DeleteObjectTagging',
      's3:PutObjectRetention',
      's3:AbortMultipartUpload',
      's3:ListMultipartUploadParts',
    ],
    undenied: ['s3:PutObjectVersionTagging', 's3:DeleteObjectVersionTagging'],
    // Only one's own uploads can be listed.
    undeniedOfBucket: ['s3:ListBucketMultipartUploads'],
  },
  delete: {
    objects: ['s3:DeleteObject'],
    bucket: [],
    undenied: ['s3:DeleteObjectVersion'],
    inScope: ['s3:DeleteObjectVersion'],
  },
  policy: {
    objects: [],
    bucket: ['s3:PutLifecycleConfiguration', 's3:GetLifecycleConfiguration', 's3:ListBucket'],
  },
  manage: {
    objects: [
      's3:PutObjectLegalHold',
      's3:DeleteObject',
      's3:DeleteObjectVersion',
      's3:AbortMultipartUpload',
      's3:ListMultipartUploadParts',
    ],
    bucket: [
      's3:PutBucketVersioning',
      's3:PutBucketObjectLockConfiguration',
      's3:DeleteBucket',
      's3:GetBucketPolicy',
      's3:PutBucketPolicy',
      's3:DeleteBucketPolicy',
      's3:PutBucketTagging',
      's3:PutBucketCors',
      's3:PutEncryptionConfiguration',
      's3:DeleteBucketCors',
      's3:ListBucketMultipartUploads',
    ],
    service: ['admin:SetBucketQuota'],
  },
  create: {
    objects: [],
    bucket: ['s3:CreateBucket', 's3:PutBucketVersioning', 's3:PutBucketObjectLockConfiguration'],
  },
  bypass_lock: { objects: ['s3:BypassGovernanceRetention'], bucket: [] },
}
export type Translated = keyof typeof NEEDS
export const translated = Object.keys(NEEDS) as Translated[]

/** What has no counterpart here, on objects and on buckets. */
const FOREIGN_OF_OBJECTS = [
  's3:ReplicateObject',
  's3:ReplicateDelete',
  's3:ReplicateTags',
  's3:GetObjectVersionForReplication',
  's3:RestoreObject',
  's3:PutObjectFanOut',
]
const FOREIGN_OF_BUCKETS = [
  's3:ForceDeleteBucket',
  's3:PutBucketNotification',
  's3:ListenNotification',
  's3:ListenBucketNotification',
  's3:PutReplicationConfiguration',
  's3:ResetBucketReplicationState',
]
/** What everyone here may do with a bucket in which they may do anything. */
const FREE = [
  's3:GetBucketLocation',
  's3:HeadBucket',
  's3:ListAllMyBuckets',
  's3:GetBucketVersioning',
  's3:GetBucketPolicy',
  's3:GetBucketPolicyStatus',
  's3:GetBucketTagging',
  's3:GetBucketCors',
  's3:GetEncryptionConfiguration',
  's3:GetBucketObjectLockConfiguration',
  's3:GetBucketNotification',
  's3:GetReplicationConfiguration',
  's3:GetLifecycleConfiguration',
]

/** One of MinIO's actions. */
export interface Known {
  /** Whether it is about a bucket, and not about its objects. */
  ofBucket: boolean
  /** Those of ours that allow it. */
  carriers: Translated[]
}
/** Each of MinIO's actions on buckets and objects that is known, without those that come with any of ours. */
export const KNOWN_ACTIONS: ReadonlyMap<string, Known> = knownActions()

function knownActions(): Map<string, Known> {
  const all = new Map<string, Known>()
  const add = (name: string, ofBucket: boolean, carriers: Translated[] = []) => {
    const before = all.get(name)?.carriers ?? []
    all.set(name, { ofBucket, carriers: [...before, ...carriers] })
  }
  for (const action of translated) {
    const { objects, bucket, lesser = [], undenied = [], undeniedOfBucket = [] } = NEEDS[action]
    for (const one of [...bucket, ...undeniedOfBucket]) add(one, true, [action])
    for (const one of [...objects, ...lesser, ...undenied]) add(one, false, [action])
  }
  for (const one of FOREIGN_OF_OBJECTS) add(one, false)
  for (const one of FOREIGN_OF_BUCKETS) add(one, true)
  for (const one of FREE) all.delete(one)
  return all
}

/** Whether everyone here may do it who may do anything in the bucket. */
export const isFree = (action: string): boolean => FREE.includes(action)
