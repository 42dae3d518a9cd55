// Documents of S3's operations that together have every element AWS documents, each with a value that means something.

/** An element's children by name, an attribute's name starting with `@`; a text; or several elements of one name. */
export type Tree = { readonly [name: string]: string | Tree | readonly Tree[] }

/** A document, and what it is refused with, if it is one that asks for what there is not. */
export interface Example {
  tree: Tree
  refused?: string
}

/** What documents name that exists. */
export interface Named {
  /** Whose the bucket is, as ACLs name people. */
  owner: string
  /** An object. */
  key: string
  /** The ETag of the only part of an upload. */
  part: string
  /** A time to come. */
  later: string
}

const accepted = (...trees: Tree[]): Example[] => trees.map((tree) => ({ tree }))
const refused = (code: string, ...trees: Tree[]): Example[] => trees.map((tree) => ({ tree, refused: code }))

const acl = ({ owner }: Named): Example[] => {
  const granting = (Grantee: Tree, Permission: string): Tree => ({
    AccessControlPolicy: {
      Owner: { ID: owner, DisplayName: 'somebody' },
      AccessControlList: { Grant: { Grantee, Permission } },
    },
  })
  return [
    ...accepted(
      granting({ '@xsi:type': 'CanonicalUser', ID: owner, DisplayName: 'somebody' }, 'FULL_CONTROL'),
      granting({ '@xsi:type': 'Group', URI: 'http://acs.amazonaws.com/groups/global/AllUsers' }, 'READ'),
    ),
    ...refused(
      'NotImplemented',
      granting({ '@xsi:type': 'AmazonCustomerByEmail', EmailAddress: 'kim@example.com' }, 'READ'),
    ),
  ]
}

const tagging: Tree = { Tagging: { TagSet: { Tag: { Key: 'colour', Value: 'red' } } } }

const lifecycle = (rule: Tree): Tree => ({
  LifecycleConfiguration: { Rule: { ID: 'rule', Status: 'Enabled', ...rule } },
})
const TAG: Tree = { Key: 'colour', Value: 'red' }
const DAYS: Tree = { Days: '3' }

const encryption = (rule: Tree): Tree => ({ ServerSideEncryptionConfiguration: { Rule: rule } })

const website = (redirect: Tree): Tree => ({
  WebsiteConfiguration: {
    IndexDocument: { Suffix: 'index.html' },
    ErrorDocument: { Key: 'error.html' },
    RoutingRules: {
      RoutingRule: {
        Condition: { KeyPrefixEquals: 'old/', HttpErrorCodeReturnedEquals: '404' },
        Redirect: { HostName: 'example.com', Protocol: 'https', HttpRedirectCode: '301', ...redirect },
      },
    },
  },
})

const lock = (retention: Tree): Tree => ({
  ObjectLockConfiguration: {
    ObjectLockEnabled: 'Enabled',
    Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: '1', ...retention } },
  },
})

const replication = (rule: Tree): Tree => ({
  ReplicationConfiguration: {
    Role: 'arn:aws:iam::1:role/one',
    Rule: {
      ID: 'rule',
      Priority: '1',
      Status: 'Enabled',
      Filter: { Prefix: 'a' },
      Destination: { Bucket: 'arn:aws:s3:::replica' },
      DeleteMarkerReplication: { Status: 'Disabled' },
      ...rule,
    },
  },
})
const replica = (more: Tree): Tree => replication({ Destination: { Bucket: 'arn:aws:s3:::replica', ...more } })

const inventory = (more: Tree, destination: Tree = {}): Tree => ({
  InventoryConfiguration: {
    Destination: {
      S3BucketDestination: { Bucket: 'arn:aws:s3:::replicas', Format: 'Parquet', Prefix: 'inv', ...destination },
    },
    IsEnabled: 'true',
    Filter: { Prefix: 'a' },
    Id: 'x',
    IncludedObjectVersions: 'All',
    OptionalFields: { Field: 'Size' },
    Schedule: { Frequency: 'Daily' },
    ...more,
  },
})

/** Base64 of as many bytes as each checksum has, none of which is that of a part. */
const WRONG: Readonly<Record<string, number>> = {
  CRC32: 4,
  CRC32C: 4,
  CRC64NVME: 8,
  MD5: 16,
  SHA1: 20,
  SHA256: 32,
  SHA512: 64,
  XXHASH64: 8,
  XXHASH3: 8,
  XXHASH128: 16,
}

