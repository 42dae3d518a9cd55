import Type from 'typebox'
import { encryptionHeader, ObjectEncryption } from './encryption.ts'
import { BypassLock, Lock } from './locks.ts'
import { At } from './moment.ts'
import { Acl } from './public-access.ts'
import { route } from './route.ts'
import {
  BucketName,
  Checksum,
  ContentMd5,
  Cursor,
  Exactly,
  expectedChecksums,
  KEYS_BODY_LIMIT,
  KeyPart,
  Keys,
  Limit,
  Metadata,
  Nullable,
  ObjectHeaders,
  ObjectKey,
  Page,
  Prefix,
  Tags,
  Timestamp,
  VersionId,
} from './shapes.ts'

/** Folders whose sizes one request asks for. */
export const MOST_SIZED = 100

export const StoredObject = Type.Object({
  bucket: BucketName,
  key: ObjectKey,
  version_id: Type.Optional(
    Type.String({
      description:
        'In a bucket that keeps versions. `null` is the version written while it kept none; lists leave it out.',
    }),
  ),
  size: Type.Integer({ description: 'Bytes.' }),
  etag: Type.String({
    description:
      'MD5 of the contents, hex (multipart upload: `md5-of-md5s-N`). Not their MD5 where they are encrypted with `aws:kms` or `SSE-C`.',
  }),
  content_type: Type.String(),
  sha256: Type.Optional(Type.String({ description: 'SHA-256 of the contents, hex, if it was computed.' })),
  checksums: Type.Optional(Type.Array(Checksum)),
  headers: Type.Optional({
    ...ObjectHeaders,
    description: 'As they were sent; a download sends of them what cannot weaken its own.',
  }),
  metadata: Type.Record(Type.String(), Type.String()),
  tags: Type.Optional(Type.Record(Type.String(), Type.String())),
  encryption: Type.Optional({ ...ObjectEncryption, description: 'How its contents are encrypted, if they are.' }),
  lock: Type.Optional({ ...Lock, description: 'Of a version that is or was locked.' }),
  acl: Type.Optional({
    ...Acl,
    description:
      'Its ACL at the S3 endpoint, unless that is its owner’s alone. Only `READ` of `everyone` and `authenticated` has an effect, in buckets with `public_access.object_acls`.',
  }),
  created_at: Timestamp,
  last_modified: Timestamp,
  created_by: Nullable(Type.String()),
  erased: Type.Optional(
    Type.Literal(true, { description: 'Of what was at a moment: its contents were purged or erased since.' }),
  ),
})
export type StoredObject = Type.Static<typeof StoredObject>

/** The outcome of a bulk operation for each key. */
export const BulkResult = Type.Object({
  succeeded: Type.Array(Type.String(), { description: 'Keys that succeeded; for a copy or move, the new keys.' }),
  errors: Type.Array(
    Type.Object({
      key: Type.String({ description: 'The key as given.' }),
      code: Type.String(),
      detail: Type.String(),
    }),
  ),
})
export type BulkResult = Type.Static<typeof BulkResult>
export const DeleteResult = Type.Object({
  ...BulkResult.properties,
  trash_ids: Type.Array(Type.String(), { description: 'Ids of the trashed objects; empty if the trash is off.' }),
  markers: Type.Array(Type.Object({ key: Type.String(), version_id: VersionId }), {
    description: 'In a bucket that keeps versions: the delete markers. Delete one, and its key has its object again.',
  }),
})
export type DeleteResult = Type.Static<typeof DeleteResult>

const inBucket = Type.Object({ bucket: BucketName })
const byKey = Type.Object({ bucket: BucketName, key: ObjectKey })

const conditions = {
  'if-match': Type.Optional(Type.String()),
  'if-none-match': Type.Optional(Type.String()),
  'if-modified-since': Type.Optional(Type.String()),
  'if-unmodified-since': Type.Optional(Type.String()),
  'if-range': Type.Optional(Type.String()),
  range: Type.Optional(Type.String({ maxLength: 2048 })),
}
const readQuery = {
  at: Type.Optional(At),
  version_id: Type.Optional({
    ...VersionId,
    description: 'This version instead of the current one; a delete marker is not found.',
  }),
  download: Type.Optional(Type.Enum(['0', '1'], { description: '`1`: send as an attachment.' })),
}

