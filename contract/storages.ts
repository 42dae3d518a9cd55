import Type from 'typebox'
import { STORAGE_NAME } from './names.ts'
import { route } from './route.ts'
import { AwsAccessKeyId, AwsRegion, Exactly, endpointOf, Nullable, Timestamp } from './shapes.ts'
import { Plain } from './texts.ts'

/** The storage of STORAGE_URL. It needs no row, and cannot be changed or deleted. */
export const DEFAULT_STORAGE = 'default'

export const StorageName = Type.String({
  pattern: STORAGE_NAME,
  description: '1–63 of `a-z 0-9 -`, starting and ending with a letter or digit. It cannot be changed.',
  examples: ['nas'],
})

export const storageKinds = ['s3', 'file'] as const
export type StorageKind = (typeof storageKinds)[number]

const Endpoint = endpointOf('S3 engine', 'https://s3.example.org')
const EngineBucket = Type.String({
  pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
  description: 'The bucket of the S3 engine.',
  examples: ['strongroom'],
})
export const EnginePrefix = Type.String({
  maxLength: 512,
  pattern: '^$|^(?!.*//)(?!(.*/)?\\.\\.?(/|$))[!-.0-~][ -~]*$',
  description: 'Where in that bucket the bytes lie. A slash is added at its end.',
  examples: ['blobs/'],
})
const Folder = Type.String({
  maxLength: 1024,
  pattern: '^/[^\\x00-\\x1f\\x7f]*$',
  description: 'An absolute path in one of the folders of `STORAGE_FOLDERS`.',
  examples: ['/mnt/disk2/strongroom'],
})
const PathStyle = Type.Boolean({
  description: 'Whether the bucket is in the path instead of the host name; by default, if there is an endpoint.',
})
const Secret = Plain(256, {
  minLength: 1,
  description: 'Stored encrypted and never returned.',
})

export const StorageHealth = Type.Object({
  ok: Type.Boolean(),
  detail: Nullable(Type.String({ description: 'What is wrong, in one sentence.' })),
  since: Type.String({ format: 'date-time', description: 'Since when it has been so, as far as this process knows.' }),
  latency_ms: Type.Integer(),
  free_bytes: Nullable(Type.Integer({ description: 'Of the disk of a storage of files; an engine does not say.' })),
  checked_at: Timestamp,
})
export type StorageHealth = Type.Static<typeof StorageHealth>

const acknowledge = Type.Enum(['one', 'both'], {
  default: 'one',
  description:
    'When an upload is acknowledged: when one copy is durable, and the other follows, usually within seconds; or when both are.',
})
const whenDown = Type.Enum(['refuse', 'continue'], {
  default: 'refuse',
  description:
    'What becomes of uploads with `both` while one place is down: they are answered with 503, or acknowledged with one copy and counted in `copies_due`.',
})
const keepRemovedDays = Type.Integer({
  minimum: 0,
  maximum: 3650,
  default: 30,
  description: 'How many days the second copy of what was removed is kept.',
})
export const Mirror = Type.Object({
  storage: StorageName,
  acknowledge,
  when_down: whenDown,
  keep_removed_days: keepRemovedDays,
  copies_due: Type.Integer({ description: 'How many copies it lacks, as far as they are queued.' }),
  due_since: Nullable(Timestamp, { description: 'Since when the one that has waited longest is queued.' }),
  complete: Type.Boolean({ description: 'Whether everything has a copy there, including what was there before.' }),
  locked: Type.Boolean({
    description:
      'Whether its engine locks the copies (Object Lock), so that nobody can destroy them before `keep_removed_days` are over.',
  }),
})
export type Mirror = Type.Static<typeof Mirror>
const MirrorChange = Type.Object(
  {
    storage: Type.Optional(StorageName),
    acknowledge: Type.Optional(acknowledge),
    when_down: Type.Optional(whenDown),
    keep_removed_days: Type.Optional(keepRemovedDays),
  },
  { additionalProperties: false, minProperties: 1 },
)
export type MirrorChange = Type.Static<typeof MirrorChange>

