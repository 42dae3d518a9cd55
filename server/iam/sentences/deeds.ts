// What the actions of a statement come to, in few words.
import type { PolicySentence } from '../../../contract/policy-sentences.ts'
import { knownActions } from '../actions.ts'

type What = PolicySentence['what']
type Deed = What['kinds'][number]

const s3 = (names: string): string[] => names.split(' ').map((name) => `s3:${name}`)

/**
 * Kinds of deeds: a statement with one of the first actions does this; the others go without saying then, and are named
 * where it has none of those.
 */
const DEEDS: readonly { kind: Deed; by: readonly string[]; with?: RegExp }[] = [
  { kind: 'list_buckets', by: s3('ListAllMyBuckets') },
  { kind: 'list', by: s3('ListBucket') },
  { kind: 'read', by: s3('GetObject'), with: /^s3:GetObject(Attributes|Torrent)$/ },
  {
    kind: 'read_versions',
    by: s3('GetObjectVersion'),
    with: /^s3:(GetObjectVersion(Attributes|Torrent|ForReplication)|ListBucketVersions)$/,
  },
  {
    kind: 'write',
    by: s3('PutObject'),
    with: /^s3:(AbortMultipartUpload|ListMultipartUploadParts|ListBucketMultipartUploads|RenameObject|RestoreObject|UpdateObjectEncryption|Replicate\w+)$/,
  },
  { kind: 'delete', by: s3('DeleteObject') },
  { kind: 'delete_versions', by: s3('DeleteObjectVersion') },
  {
    kind: 'tag',
    by: s3('PutObjectTagging DeleteObjectTagging PutObjectVersionTagging DeleteObjectVersionTagging'),
    with: /^s3:GetObject(Version)?Tagging$/,
  },
  { kind: 'lock', by: s3('PutObjectRetention PutObjectLegalHold'), with: /^s3:GetObject(Retention|LegalHold)$/ },
  { kind: 'bypass_lock', by: s3('BypassGovernanceRetention') },
  {
    kind: 'change_acls',
    by: s3('PutObjectAcl PutObjectVersionAcl PutBucketAcl'),
    with: /^s3:Get(Object(Version)?|Bucket)Acl$/,
  },
  { kind: 'change_policy', by: s3('PutBucketPolicy DeleteBucketPolicy'), with: /^s3:GetBucketPolicy(Status)?$/ },
  {
    kind: 'change_settings',
    by: [...knownActions]
      .filter(
        ([name, on]) => on === 'bucket' && /^s3:(Put|Update|Delete\w+(Controls|Website|Configuration))/.test(name),
      )
      .map(([name]) => name)
      .filter((name) => !/Acl$|Policy$/.test(name)),
  },
  {
    kind: 'see_settings',
    by: s3('GetBucketLocation GetBucketVersioning GetBucketTagging GetBucketCORS GetLifecycleConfiguration'),
    with: /^s3:Get(Bucket\w+|\w+Configuration)$/,
  },
  { kind: 'create_bucket', by: s3('CreateBucket') },
  { kind: 'delete_bucket', by: s3('DeleteBucket') },
  {
    kind: 'change_identities',
    by: ['iam:CreateUser', 'iam:PutUserPolicy', 'iam:AttachUserPolicy', 'iam:CreateRole', 'iam:CreateAccessKey'],
    with: /^iam:/,
  },
  { kind: 'see_identities', by: ['iam:GetUser', 'iam:ListUsers'], with: /^iam:(Get|List|Simulate|Generate)/ },
  { kind: 'assume', by: ['sts:AssumeRole'], with: /^sts:(TagSession|SetSourceIdentity)$/ },
  { kind: 'assume_with_token', by: ['sts:AssumeRoleWithWebIdentity'], with: /^sts:(TagSession|SetSourceIdentity)$/ },
]

const ofS3 = [...knownActions.keys()].filter((name) => name.startsWith('s3:'))
/** Of so many more than the rest is said what is left out. */
const MOST_OF_S3 = ofS3.length * 0.8

/** The kinds of deeds that a set of actions is; `everything` for all of S3. */
export function deedsOf(actions: ReadonlySet<string>): What {
  const missing = ofS3.filter((name) => !actions.has(name))
  if (missing.length === 0) return { all_but: false, kinds: ['everything'], others: [] }
  if (ofS3.length - missing.length >= MOST_OF_S3) return { ...kindsOf(new Set(missing)), all_but: true }
  return { ...kindsOf(actions), all_but: false }
}

function kindsOf(actions: ReadonlySet<string>): Omit<What, 'all_but'> {
  const done = DEEDS.filter(({ by }) => by.some((name) => actions.has(name)))
  const goesWithout = (name: string) => done.some((deed) => deed.by.includes(name) || deed.with?.test(name))
  const others = [...actions].filter((name) => !goesWithout(name))
  return { kinds: done.map(({ kind }) => kind), others }
}
