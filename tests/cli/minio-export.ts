import fs from 'node:fs'
import path from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'

/** A zip as Go's `archive/zip` streams one: sizes follow the contents, and are in the directory at the end. */
export function zipOf(files: { [name: string]: string }): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [name, text] of Object.entries(files)) {
    const [contents, nameBytes] = [Buffer.from(text), Buffer.from(name)]
    const packed = deflateRawSync(contents)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(20, 4)
    local.writeUInt16LE(0x808, 6)
    local.writeUInt16LE(8, 8)
    local.writeUInt16LE(nameBytes.length, 26)
    const descriptor = Buffer.alloc(16)
    descriptor.writeUInt32LE(0x08074b50, 0)
    descriptor.writeUInt32LE(crc32(contents), 4)
    descriptor.writeUInt32LE(packed.length, 8)
    descriptor.writeUInt32LE(contents.length, 12)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(20, 6)
    entry.writeUInt16LE(0x808, 8)
    entry.writeUInt16LE(8, 10)
    descriptor.copy(entry, 16, 4)
    entry.writeUInt16LE(nameBytes.length, 28)
    entry.writeUInt32LE(at, 42)
    const all = [local, nameBytes, packed, descriptor]
    parts.push(...all)
    directory.push(entry, nameBytes)
    at += all.reduce((sum, { length }) => sum + length, 0)
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Object.keys(files).length, 8)
  end.writeUInt16LE(Object.keys(files).length, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, ...directory, end])
}

const allow = (actions: string[], resources: string[], more: object = {}) => ({
  Effect: 'Allow',
  Action: actions,
  Resource: resources.map((one) => `arn:aws:s3:::${one}`),
  ...more,
})
const policy = (...statements: object[]) => ({ Version: '2012-10-17', Statement: statements })
const NEVER = '1970-01-01T00:00:00Z'
const account = (parent: string, id: string, more: object = {}) => ({
  parent,
  accessKey: id,
  secretKey: SECRETS[id],
  groups: null,
  status: 'on',
  name: '',
  description: '',
  claims: { accessKey: id, parent, 'sa-policy': 'inherited-policy' },
  sessionPolicy: null,
  expiration: NEVER,
  ...more,
})
const embedded = (parent: string, id: string, own: object) => ({
  claims: { accessKey: id, parent, 'sa-policy': 'embedded-policy', sessionPolicy: 'eyJWZXJzaW9uIjoiIn0=' },
  sessionPolicy: own,
})

/** The secrets of all access keys in the export. */
export const SECRETS: { [id: string]: string } = {
  alice: 'alice-old-secret-1',
  'backup-bot': 'bot-old-secret+/=2',
  eve: 'eve-old-secret-3',
  disabled1: 'disabled-old-secret-4',
  frank: 'frank-old-secret-11',
  GUESTSERVICE00000001: 'service-old-secret-5',
  LIMITEDSERVICE000001: 'limited-old-secret-6',
  EXPIREDSERVICE000001: 'expired-old-secret-7',
  OFFSERVICE0000000001: 'off-old-secret-8',
  ROOTSERVICE000000001: 'root-old-secret-9',
  LDAPSERVICE000000001: 'ldap-old-secret-10',
}

/** What `mc admin cluster iam export` writes for a MinIO with people, groups, policies and service accounts. */
export const iamFiles: { [name: string]: string } = Object.fromEntries(
  Object.entries({
    policies: {
      consoleAdmin: policy(
        { Effect: 'Allow', Action: ['admin:*'] },
        { Effect: 'Allow', Action: ['kms:*'] },
        allow(['s3:*'], ['*']),
      ),
      readwrite: policy(allow(['s3:*'], ['*'])),
      readonly: policy(allow(['s3:GetBucketLocation', 's3:GetObject'], ['*'])),
      writeonly: policy(allow(['s3:PutObject'], ['*'])),
      diagnostics: policy({ Effect: 'Allow', Action: ['admin:ServerTrace'], Resource: ['arn:aws:s3:::*'] }),
      photos: policy(allow(['s3:*'], ['photos', 'photos/*'])),
      home: policy(allow(['s3:*'], [`homes/\${aws:username}/*`])),
      'no-delete': policy({ Effect: 'Deny', Action: ['s3:Delete*'], Resource: ['arn:aws:s3:::*'] }),
      // Newer releases can export one of these.
      'all-but': policy({ Effect: 'Allow', NotAction: ['s3:Delete*'], Resource: ['arn:aws:s3:::archive/*'] }),
      'ldap-home': policy(allow(['s3:*'], [`homes/\${ldap:username}/*`]), {
        Effect: 'Deny',
        Action: ['s3:DeleteObject'],
        Resource: ['arn:aws:s3:::homes/*'],
      }),
      office: policy(allow(['s3:*'], ['office/*'], { Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } })),
    },
    users: {
      alice: { secretKey: SECRETS.alice, status: 'enabled' },
      'backup-bot': { secretKey: SECRETS['backup-bot'], status: 'enabled' },
      disabled1: { secretKey: SECRETS.disabled1, status: 'disabled' },
      eve: { secretKey: SECRETS.eve, status: 'enabled' },
      frank: { secretKey: SECRETS.frank, status: 'enabled' },
    },
    groups: {
      staff: { version: 1, status: 'enabled', members: ['alice', 'disabled1'], updatedAt: '2024-05-01T10:00:00Z' },
      closed: { version: 1, status: 'disabled', members: ['eve'], updatedAt: '2024-05-01T10:00:00Z' },
    },
    svcaccts: {
      GUESTSERVICE00000001: account('alice', 'GUESTSERVICE00000001', { name: 'website' }),
      LIMITEDSERVICE000001: account('alice', 'LIMITEDSERVICE000001', {
        ...embedded('alice', 'LIMITEDSERVICE000001', policy(allow(['s3:*'], ['photos/2026/*']))),
        expiration: '2099-01-01T00:00:00Z',
      }),
      EXPIREDSERVICE000001: account('alice', 'EXPIREDSERVICE000001', { expiration: '2020-01-01T00:00:00Z' }),
      OFFSERVICE0000000001: account('alice', 'OFFSERVICE0000000001', { status: 'off' }),
      ROOTSERVICE000000001: account('minioadmin', 'ROOTSERVICE000000001'),
      LDAPSERVICE000000001: account('uid=kim,ou=people,dc=example,dc=org', 'LDAPSERVICE000000001'),
    },
    user_mappings: {
      alice: { version: 1, policy: 'home', updatedAt: '2024-05-01T10:00:00Z' },
      'backup-bot': { version: 1, policy: 'readwrite,no-delete,office', updatedAt: '2024-05-01T10:00:00Z' },
      eve: { version: 1, policy: 'readwrite', updatedAt: '2024-05-01T10:00:00Z' },
      // What it denies cannot be brought over, so nothing is allowed either.
      frank: { version: 1, policy: 'readwrite,ldap-home,all-but', updatedAt: '2024-05-01T10:00:00Z' },
    },
    group_mappings: {
      staff: { version: 1, policy: 'photos', updatedAt: '2024-05-01T10:00:00Z' },
      'cn=ops,ou=groups,dc=example,dc=org': { version: 1, policy: 'consoleAdmin', updatedAt: '2024-05-01T10:00:00Z' },
    },
    stsuser_mappings: {
      'uid=kim,ou=people,dc=example,dc=org': { version: 1, policy: 'readonly', updatedAt: '2024-05-01T10:00:00Z' },
    },
  }).map(([name, value]) => [`iam-assets/${name}.json`, JSON.stringify(value)]),
)