export const Storage = Type.Object({
  name: StorageName,
  kind: Type.Enum([...storageKinds]),
  endpoint: Nullable(Endpoint),
  region: Nullable(Type.String()),
  bucket: Nullable(Type.String()),
  prefix: Type.String({ description: 'Empty, or ends with a slash.' }),
  path_style: Nullable(PathStyle),
  folder: Nullable(Type.String()),
  access_key_id: Nullable(Type.String()),
  enabled: Type.Boolean({
    description: 'While false, it is not used: requests for what lies on it are answered with 503.',
  }),
  health: Nullable(StorageHealth, {
    description:
      'What the process that answers found when it last looked, at most half a minute ago; null before that, and while it is off.',
  }),
  bucket_count: Type.Integer({ description: 'Buckets that are on it, or attached to it.' }),
  used_bytes: Type.Integer({ description: 'Bytes of these buckets: of objects, versions and the trash.' }),
  served_by: Nullable(StorageName, {
    description: 'The storage whose place has its bytes since a failover; null where that is its own.',
  }),
  mirror: Nullable(Mirror, { description: 'Where the second copy of all its bytes is.' }),
  scrub: Nullable(
    Type.Object({
      started_at: Timestamp,
      finished_at: Nullable(Timestamp, { description: 'Null while it runs.' }),
      checked: Type.Integer({ description: 'Copies that were read and compared.' }),
      damaged: Type.Integer({ description: 'Those that were missing or not what was written.' }),
      summed: Type.Integer({ description: 'Those of before, which got their checksums.' }),
    }),
    { description: 'The last reading of everything at its place; null before the first.' },
  ),
  events: Type.Boolean({ description: 'Whether it has a token with which the engine can report changes.' }),
  created_at: Nullable(Timestamp),
  created_by: Nullable(Type.String()),
})
export type Storage = Type.Static<typeof Storage>

export const checkNames = [
  'reach',
  'list',
  'order',
  'head',
  'read',
  'if_match',
  'clock',
  'versioning',
  'write',
] as const
export const StorageCheck = Type.Object({
  name: Type.Enum([...checkNames]),
  status: Type.Enum(['passed', 'warning', 'failed', 'skipped']),
  detail: Type.String({ description: 'One sentence about what was found.' }),
})
export type StorageCheck = Type.Static<typeof StorageCheck>

export const StorageTest = Type.Object({
  ok: Type.Boolean({ description: 'Whether no check has failed.' }),
  checks: Type.Array(StorageCheck, {
    description:
      '`reach`: it answers. `list`: its objects can be listed; `order`: in byte order. `head`, `read`: the first object’s properties and one byte of it. `if_match`: a wrong If-Match is refused. `clock`: its clock agrees with ours. `versioning`: whether it keeps versions. `write`: for own buckets, bytes can be written and deleted; for `read_only`, they cannot.',
  }),
  preview: Type.Array(Type.Object({ key: Type.String(), size: Type.Integer(), last_modified: Nullable(Timestamp) }), {
    description: 'The first 20 objects under the prefix; none of a storage of files.',
  }),
})
export type StorageTest = Type.Static<typeof StorageTest>

/** Where a storage is, and how to get in. */
export const placeFields = {
  kind: Type.Optional(Type.Enum([...storageKinds], { default: 's3' })),
  endpoint: Type.Optional(Nullable(Endpoint)),
  region: Type.Optional(Nullable(AwsRegion)),
  bucket: Type.Optional(Nullable(EngineBucket)),
  prefix: Type.Optional(EnginePrefix),
  path_style: Type.Optional(Nullable(PathStyle)),
  folder: Type.Optional(Nullable(Folder)),
  access_key_id: Type.Optional(Nullable(AwsAccessKeyId)),
  secret_access_key: Type.Optional(Nullable(Secret)),
}
const asked = {
  mode: Type.Optional(
    Type.Enum(['owned', 'read_only'], {
      default: 'owned',
      description: 'What for: `owned` for buckets of our own, `read_only` for showing what is there.',
    }),
  ),
}

const common = { tag: 'storages', access: 'admin' } as const
const byName = Type.Object({ storage: StorageName })