const putObjectSpec = {
  method: 'PUT',
  tag: 'objects',
  summary: 'Store an object',
  description:
    'The body is the contents. `If-None-Match: *` only creates a new key, `If-Match` only replaces that version. `x-meta-*` headers become metadata, `x-tags` tags. A replaced object goes to the trash.',
  access: 'signed_in',
  consumes: 'bytes',
  status: 201,
  otherStatus: [200],
  headers: Type.Object({
    'content-type': Type.Optional(Type.String()),
    'content-md5': ContentMd5('body'),
    ...expectedChecksums,
    'x-checksum-algorithm': Type.Optional(
      Type.String({ description: 'Asks for a checksum by this algorithm to be computed.', examples: ['crc64nvme'] }),
    ),
    'cache-control': Type.Optional(Type.String()),
    'content-disposition': Type.Optional(Type.String()),
    'content-encoding': Type.Optional(Type.String({ description: 'How the body is encoded; it is stored unchanged.' })),
    'content-language': Type.Optional(Type.String()),
    expires: Type.Optional(Type.String()),
    'x-tags': Type.Optional(
      Type.String({ description: 'At most 10 tags, URL-encoded.', examples: ['project=apollo&stage=draft'] }),
    ),
    ...encryptionHeader,
    'if-none-match': Type.Optional(Type.String()),
    'if-match': Type.Optional(Type.String()),
  }),
  body: Type.String({ contentMediaType: 'application/octet-stream' }),
  reply: StoredObject,
  errors: ['not_found', 'conflict', 'precondition_failed', 'quota_exceeded', 'malformed', 'rate_limited', 'read_only'],
  records: ['upload'],
} as const

const getObjectSpec = {
  method: 'GET',
  tag: 'objects',
  summary: 'Download an object',
  description:
    'Supports Range (single and multiple) and the conditional headers of RFC 9110. `X-Encryption` says how it is encrypted. What is encrypted with a key of its S3 client (SSE-C) can only be read at the S3 endpoint (`encryption_key_required`).',
  access: 'signed_in',
  status: 200,
  otherStatus: [206, 304],
  headers: Type.Object(conditions),
  produces: 'bytes',
  errors: [
    'not_found',
    'precondition_failed',
    'range_not_satisfiable',
    'archived',
    'damaged',
    'erased',
    'encryption_key_required',
  ],
} as const

const headObjectSpec = {
  ...getObjectSpec,
  method: 'HEAD',
  otherStatus: [304],
  summary: "Get an object's headers",
  description: 'The headers of a download, without the body.',
} as const

const deleteObjectSpec = {
  method: 'DELETE',
  tag: 'objects',
  summary: 'Delete an object',
  description:
    'Moves it to the trash; where versions are kept, it stays as one behind a delete marker. With `version_id`, moves this version to the trash. `permanent=true` deletes permanently and needs `manage`, and `version_id` where versions are kept. A version that is locked stays (423); `bypass_lock=true` removes one of mode `governance`.',
  access: 'signed_in',
  status: 204,
  headers: Type.Object({ 'if-match': Type.Optional(Type.String()) }),
  errors: ['not_found', 'precondition_failed', 'conflict', 'locked', 'read_only'],
  records: ['delete', 'version_delete'],
} as const
const deleteQuery = {
  permanent: Type.Optional(Type.Boolean({ default: false })),
  version_id: Type.Optional(VersionId),
  bypass_lock: Type.Optional(BypassLock),
}