const NO_EVENTS =
  '<NotificationConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></NotificationConfiguration>'

/** What `mc admin cluster bucket export` writes. */
export const bucketFiles: { [name: string]: string } = {
  'photos/notification.xml': `<NotificationConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><QueueConfiguration><Id></Id><Filter><S3Key><FilterRule><Name>prefix</Name><Value>2026/</Value></FilterRule></S3Key></Filter><Event>s3:ObjectCreated:*</Event><Queue>arn:minio:sqs::PRIMARY:webhook</Queue></QueueConfiguration></NotificationConfiguration>`,
  'photos/lifecycle.xml': `<LifecycleConfiguration><Rule><ID>old-tmp</ID><Status>Enabled</Status><Filter><Prefix>tmp/</Prefix></Filter><Expiration><Days>30</Days></Expiration><NoncurrentVersionExpiration><NoncurrentDays>7</NoncurrentDays><NewerNoncurrentVersions>3</NewerNoncurrentVersions></NoncurrentVersionExpiration></Rule><Rule><ID>tier</ID><Status>Enabled</Status><Filter><Prefix></Prefix></Filter><Transition><Days>90</Days><StorageClass>COLD</StorageClass></Transition></Rule><Rule><ID>tagged</ID><Status>Disabled</Status><Filter><And><Prefix>a/</Prefix><Tag><Key>keep</Key><Value>no</Value></Tag></And></Filter><Expiration><Date>2030-01-01T00:00:00Z</Date></Expiration></Rule></LifecycleConfiguration>`,
  'photos/quota.json': '{"quota":5000000000,"size":5000000000,"rate":0,"requests":0,"quotatype":"hard"}',
  'photos/versioning.xml':
    '<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Enabled</Status></VersioningConfiguration>',
  'photos/policy.json': JSON.stringify(policy({ ...allow(['s3:GetObject'], ['photos/*']), Principal: { AWS: ['*'] } })),
  'photos/tagging.xml': '<Tagging><TagSet><Tag><Key>team</Key><Value>web</Value></Tag></TagSet></Tagging>',
  'vault/notification.xml': NO_EVENTS,
  'vault/object-lock.xml':
    '<ObjectLockConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>GOVERNANCE</Mode><Days>14</Days></DefaultRetention></Rule></ObjectLockConfiguration>',
  'vault/versioning.xml':
    '<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Enabled</Status></VersioningConfiguration>',
  'homes/notification.xml': NO_EVENTS,
  'homes/bucket-encryption.xml':
    '<ServerSideEncryptionConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm></ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>',
  'homes/cors.xml':
    '<CORSConfiguration><CORSRule><AllowedOrigin>https://*.example.org</AllowedOrigin><AllowedMethod>GET</AllowedMethod><MaxAgeSeconds>600</MaxAgeSeconds></CORSRule></CORSConfiguration>',
}

/** Writes both zips, called as `mc` calls them, into a folder. */
export function writeZips(folder: string): void {
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'old-iam-info.zip'), zipOf(iamFiles))
  fs.writeFileSync(path.join(folder, 'old-bucket-metadata.zip'), zipOf(bucketFiles))
}

/** Writes both exports unpacked. */
export function writeUnpacked(folder: string): void {
  for (const [name, text] of Object.entries({ ...iamFiles, ...bucketFiles })) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.writeFileSync(path.join(folder, name), text)
  }
}