export const operations = {
  listStorages: route({
    ...common,
    method: 'GET',
    url: '/storages',
    summary: 'List the storages, in name order, after the default one',
    status: 200,
    reply: Type.Object({ items: Type.Array(Storage) }),
  }),

  createStorage: route({
    ...common,
    method: 'POST',
    url: '/storages',
    summary: 'Register a storage',
    description:
      'Buckets can then be created on it. `s3` needs `bucket`, `file` needs `folder`. It must be reachable, and must not be a place that is in use here already (409). Nothing is written before the first bucket of its own is created.',
    status: 201,
    body: Exactly({ name: StorageName, ...placeFields }),
    reply: Storage,
    errors: ['already_exists', 'conflict', 'invalid_request', 'limit_reached'],
    records: ['storage_create'],
    rate: 'costly',
  }),

  testNewStorage: route({
    ...common,
    method: 'POST',
    url: '/storages/test',
    summary: 'Test a storage before it is registered',
    status: 200,
    body: Exactly({ ...placeFields, ...asked }),
    reply: StorageTest,
    errors: ['invalid_request'],
    records: [],
    rate: 'costly',
  }),

  getStorage: route({
    ...common,
    method: 'GET',
    url: '/storages/{storage}',
    summary: 'Get a storage',
    status: 200,
    params: byName,
    reply: Storage,
    errors: ['not_found'],
  }),

  updateStorage: route({
    ...common,
    method: 'PATCH',
    url: '/storages/{storage}',
    summary: 'Change how a storage is reached, turn it off or on, or give it a mirror',
    description:
      'With other credentials or another address it must be reachable, and must be the same storage if something of ours lies there (409). `mirror` is sent alone, also for the default storage, of which nothing else can be changed: every blob of the storage is then also on that other one, which must be reachable and writable (409); what is there already is copied in the background. `null` turns the mirror off, and leaves what is there.',
    status: 200,
    params: byName,
    body: Type.Object(
      {
        endpoint: placeFields.endpoint,
        region: placeFields.region,
        path_style: placeFields.path_style,
        access_key_id: placeFields.access_key_id,
        secret_access_key: placeFields.secret_access_key,
        enabled: Type.Optional(Type.Boolean()),
        mirror: Type.Optional(Nullable(MirrorChange)),
      },
      { additionalProperties: false, minProperties: 1 },
    ),
    reply: Storage,
    errors: ['not_found', 'conflict', 'invalid_request'],
    records: ['storage_update'],
    rate: 'costly',
  }),

  failoverStorage: route({
    ...common,
    method: 'POST',
    url: '/storages/{storage}/failover',
    summary: 'Make the mirror of a storage the place that is read and written first',
    description:
      'Nothing is copied. The place that was first becomes the mirror, and is sent what it misses once it can be reached. Called again, it is the way back.',
    status: 200,
    params: byName,
    body: Exactly({
      accept_missing: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Also while the mirror lacks copies, which then cannot be read until the other place is back.',
        }),
      ),
    }),
    bodyOptional: true,
    reply: Storage,
    errors: ['not_found', 'conflict'],
    records: ['storage_failover'],
    rate: 'costly',
  }),

  deleteStorage: route({
    ...common,
    method: 'DELETE',
    url: '/storages/{storage}',
    summary: 'Forget a storage on which nothing lies any more',
    description: 'While it has a bucket, or bytes that were deleted lately are still there, this is refused (409).',
    status: 204,
    params: byName,
    errors: ['not_found', 'not_empty', 'conflict'],
    records: ['storage_delete'],
  }),

  testStorage: route({
    ...common,
    method: 'POST',
    url: '/storages/{storage}/test',
    summary: 'Test a storage',
    status: 200,
    params: byName,
    body: Exactly({ ...asked, prefix: Type.Optional(EnginePrefix) }),
    bodyOptional: true,
    reply: StorageTest,
    errors: ['not_found'],
    records: [],
    rate: 'costly',
  }),

  getStorageHealth: route({
    ...common,
    method: 'GET',
    url: '/storages/{storage}/health',
    summary: 'Check whether a storage answers',
    status: 200,
    params: byName,
    reply: StorageHealth,
    errors: ['not_found'],
  }),

  createEventsToken: route({
    ...common,
    method: 'POST',
    url: '/storages/{storage}/events-token',
    summary: 'Make the token with which the engine reports changes',
    description: 'It replaces the one before, and is only in this response.',
    status: 201,
    params: byName,
    reply: Type.Object({
      token: Type.String(),
      url: Type.String({ description: 'Where the engine is to send its event notifications.' }),
    }),
    errors: ['not_found', 'conflict'],
    records: ['storage_update'],
  }),

  deleteEventsToken: route({
    ...common,
    method: 'DELETE',
    url: '/storages/{storage}/events-token',
    summary: 'Delete the token, so that no more reports are accepted',
    status: 204,
    params: byName,
    errors: ['not_found'],
    records: ['storage_update'],
  }),

  receiveEvents: route({
    method: 'POST',
    url: '/storages/{storage}/events',
    tag: 'storages',
    summary: 'Report changes of objects, as an S3 engine does',
    description:
      'For event notifications of MinIO, Ceph, RustFS and others in the format of AWS. The token is sent as `Authorization: Bearer`, or as the parameter `token` by engines that cannot. Only the keys are noted: Strongroom asks the engine what became of each, so order, repetition and loss do no harm.',
    access: 'public',
    status: 204,
    params: byName,
    query: Exactly({ token: Type.Optional(Plain(128)) }),
    headers: Type.Object({ authorization: Type.Optional(Type.String({ maxLength: 256 })) }),
    body: Type.Object({}, { additionalProperties: true, description: 'An event notification.' }),
    rate: 'none',
    errors: ['unauthenticated', 'not_found'],
    records: [],
  }),
}
