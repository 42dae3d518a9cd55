import Type from 'typebox'
import { BucketEncryption } from './encryption.ts'
import { ObjectLock, ObjectLockChange } from './locks.ts'
import { At } from './moment.ts'
import { bucketActions } from './permissions.ts'
import { PublicAccess } from './public-access.ts'
import { route } from './route.ts'
import { BucketName, Cursor, Exactly, Id, Limit, Nullable, Page, Prefix, Timestamp } from './shapes.ts'
import { EnginePrefix, StorageName } from './storages.ts'

export const QuotaGb = Type.Number({
  exclusiveMinimum: 0,
  maximum: 1_000_000,
  description: 'Maximum size of live objects in gigabytes (1024³ bytes); fractions are allowed.',
  examples: [10],
})
const HistoryQuotaGb = Type.Number({
  exclusiveMinimum: 0,
  maximum: 1_000_000,
  description:
    'How much snapshots alone may keep, in gigabytes (1024³ bytes). While it is more, or will be once the trash has let go of what they need, no snapshot is taken (413). Nothing else is refused, and nothing is deleted for it.',
  examples: [50],
})
const IncludesHistory = Type.Boolean({
  description:
    'Whether what snapshots alone keep takes room of the quota. Then none is taken either while the quota is exceeded.',
})
const TrashDays = Type.Integer({
  minimum: 0,
  maximum: 3650,
  description: 'Days that deleted and overwritten objects stay restorable; 0 disables the trash.',
  examples: [7],
})

const VersioningChange = Type.Enum(['enabled', 'suspended'], {
  description:
    '`enabled`: what is replaced or deleted stays as a version. `suspended`: the versions stay, but no more are made. It cannot be turned off again.',
})
export const versionings = ['off', 'enabled', 'suspended'] as const
export type Versioning = (typeof versionings)[number]

export const bucketModes = ['owned', 'read_only', 'taken_over'] as const
export type BucketMode = (typeof bucketModes)[number]
const Mode = Type.Enum([...bucketModes], {
  description:
    '`owned`: its objects are stored by Strongroom. `read_only`: it shows the objects that others keep on an S3 engine, and nothing there is ever changed. `taken_over`: those objects are its own now, and their bytes still lie there.',
})

/** Said of each figure that is of the whole bucket. */
const hidden = 'Null unless the caller can list or manage the whole bucket.'

/** Where the objects are, or were, that an attached bucket shows, or that were taken over. */
export const BucketSource = Type.Object({
  bucket: Type.String({ description: 'The bucket of the S3 engine.' }),
  prefix: Type.String({ description: 'What it shows there; left out of the keys. Empty, or ends with a slash.' }),
  storage: Type.String({ ...StorageName, description: 'The storage on which that is.' }),
  as_of: Nullable(Timestamp, {
    description: 'When the last complete scan started: sizes, counts and lists are as of then. Null before the first.',
  }),
  weak: Type.Boolean({
    description: 'The engine gives objects without ETags: changes are noticed by size and time only.',
  }),
  changed_at: Nullable(Timestamp, {
    description: 'When it was last noticed that others changed something. Null: not since the first scan.',
  }),
  events_at: Nullable(Timestamp, { description: 'When the engine last reported a change.' }),
  taken_over_at: Nullable(Timestamp, { description: 'Null: it is read-only.' }),
  findings: Nullable(Type.Integer(), {
    description: `How many keys others have changed since it was taken over; 1,000 at most. ${hidden}`,
  }),
  release_job: Nullable(Id, {
    description:
      'The job that writes its objects back to an engine. Until that has ended, the bucket cannot be changed.',
  }),
})
export type BucketSource = Type.Static<typeof BucketSource>

