import Type from 'typebox'
import { route } from './route.ts'
import { BucketName, Cursor, Exactly, Limit, Nullable, Page, Prefix, SomeTags, Timestamp } from './shapes.ts'
import { EnginePrefix, StorageName } from './storages.ts'
import { Line } from './texts.ts'

/** As many as S3 takes. */
export const MOST_REPLICATION_RULES = 1000

/** Which objects are replicated. */
export const ReplicationRule = Exactly({
  id: Type.Optional(Line(255, { description: 'What S3 clients call it.' })),
  priority: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2 ** 31 - 1,
      description:
        'Of the rules that an object matches, the one with the highest decides; of equal ones, the first. Default: 0.',
    }),
  ),
  enabled: Type.Optional(Type.Boolean({ default: true })),
  prefix: Type.Optional(Prefix),
  tags: Type.Optional(SomeTags),
  deletes: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether a key that is deleted is deleted there as well. Not possible together with `tags`.',
    }),
  ),
})
export type ReplicationRule = Type.Static<typeof ReplicationRule>

export const encryptedKinds = ['refuse', 'plain', 'engine'] as const
const Rules = Type.Array(ReplicationRule, { minItems: 1, maxItems: MOST_REPLICATION_RULES })
const settings = {
  storage: Type.String({ ...StorageName, description: 'A storage of the kind `s3`, in whose bucket the replica is.' }),
  prefix: Type.String({ ...EnginePrefix, description: 'Under which prefix there. A slash is added at its end.' }),
  rules: Rules,
  encrypted: Type.Enum([...encryptedKinds], {
    default: 'refuse',
    description:
      'What becomes of encrypted objects: they fail (`refuse`); they are sent decrypted (`plain`), or with the demand that the engine encrypts them (`engine`). The last two need an endpoint with TLS. What a client’s own key encrypts always fails.',
  }),
  existing: Type.Boolean({
    default: true,
    description: 'Whether objects are replicated that are there already.',
  }),
}

/** How a bucket is replicated, and how far that is. */
export const Replication = Type.Object({
  ...settings,
  configured_at: Timestamp,
  paused: Type.Boolean(),
  filled: Type.Boolean({ description: 'Whether all objects are queued that were there before.' }),
  lag_seconds: Type.Number({ description: 'Since when the oldest change is waiting; 0 if none is.' }),
  backlog: Type.Object({ objects: Type.Integer(), bytes: Type.Integer() }, { description: 'What is waiting.' }),
  failed: Type.Integer({ description: 'Keys and versions that are not tried again by themselves.' }),
  error: Nullable(Type.String({ description: 'Why nothing can be written there now; it is tried again.' })),
})
export type Replication = Type.Static<typeof Replication>

export const ReplicationFailure = Type.Object({
  key: Type.String(),
  version_id: Nullable(Type.String()),
  size: Type.Integer(),
  reason: Type.String({ description: 'One sentence.' }),
  since: Timestamp,
})
export type ReplicationFailure = Type.Static<typeof ReplicationFailure>

export const differenceKinds = ['missing', 'different', 'extra', 'unreadable'] as const
/** What both sides have of a range of keys. */
export const ReplicationDifferences = Type.Object({
  checked: Type.Integer({ description: 'Objects of this page that have to be there.' }),
  waiting: Type.Integer({ description: 'Of these, how many are queued or have failed: they were not compared.' }),
  differences: Type.Array(
    Type.Object({
      key: Type.String(),
      kind: Type.Enum([...differenceKinds], {
        description:
          '`missing`: it is not there. `different`: other bytes are. `extra`: only there. `unreadable`: the bytes of one side cannot be read.',
      }),
      detail: Type.String(),
    }),
  ),
  next_cursor: Nullable(Type.String()),
})
export type ReplicationDifferences = Type.Static<typeof ReplicationDifferences>

const common = { tag: 'buckets', access: 'admin' } as const
const params = Type.Object({ bucket: BucketName })

export const operations = {
  listReplications: route({
    ...common,
    method: 'GET',
    url: '/replications',
    summary: 'List the buckets that are replicated, in name order, and how far each is',
    status: 200,
    reply: Type.Object({ items: Type.Array(Type.Object({ bucket: BucketName, ...Replication.properties })) }),
  }),

  getReplication: route({
    ...common,
    access: 'signed_in',
    method: 'GET',
    url: '/buckets/{bucket}/replication',
    summary: 'How a bucket is replicated, and how far that is',
    description: 'Needs `manage`. 404 without a replica.',
    status: 200,
    params,
    reply: Replication,
    errors: ['not_found'],
  }),

  setReplication: route({
    ...common,
    method: 'PUT',
    url: '/buckets/{bucket}/replication',
    summary: 'Replicate a bucket to a bucket of an S3 engine',
    description:
      'Objects are written there under their own keys, with their headers, metadata and tags, and again with every change. The place must answer, and must not be one where this service keeps bytes or shows what is there (409). What others write there is overwritten. Without `rules`, everything is replicated and nothing deleted.',
    status: 200,
    params,
    body: Exactly({
      storage: settings.storage,
      prefix: Type.Optional(settings.prefix),
      rules: Type.Optional(Rules),
      encrypted: Type.Optional(settings.encrypted),
      existing: Type.Optional(settings.existing),
    }),
    bodyLimit: 1024 ** 2,
    reply: Replication,
    errors: ['not_found', 'conflict', 'invalid_request', 'read_only'],
    records: ['update_bucket'],
    rate: 'costly',
  }),

  deleteReplication: route({
    ...common,
    method: 'DELETE',
    url: '/buckets/{bucket}/replication',
    summary: 'End the replication of a bucket',
    description: 'What is there stays.',
    status: 204,
    params,
    errors: ['not_found'],
    records: ['update_bucket'],
  }),

  pauseReplication: route({
    ...common,
    method: 'POST',
    url: '/buckets/{bucket}/replication/pause',
    summary: 'Pause the replication of a bucket',
    description: 'Changes are queued until it is resumed.',
    status: 200,
    params,
    reply: Replication,
    errors: ['not_found'],
    records: ['update_bucket'],
  }),

  resumeReplication: route({
    ...common,
    method: 'POST',
    url: '/buckets/{bucket}/replication/resume',
    summary: 'Resume the replication of a bucket, and try again what has failed',
    status: 200,
    params,
    reply: Replication,
    errors: ['not_found'],
    records: ['update_bucket'],
  }),

  listReplicationFailures: route({
    ...common,
    access: 'signed_in',
    method: 'GET',
    url: '/buckets/{bucket}/replication/failures',
    summary: 'List what could not be replicated, in key order',
    description: 'Needs `manage`.',
    status: 200,
    params,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(ReplicationFailure),
    errors: ['not_found'],
  }),

  verifyReplication: route({
    ...common,
    method: 'POST',
    url: '/buckets/{bucket}/replication/verify',
    summary: 'Compare the next keys of a bucket with its replica',
    description:
      'By the lists of both sides, and by the MD5 of each object; where a list does not have that, its bytes are read on both sides. Call it with `next_cursor` until that is null; `strongroom replication verify` does. Nothing is changed.',
    status: 200,
    params,
    body: Exactly({ cursor: Type.Optional(Cursor) }),
    bodyOptional: true,
    reply: ReplicationDifferences,
    errors: ['not_found', 'conflict', 'invalid_request'],
    records: [],
    rate: 'costly',
  }),
}