/** The documents of each operation that reads one. The first of each is accepted. */
export const documents: { readonly [operation: string]: (named: Named) => Example[] } = {
  CreateBucket: () => [
    ...accepted({ CreateBucketConfiguration: { LocationConstraint: 'eu-west-1', Tags: { Tag: TAG } } }),
    ...refused(
      'NotImplemented',
      { CreateBucketConfiguration: { Location: { Name: 'use1-az4', Type: 'AvailabilityZone' } } },
      { CreateBucketConfiguration: { Bucket: { DataRedundancy: 'SingleAvailabilityZone', Type: 'Directory' } } },
    ),
  ],
  PutBucketAcl: acl,
  PutObjectAcl: acl,
  PutBucketOwnershipControls: () =>
    accepted({ OwnershipControls: { Rule: { ObjectOwnership: 'BucketOwnerPreferred' } } }),
  PutBucketEncryption: () => [
    ...accepted(
      encryption({ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' }, BucketKeyEnabled: 'false' }),
    ),
    ...refused(
      'InvalidArgument',
      encryption({ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256', KMSMasterKeyID: 'one' } }),
    ),
    ...refused(
      'NotImplemented',
      encryption({
        ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' },
        BlockedEncryptionTypes: { EncryptionType: 'SSE-C' },
      }),
    ),
  ],
  PutPublicAccessBlock: () =>
    accepted({
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: 'true',
        IgnorePublicAcls: 'true',
        BlockPublicPolicy: 'true',
        RestrictPublicBuckets: 'true',
      },
    }),
  PutBucketCors: () =>
    accepted({
      CORSConfiguration: {
        CORSRule: {
          ID: 'rule',
          AllowedOrigin: 'https://example.com',
          AllowedMethod: 'GET',
          AllowedHeader: 'x-one',
          ExposeHeader: 'etag',
          MaxAgeSeconds: '60',
        },
      },
    }),
  PutBucketWebsite: () =>
    accepted(website({ ReplaceKeyPrefixWith: 'new/' }), website({ ReplaceKeyWith: 'new' }), {
      WebsiteConfiguration: { RedirectAllRequestsTo: { HostName: 'example.com', Protocol: 'https' } },
    }),
  PutBucketReplication: () => [
    ...accepted(
      replication({ ExistingObjectReplication: { Status: 'Enabled' } }),
      replication({ Filter: { Tag: TAG } }),
      replication({ Filter: { And: { Prefix: 'a', Tag: TAG } } }),
      {
        ReplicationConfiguration: {
          Rule: { Status: 'Enabled', Prefix: 'a', Destination: { Bucket: 'arn:aws:s3:::replica' } },
        },
      },
    ),
    ...refused(
      'NotImplemented',
      replica({ Account: '123456789012' }),
      replica({ StorageClass: 'GLACIER' }),
      replica({ AccessControlTranslation: { Owner: 'Destination' } }),
      replica({ EncryptionConfiguration: { ReplicaKmsKeyID: 'one' } }),
      replica({ ReplicationTime: { Status: 'Enabled', Time: { Minutes: '15' } } }),
      replica({ Metrics: { Status: 'Enabled', EventThreshold: { Minutes: '15' } } }),
      replication({ SourceSelectionCriteria: { SseKmsEncryptedObjects: { Status: 'Enabled' } } }),
      replication({ SourceSelectionCriteria: { ReplicaModifications: { Status: 'Enabled' } } }),
    ),
  ],
  PutBucketInventoryConfiguration: () => [
    ...accepted(inventory({}), inventory({ Schedule: { Frequency: 'Weekly' } }, { Format: 'CSV' })),
    ...refused('InvalidRequest', inventory({}, { AccountId: '123456789012' })),
    ...refused(
      'NotImplemented',
      inventory({}, { Encryption: { 'SSE-S3': '' } }),
      inventory({}, { Encryption: { 'SSE-KMS': { KeyId: 'one' } } }),
      inventory({}, { Format: 'ORC' }),
      inventory({ OptionalFields: { Field: 'BucketKeyStatus' } }),
    ),
  ],
  PutBucketLifecycleConfiguration: () => [
    ...accepted(
      lifecycle({
        Filter: { And: { Prefix: 'a', Tag: TAG, ObjectSizeGreaterThan: '1', ObjectSizeLessThan: '9' } },
        Expiration: DAYS,
      }),
      lifecycle({ Prefix: 'a', Expiration: { Date: '2030-01-01T00:00:00Z' } }),
      lifecycle({ Filter: { Prefix: 'a' }, Expiration: { ExpiredObjectDeleteMarker: 'true' } }),
      lifecycle({
        Filter: { Tag: TAG },
        NoncurrentVersionExpiration: { NoncurrentDays: '3', NewerNoncurrentVersions: '2' },
      }),
      lifecycle({ Filter: { ObjectSizeGreaterThan: '1' }, Expiration: DAYS }),
      lifecycle({ Filter: { ObjectSizeLessThan: '9' }, Expiration: DAYS }),
      lifecycle({ Filter: { Prefix: 'a' }, AbortIncompleteMultipartUpload: { DaysAfterInitiation: '2' } }),
    ),
    ...refused(
      'InvalidStorageClass',
      lifecycle({ Filter: { Prefix: 'a' }, Transition: { Days: '30', StorageClass: 'GLACIER' } }),
      lifecycle({ Filter: { Prefix: 'a' }, Transition: { Date: '2030-01-01T00:00:00Z', StorageClass: 'GLACIER' } }),
      lifecycle({
        Filter: { Prefix: 'a' },
        NoncurrentVersionTransition: { NoncurrentDays: '30', NewerNoncurrentVersions: '2', StorageClass: 'GLACIER' },
      }),
    ),
  ],
  PutBucketVersioning: () => [
    ...accepted({ VersioningConfiguration: { Status: 'Enabled', MfaDelete: 'Disabled' } }),
    ...refused('NotImplemented', { VersioningConfiguration: { Status: 'Enabled', MfaDelete: 'Enabled' } }),
  ],
  PutObjectLockConfiguration: () => [
    ...accepted(lock({}), {
      ObjectLockConfiguration: {
        ObjectLockEnabled: 'Enabled',
        Rule: { DefaultRetention: { Mode: 'COMPLIANCE', Years: '1' } },
      },
    }),
    ...refused('NotImplemented', lock({ DefaultEventHold: { Days: '1' } }), lock({ DefaultEventHold: { Years: '1' } })),
  ],
  PutBucketTagging: () => accepted(tagging),
  PutObjectTagging: () => accepted(tagging),
  PutObjectRetention: ({ later }) => [
    ...accepted({ Retention: { Mode: 'GOVERNANCE', RetainUntilDate: later } }),
    ...refused(
      'NotImplemented',
      { Retention: { EventHold: 'ON', EventHoldDuration: { Days: '1' } } },
      { Retention: { EventHold: 'ON', EventHoldDuration: { Years: '1' } } },
    ),
  ],
  PutObjectLegalHold: () => accepted({ LegalHold: { Status: 'ON' } }),
  DeleteObjects: ({ key, later }) =>
    accepted(
      { Delete: { Quiet: 'false', Object: { Key: key, VersionId: 'null' } } },
      { Delete: { Object: { Key: key, ETag: '*' } } },
      { Delete: { Object: { Key: key, LastModifiedTime: later } } },
      { Delete: { Object: { Key: key, Size: '1' } } },
    ),
  CompleteMultipartUpload: ({ part }) => [
    ...accepted({ CompleteMultipartUpload: { Part: { PartNumber: '1', ETag: part } } }),
    ...Object.entries(WRONG).flatMap(([name, bytes]) =>
      refused('InvalidPart', {
        CompleteMultipartUpload: {
          Part: { PartNumber: '1', ETag: part, [`Checksum${name}`]: Buffer.alloc(bytes, 7).toString('base64') },
        },
      }),
    ),
  ],
}

const text = (value: string): string => value.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`)

/** A tree as XML. */
export const xmlOfTree = (tree: Tree): string =>
  Object.entries(tree)
    .filter(([name]) => !name.startsWith('@'))
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => elementOf(name, one)))
    .join('')

function elementOf(name: string, value: string | Tree): string {
  if (typeof value === 'string') return `<${name}>${text(value)}</${name}>`
  const attributes = Object.entries(value).filter(([child]) => child.startsWith('@'))
  const written = attributes.map(
    ([child, said]) =>
      ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ${child.slice(1)}="${text(String(said))}"`,
  )
  return `<${name}${written.join('')}>${xmlOfTree(value)}</${name}>`
}

/** A tree with another text in the leaf at a path; undefined if it has no such leaf. */
export function withLeaf(tree: Tree, path: readonly string[], said: string): Tree | undefined {
  const [name = '', ...rest] = path
  const value = tree[name]
  if (value === undefined || Array.isArray(value)) return undefined
  if (rest.length === 0) return typeof value === 'string' ? { ...tree, [name]: said } : undefined
  const changed = typeof value === 'string' ? undefined : withLeaf(value as Tree, rest, said)
  return changed && { ...tree, [name]: changed }
}