/** How a bucket began that is a fork of another. */
export const BucketFork = Type.Object({
  bucket: Nullable(BucketName, { description: 'Its origin; null if that is gone, or the caller may not know of it.' }),
  moment: Type.String({
    description: 'As its origin was at this moment.',
    examples: ['2026-11-27T14:05:00.000001Z'],
  }),
  prefix: Type.String({ description: 'What it has of its origin; empty: all.' }),
  state: Type.Enum(['filling', 'whole'], {
    description: '`filling`: a job still takes its objects. Until it is whole it is empty, and cannot be changed.',
  }),
  job: Nullable(Id, { description: 'The job, while it is filled.' }),
  erased: Type.Integer({ description: 'How many objects it lacks, since their contents had been purged or erased.' }),
  expires_at: Nullable(Timestamp, { description: 'When it is deleted, with all that is in it. Null: never.' }),
})
export type BucketFork = Type.Static<typeof BucketFork>

export const Bucket = Type.Object({
  name: BucketName,
  mode: Mode,
  source: Nullable(BucketSource, { description: 'Null: an owned bucket.' }),
  fork: Nullable(BucketFork, { description: 'Null unless it is a fork of another bucket.' }),
  quota_gb: Nullable(QuotaGb, {
    description: 'Null without a quota, or if `used_bytes` is null.',
  }),
  used_bytes: Nullable(Type.Integer(), {
    description: `Bytes of objects and their versions, as counted against the quota. ${hidden}`,
  }),
  reserved_bytes: Nullable(Type.Integer(), {
    description: `Bytes reserved by unfinished multipart uploads; they count against the quota. ${hidden}`,
  }),
  object_count: Nullable(Type.Integer(), { description: hidden }),
  trash_bytes: Nullable(Type.Integer(), {
    description: `Bytes in the trash; they do not count against the quota. ${hidden}`,
  }),
  version_bytes: Nullable(Type.Integer(), {
    description: `The part of \`used_bytes\` that noncurrent versions take. ${hidden}`,
  }),
  encrypted_bytes: Nullable(Type.Integer(), {
    description: `The part of \`used_bytes\` that is encrypted, as it is now. ${hidden}`,
  }),
  encrypted_objects: Nullable(Type.Integer(), {
    description: `The part of \`object_count\` that is encrypted. ${hidden}`,
  }),
  history_bytes: Nullable(Type.Integer(), {
    description: `Bytes that only snapshots keep. They count against the quota where \`quota_includes_history\` says so. ${hidden}`,
  }),
  history_quota_gb: Nullable(HistoryQuotaGb, {
    description:
      'How much snapshots alone may keep before no more are taken. Null without a limit, or if `used_bytes` is null.',
  }),
  quota_includes_history: IncludesHistory,
  trash_days: TrashDays,
  versioning: Type.Enum([...versionings]),
  object_lock: Nullable(ObjectLock, { description: 'Null: nothing in it can be locked.' }),
  encryption: Nullable(BucketEncryption, {
    description: 'How new objects are encrypted whose upload says nothing of it. Null: they are not.',
  }),
  history_from: Nullable(Timestamp, {
    description:
      'From when on what it was can be shown, besides what snapshots keep. Null: it keeps neither a trash nor versions, so nothing is known.',
  }),
  storage: Type.String({ ...StorageName, description: 'The storage on which its new bytes lie.' }),
  created_at: Timestamp,
  created_by: Nullable(Type.String()),
  public_access: Nullable(PublicAccess, {
    description: 'What of it is public at the S3 endpoint; null while `s3.public_access` is off.',
  }),
  permissions: Type.Array(Type.Enum([...bucketActions]), {
    description: 'What the caller may do with some key of the bucket.',
  }),
})
export type Bucket = Type.Static<typeof Bucket>

/** What can be said of an owned bucket. */
export const bucketFields = {
  quota_gb: Type.Optional(Nullable(QuotaGb)),
  history_quota_gb: Type.Optional(Nullable(HistoryQuotaGb)),
  quota_includes_history: Type.Optional(IncludesHistory),
  trash_days: Type.Optional(TrashDays),
  versioning: Type.Optional(VersioningChange),
  object_lock: Type.Optional(ObjectLockChange),
  encryption: Type.Optional(
    Nullable(BucketEncryption, {
      description:
        'Of new objects whose upload says nothing of it; existing objects do not change. Null: none. A new bucket of which nothing is said is encrypted as the setting `encryption.new_buckets` says.',
    }),
  ),
}
const params = Type.Object({ bucket: BucketName })

