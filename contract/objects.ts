import Type from 'typebox'
import { route } from './route.ts'
import {
  BucketName,
  Cursor,
  Exactly,
  KEYS_BODY_LIMIT,
  Keys,
  Limit,
  Metadata,
  Nullable,
  ObjectKey,
  Page,
  Prefix,
  Timestamp,
} from './shapes.ts'

export const StoredObject = Type.Object({
  bucket: BucketName,
  key: ObjectKey,
  size: Type.Integer({ description: 'Bytes.' }),
  etag: Type.String({ description: 'MD5 of the contents, hex (of a multipart upload: `md5-of-md5s-N`).' }),
  content_type: Type.String(),
  sha256: Type.Optional(Type.String({ description: 'SHA-256 of the contents, hex.' })),
  metadata: Type.Record(Type.String(), Type.String()),
  created_at: Timestamp,
  last_modified: Timestamp,
  created_by: Nullable(Type.String()),
})
export type StoredObject = Type.Static<typeof StoredObject>

/** What became of each key of a bulk operation. */
export const BulkResult = Type.Object({
  succeeded: Type.Array(Type.String(), { description: 'Keys where it was done; of a copy or move the new ones.' }),
  errors: Type.Array(
    Type.Object({
      key: Type.String({ description: 'As it was given.' }),
      code: Type.String(),
      detail: Type.String(),
    }),
  ),
})
export type BulkResult = Type.Static<typeof BulkResult>
export const DeleteResult = Type.Object({
  ...BulkResult.properties,
  trash_ids: Type.Array(Type.String(), { description: 'What went to the trash; empty where the trash is off.' }),
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
  download: Type.Optional(Type.Enum(['0', '1'], { description: '`1`: answer as an attachment.' })),
}

const putObjectSpec = {
  method: 'PUT',
  tag: 'objects',
  summary: 'Store an object',
  description:
    'The body is the contents. `If-None-Match: *` stores only a new key, `If-Match` only over that version. `x-meta-*` headers become metadata. What was there goes to the trash.',
  access: 'signed_in',
  consumes: 'bytes',
  status: 201,
  otherStatus: [200],
  headers: Type.Object({
    'content-type': Type.Optional(Type.String()),
    'content-md5': Type.Optional(Type.String({ description: 'Base64 of the MD5 the body must have.' })),
    'if-none-match': Type.Optional(Type.String()),
    'if-match': Type.Optional(Type.String()),
  }),
  body: Type.String({ contentMediaType: 'application/octet-stream' }),
  reply: StoredObject,
  errors: ['not_found', 'precondition_failed', 'quota_exceeded', 'malformed', 'rate_limited'],
  records: ['upload'],
} as const

const getObjectSpec = {
  method: 'GET',
  tag: 'objects',
  summary: 'Download an object',
  description: 'Takes Range (single and multiple) and the conditions of RFC 9110.',
  access: 'signed_in',
  status: 200,
  otherStatus: [206, 304],
  headers: Type.Object(conditions),
  produces: 'bytes',
  errors: ['not_found', 'precondition_failed', 'range_not_satisfiable'],
} as const

const headObjectSpec = {
  ...getObjectSpec,
  method: 'HEAD',
  otherStatus: [304],
  summary: "An object's headers",
  description: 'The headers a download would have.',
} as const

const deleteObjectSpec = {
  method: 'DELETE',
  tag: 'objects',
  summary: 'Delete an object',
  description: 'It goes to the trash. `permanent=true` destroys it and needs `manage`.',
  access: 'signed_in',
  status: 204,
  headers: Type.Object({ 'if-match': Type.Optional(Type.String()) }),
  errors: ['not_found', 'precondition_failed'],
  records: ['delete'],
} as const
const deleteQuery = { permanent: Type.Optional(Type.Boolean({ default: false })) }

const updateObjectSpec = {
  method: 'PATCH',
  tag: 'objects',
  summary: 'Change the content type or metadata of an object',
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
      metadata: Type.Optional({ ...Metadata, description: 'Replaces all of it. At most 8 KiB.' }),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  reply: StoredObject,
  errors: ['not_found', 'precondition_failed', 'invalid_request'],
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
      'By name both come in one byte order, page by page, at a cost that does not grow with the bucket.',
      'By size or time the folders come first. `offset` jumps; `cursor` reads on.',
      '`total` counts folders and objects; it is exact when `total_exact` says so (always with `offset`, or when the folder fits the page).',
    ].join(' '),
    access: 'signed_in',
    status: 200,
    params: inBucket,
    query: Exactly({
      prefix: Type.Optional(Prefix),
      cursor: Type.Optional(Cursor),
      offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000 })),
      limit: Type.Optional(Limit),
      sort: Type.Optional(Type.Enum(['name', 'size', 'modified'], { default: 'name' })),
      order: Type.Optional(Type.Enum(['asc', 'desc'], { default: 'asc' })),
      folders: Type.Optional(
        Type.Enum(['mixed', 'first'], {
          default: 'mixed',
          description:
            '`first`: as a window shows a folder: folders before objects also by name, and the empty object that only marks the folder itself left out.',
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
      total_folders: Nullable(
        Type.Integer({ description: 'How many of `total` are folders; null where that is not known.' }),
      ),
    }),
    errors: ['not_found'],
  }),

  listObjects: route({
    method: 'GET',
    url: '/buckets/{bucket}/objects',
    tag: 'objects',
    summary: 'List all objects under a prefix, folders ignored',
    access: 'signed_in',
    status: 200,
    params: inBucket,
    query: Exactly({
      prefix: Type.Optional(Prefix),
      search: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description:
            'Only keys that hold this text after the prefix, whatever its case. A page may be short and yet not the last: `next_cursor` tells.',
        }),
      ),
      cursor: Type.Optional(Cursor),
      limit: Type.Optional(Limit),
    }),
    reply: Page(StoredObject),
    errors: ['not_found'],
  }),

  uploadForm: route({
    method: 'POST',
    url: '/buckets/{bucket}/objects',
    tag: 'objects',
    summary: 'Upload files as a form',
    description: 'One or more file parts; each is stored as `prefix` + its file name. All are stored or none.',
    access: 'signed_in',
    consumes: 'multipart',
    status: 201,
    params: inBucket,
    query: Exactly({ prefix: Type.Optional(Prefix) }),
    body: Type.Object({ file: Type.Array(Type.String({ contentMediaType: 'application/octet-stream' })) }),
    reply: Type.Object({ items: Type.Array(StoredObject) }),
    errors: ['not_found', 'quota_exceeded', 'unsupported_media_type', 'rate_limited'],
    records: ['upload'],
  }),

  putObject: route({ ...putObjectSpec, ...inPath, query: Exactly({}) }),

  getObject: route({ ...getObjectSpec, ...inPath, query: Exactly(readQuery) }),

  headObject: route({ ...headObjectSpec, ...inPath, query: Exactly(readQuery) }),

  deleteObject: route({ ...deleteObjectSpec, ...inPath, query: Exactly(deleteQuery) }),

  /** The twins: URL clients normalise `..` and `//` in paths away, in a query nothing is lost. */
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
    description: 'They go to the trash; `trash_ids` put them back.',
    body: Exactly({ keys: Keys }),
    reply: DeleteResult,
    records: ['delete'],
  }),

  objectsExist: route({
    ...manyKeys,
    url: '/buckets/{bucket}/objects/exists',
    summary: 'Which of up to 1,000 keys are taken',
    description: 'Answers for keys the caller may list or read; before an upload, say.',
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