const updateObjectSpec = {
  method: 'PATCH',
  tag: 'objects',
  summary: 'Change the content type, headers, metadata or tags of an object',
  access: 'signed_in',
  status: 200,
  headers: Type.Object({ 'if-match': Type.Optional(Type.String()) }),
  body: Type.Object(
    {
      content_type: Type.Optional(
        Type.String({
          maxLength: 255,
          pattern: '^[\\w!#$&^.+-]{1,127}/[\\w!#$&^.+-]{1,127}([ \\t]*;[\\x20-\\x7e]*)?$',
        }),
      ),
      headers: Type.Optional({ ...ObjectHeaders, description: 'Replaces all of them.' }),
      metadata: Type.Optional({ ...Metadata, description: 'Replaces all metadata. At most 8 KiB.' }),
      tags: Type.Optional({ ...Tags, description: 'Replaces all tags. At most 10.' }),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  reply: StoredObject,
  errors: ['not_found', 'precondition_failed', 'invalid_request', 'quota_exceeded', 'read_only'],
  records: ['update_object'],
} as const

const manyKeys = {
  method: 'POST',
  tag: 'objects',
  access: 'signed_in',
  status: 200,
  params: inBucket,
  bodyLimit: KEYS_BODY_LIMIT,
  rate: 'costly',
  errors: ['not_found'],
} as const

const inPath = { url: '/buckets/{bucket}/objects/{+key}', params: byKey } as const
const inQuery = { url: '/buckets/{bucket}/object', params: inBucket } as const
const twin = <S extends string>(summary: S) => `${summary} (key in the query)` as const

export const operations = {
  browse: route({
    method: 'GET',
    url: '/buckets/{bucket}/browse',
    tag: 'objects',
    summary: 'Browse a folder',
    description: [
      'Folders (`common_prefixes`) and objects directly under `prefix`.',
      'By name, both are sorted together in byte order, and a page’s cost does not grow with the bucket.',
      'By `natural`, folders come first, numbers in names are in order of their size (`img-2` before `img-10`), and capitals and accents do not count; a folder with more than 10,000 entries is in byte order.',
      'By size or time, folders come first, and objects of one size or time are in order of their keys. `offset` jumps; `cursor` continues.',
      'A page’s cost does not grow with the folder either, unless `offset` is given: then all of the folder is counted.',
      '`total` counts folders and objects; it is exact when `total_exact` says so (always with `offset`, or when the folder fits the page).',
    ].join(' '),
    access: 'signed_in',
    status: 200,
    params: inBucket,
    query: Exactly({
      at: Type.Optional(At),
      prefix: Type.Optional(Prefix),
      cursor: Type.Optional(Cursor),
      offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000 })),
      limit: Type.Optional(Limit),
      sort: Type.Optional(Type.Enum(['name', 'natural', 'size', 'modified'], { default: 'name' })),
      order: Type.Optional(Type.Enum(['asc', 'desc'], { default: 'asc' })),
      folders: Type.Optional(
        Type.Enum(['mixed', 'first'], {
          default: 'mixed',
          description:
            '`first`: as file managers show a folder: folders before objects also when sorted by name, and without the empty object that only marks the folder itself.',
        }),
      ),
    }),
    reply: Type.Object({
      prefix: Type.String(),
      common_prefixes: Type.Array(Type.String()),
      objects: Type.Array(StoredObject),
      next_cursor: Nullable(Type.String()),
      total: Type.Integer(),
      total_exact: Type.Boolean(),
      total_folders: Nullable(Type.Integer({ description: 'How many of `total` are folders; null if unknown.' })),
    }),
    errors: ['not_found'],
  }),

  listObjects: route({
    method: 'GET',
    url: '/buckets/{bucket}/objects',
    tag: 'objects',
    summary: 'List all objects under a prefix, ignoring folders',
    access: 'signed_in',
    status: 200,
    params: inBucket,
    query: Exactly({
      at: Type.Optional(At),
      prefix: Type.Optional(Prefix),
      search: Type.Optional(
        KeyPart({
          description:
            'Only keys that contain this text after the prefix, ignoring case. A short page may not be the last one: check `next_cursor`.',
        }),
      ),
      cursor: Type.Optional(Cursor),
      limit: Type.Optional(Limit),
    }),
    reply: Page(StoredObject),
    errors: ['not_found'],
  }),

  countObjects: route({
    method: 'GET',
    url: '/buckets/{bucket}/count',
    tag: 'objects',
    summary: 'Count the objects under a prefix, and their bytes',
    description:
      'Those that the caller may list, without the empty objects that only mark folders. A response covers at most 20,000 objects: add up those of all pages.',
    access: 'signed_in',
    status: 200,
    params: inBucket,
    query: Exactly({ at: Type.Optional(At), prefix: Type.Optional(Prefix), cursor: Type.Optional(Cursor) }),
    reply: Type.Object({
      objects: Type.Integer(),
      bytes: Type.Integer(),
      next_cursor: Nullable(Type.String()),
    }),
    errors: ['not_found'],
  }),

  sizeFolders: route({
    method: 'POST',
    url: '/buckets/{bucket}/folder-sizes',
    tag: 'objects',
    summary: 'Count what is in up to 100 folders, as far as that is quick',
    description:
      'Of each prefix, the objects that the caller may list and their bytes, without the empty objects that only mark folders. A response looks at 20,000 objects at most, shared fairly: small folders are counted whole, and of large ones it says `complete: false`, with what was counted. `GET /buckets/{bucket}/count` counts them whole.',
    access: 'signed_in',
    status: 200,
    params: inBucket,
    // Of keys that are as long as they can be.
    bodyLimit: 1024 * 1024,
    query: Exactly({ at: Type.Optional(At) }),
    body: Exactly({ prefixes: Type.Array(Prefix, { minItems: 1, maxItems: MOST_SIZED }) }),
    reply: Type.Object({
      items: Type.Array(
        Type.Object({
          prefix: Type.String(),
          objects: Type.Integer(),
          bytes: Type.Integer(),
          complete: Type.Boolean({ description: 'False: there is more in it than that.' }),
        }),
        { description: 'In the order of the prefixes.' },
      ),
    }),
    errors: ['not_found'],
    records: [],
  }),

  uploadForm: route({
    method: 'POST',
    url: '/buckets/{bucket}/objects',
    tag: 'objects',
    summary: 'Upload files as a form',
    description: 'One or more file parts; each is stored as `prefix` + its file name. Either all are stored or none.',
    access: 'signed_in',
    consumes: 'multipart',
    status: 201,
    params: inBucket,
    query: Exactly({ prefix: Type.Optional(Prefix) }),
    headers: Type.Object(encryptionHeader),
    body: Type.Object({ file: Type.Array(Type.String({ contentMediaType: 'application/octet-stream' })) }),
    reply: Type.Object({ items: Type.Array(StoredObject) }),
    errors: [
      'not_found',
      'conflict',
      'malformed',
      'quota_exceeded',
      'unsupported_media_type',
      'rate_limited',
      'read_only',
    ],
    records: ['upload'],
  }),

  putObject: route({ ...putObjectSpec, ...inPath, query: Exactly({}) }),

  getObject: route({ ...getObjectSpec, ...inPath, query: Exactly(readQuery) }),

  headObject: route({ ...headObjectSpec, ...inPath, query: Exactly(readQuery) }),

  deleteObject: route({ ...deleteObjectSpec, ...inPath, query: Exactly(deleteQuery) }),

  /** The same with the key in the query: URL clients normalise `..` and `//` in paths, never in a query. */
  putObjectByQuery: route({
    ...putObjectSpec,
    ...inQuery,
    summary: twin(putObjectSpec.summary),
    query: Exactly({ key: ObjectKey }),
  }),

  getObjectByQuery: route({
    ...getObjectSpec,
    ...inQuery,
    summary: twin(getObjectSpec.summary),
    query: Exactly({ key: ObjectKey, ...readQuery }),
  }),

  headObjectByQuery: route({
    ...headObjectSpec,
    ...inQuery,
    summary: twin(headObjectSpec.summary),
    query: Exactly({ key: ObjectKey, ...readQuery }),
  }),

  deleteObjectByQuery: route({
    ...deleteObjectSpec,
    ...inQuery,
    summary: twin(deleteObjectSpec.summary),
    query: Exactly({ key: ObjectKey, ...deleteQuery }),
  }),

  bulkDelete: route({
    ...manyKeys,
    url: '/buckets/{bucket}/objects/bulk-delete',
    summary: 'Delete up to 1,000 objects',
    description:
      'Moves them to the trash; restore them with `trash_ids`. In a bucket that keeps versions, they stay as versions behind `markers`.',
    body: Exactly({ keys: Keys }),
    reply: DeleteResult,
    records: ['delete'],
  }),

  objectsExist: route({
    ...manyKeys,
    url: '/buckets/{bucket}/objects/exists',
    summary: 'Check which of up to 1,000 keys exist',
    description: 'For example before an upload. Covers keys that the caller may list or read.',
    body: Exactly({ keys: Keys }),
    reply: Type.Object({
      items: Type.Array(
        Type.Object({
          key: Type.String(),
          exists: Type.Boolean(),
          size: Nullable(Type.Integer()),
          etag: Nullable(Type.String()),
          last_modified: Nullable(Timestamp),
        }),
      ),
    }),
    errors: ['not_found', 'forbidden'],
    records: [],
  }),

  updateObject: route({ ...updateObjectSpec, ...inPath }),

  updateObjectByQuery: route({
    ...updateObjectSpec,
    ...inQuery,
    summary: twin(updateObjectSpec.summary),
    query: Exactly({ key: ObjectKey }),
  }),
}