export const operations = {
  createBucket: route({
    method: 'POST',
    url: '/buckets',
    tag: 'buckets',
    summary: 'Create a bucket',
    access: 'signed_in',
    status: 201,
    body: Exactly({
      name: BucketName,
      ...bucketFields,
      storage: Type.Optional(
        Type.String({
          ...StorageName,
          default: 'default',
          description:
            'Only administrators may choose another than the default. `read_only` needs one of the kind `s3`.',
        }),
      ),
      mode: Type.Optional(
        Type.Enum(['owned', 'read_only'], {
          default: 'owned',
          description:
            'With `read_only`, the bucket is attached: it shows what is on the storage, without quota, trash, versions or locks. For administrators. A scan starts, which finds the objects.',
        }),
      ),
      prefix: Type.Optional(
        Type.String({
          ...EnginePrefix,
          description:
            'Only for `read_only`: what to show of the engine’s bucket; by default, what is under the storage’s prefix. It must not overlap with another attached bucket or with bytes of Strongroom’s own (409).',
        }),
      ),
      from: Type.Optional(
        Exactly(
          {
            bucket: BucketName,
            at: Type.Optional(At),
            prefix: Type.Optional(Prefix),
          },
          {
            description:
              'Forks this bucket: the new one starts with its objects, or those under the prefix, as they are or were. Only rows are written: the bytes are shared, and neither sees what changes in the other. Versions, locks and ACLs are not taken. Needs `read` on all of it. Of many objects, a job takes them: see `fork`.',
          },
        ),
      ),
      expires_at: Type.Optional({
        ...Timestamp,
        description: 'Only of a fork: when it is deleted, with all that is in it. By default, never.',
      }),
    }),
    reply: Bucket,
    errors: [
      'already_exists',
      'conflict',
      'invalid_request',
      'not_found',
      'read_only',
      'quota_exceeded',
      'limit_reached',
    ],
    records: ['create_bucket'],
  }),

  listBuckets: route({
    method: 'GET',
    url: '/buckets',
    tag: 'buckets',
    summary: 'List the buckets you have a grant on',
    access: 'signed_in',
    status: 200,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(Bucket),
  }),

  getBucket: route({
    method: 'GET',
    url: '/buckets/{bucket}',
    tag: 'buckets',
    summary: 'Get a bucket',
    access: 'signed_in',
    status: 200,
    params,
    reply: Bucket,
    errors: ['not_found'],
  }),

  updateBucket: route({
    method: 'PATCH',
    url: '/buckets/{bucket}',
    tag: 'buckets',
    summary: "Change a bucket's quotas, trash days, versioning, Object Lock or public access",
    description:
      'A quota below current usage is allowed: nothing is deleted, only growth is refused. `null` removes the quota. Object Lock needs `versioning` `enabled`, and keeps it so (409).',
    access: 'signed_in',
    status: 200,
    params,
    body: Type.Object(
      {
        ...bucketFields,
        public_access_blocked: Type.Optional(
          Type.Boolean({
            description: 'Whether nothing of it can be public. False only while `s3.public_access` is on (409).',
          }),
        ),
      },
      { additionalProperties: false, minProperties: 1 },
    ),
    reply: Bucket,
    errors: ['not_found', 'conflict', 'invalid_request', 'read_only'],
    records: ['update_bucket'],
  }),

  deleteBucket: route({
    method: 'DELETE',
    url: '/buckets/{bucket}',
    tag: 'buckets',
    summary: 'Delete an empty bucket',
    description: 'Its trash is deleted too; while anything in that is locked, this is refused (423).',
    access: 'signed_in',
    status: 204,
    params,
    errors: ['not_found', 'not_empty', 'locked', 'read_only'],
    records: ['delete_bucket'],
  }),
}
