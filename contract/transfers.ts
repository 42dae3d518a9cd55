import Type from 'typebox'
import { StoredObject } from './objects.ts'
import { route } from './route.ts'
import { BucketName, Exactly, Metadata, Nullable, ObjectKey, Prefix, Timestamp } from './shapes.ts'

const params = Type.Object({ bucket: BucketName })
/** A thousand keys of a thousand bytes each. */
const MANY_KEYS = 4 * 1024 * 1024
const Keys = Type.Array(ObjectKey, { minItems: 1, maxItems: 1000, uniqueItems: true })
const IfNoneMatch = Type.Optional(Type.Enum(['*'], { description: 'Only where the key is free.' }))

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
const DeleteResult = Type.Object({
  ...BulkResult.properties,
  trash_ids: Type.Array(Type.String(), { description: 'What went to the trash; empty where the trash is off.' }),
})
export type DeleteResult = Type.Static<typeof DeleteResult>

const one = {
  method: 'POST',
  tag: 'objects',
  access: 'signed_in',
  status: 200,
  params,
  body: Exactly({
    source_bucket: BucketName,
    source_key: ObjectKey,
    dest_key: Type.Optional(Type.String({ ...ObjectKey, description: 'Default: the same key.' })),
    if_none_match: IfNoneMatch,
  }),
  reply: StoredObject,
  errors: ['not_found', 'conflict', 'precondition_failed', 'quota_exceeded'],
} as const

const many = {
  method: 'POST',
  tag: 'objects',
  access: 'signed_in',
  status: 200,
  params,
  bodyLimit: MANY_KEYS,
  rate: 'costly',
  reply: BulkResult,
  errors: ['not_found'],
} as const
const manyBody = Exactly({
  source_bucket: BucketName,
  keys: Keys,
  dest_prefix: Type.Optional(Prefix),
  source_prefix: Type.Optional(
    Type.String({
      ...Prefix,
      description:
        'What is taken off the keys before `dest_prefix` is put in front. Default: all but the last segment.',
    }),
  ),
  if_none_match: IfNoneMatch,
})

const update = {
  method: 'PATCH',
  tag: 'objects',
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

const archive = {
  tag: 'objects',
  access: 'signed_in',
  status: 200,
  params,
  produces: 'bytes',
  errors: ['not_found'],
} as const

/** A key of 1,024 control characters, six bytes each in JSON, with a file name and a type of the same. */
const LONGEST_TOKEN = 14_000

const signed = {
  url: '/signed/{token}',
  tag: 'objects',
  access: 'public',
  params: Type.Object({ token: Type.String({ maxLength: LONGEST_TOKEN }) }),
} as const

export const operations = {
  copyObject: route({
    ...one,
    url: '/buckets/{bucket}/objects/copy',
    summary: 'Copy an object into this bucket',
    description:
      'Needs `read` on the source and `write` on the new key. No byte is copied: both share the contents. What was there goes to the trash.',
    records: ['copy'],
  }),

  moveObject: route({
    ...one,
    url: '/buckets/{bucket}/objects/move',
    summary: 'Move or rename an object into this bucket',
    description: 'Needs `read` and `delete` on the source and `write` on the new key.',
    records: ['move'],
  }),

  bulkCopy: route({
    ...many,
    url: '/buckets/{bucket}/objects/bulk-copy',
    summary: 'Copy up to 1,000 objects into this bucket',
    body: manyBody,
    records: ['copy'],
  }),

  bulkMove: route({
    ...many,
    url: '/buckets/{bucket}/objects/bulk-move',
    summary: 'Move up to 1,000 objects into this bucket',
    body: manyBody,
    records: ['move'],
  }),

  bulkDelete: route({
    ...many,
    url: '/buckets/{bucket}/objects/bulk-delete',
    summary: 'Delete up to 1,000 objects',
    description: 'They go to the trash; `trash_ids` put them back.',
    body: Exactly({ keys: Keys }),
    reply: DeleteResult,
    records: ['delete'],
  }),

  objectsExist: route({
    ...many,
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

  updateObject: route({
    ...update,
    url: '/buckets/{bucket}/objects/{+key}',
    summary: 'Change the content type or metadata of an object',
    params: Type.Object({ bucket: BucketName, key: ObjectKey }),
  }),

  updateObjectByQuery: route({
    ...update,
    url: '/buckets/{bucket}/object',
    summary: 'Change the content type or metadata of an object (key in the query)',
    params,
    query: Exactly({ key: ObjectKey }),
  }),

  archiveObjects: route({
    ...archive,
    method: 'GET',
    url: '/buckets/{bucket}/objects/archive',
    summary: 'Download a folder or a selection as a zip',
    description:
      'Streamed as it is read. What the caller may not read is left out. Without `prefix` and `keys` this is the object of the key `archive`.',
    query: Exactly({
      prefix: Type.Optional(Prefix),
      keys: Type.Optional(Type.Array(ObjectKey, { minItems: 1, maxItems: 1000, uniqueItems: true })),
      download: Type.Optional(Type.Enum(['0', '1'])),
    }),
    rate: 'costly',
  }),

  archiveSelection: route({
    ...archive,
    method: 'POST',
    url: '/buckets/{bucket}/objects/archive',
    summary: 'The same for a selection too long for a URL',
    bodyLimit: MANY_KEYS,
    body: Exactly({ keys: Keys }),
    records: [],
    rate: 'costly',
  }),

  presignObject: route({
    method: 'POST',
    url: '/buckets/{bucket}/objects/presign',
    tag: 'objects',
    summary: 'A URL that needs no credential',
    description:
      'For one method on one key, within these limits, until it expires. It ends with the right or the account of whoever made it.',
    access: 'signed_in',
    status: 200,
    params,
    body: Exactly({
      key: ObjectKey,
      method: Type.Optional(Type.Enum(['GET', 'PUT'], { default: 'GET', description: 'GET allows HEAD too.' })),
      expires_in: Type.Optional(
        Type.Union(
          [Type.String({ pattern: '^[1-9]\\d{0,7}[smhdw]$' }), Type.Integer({ minimum: 1, maximum: 604_800 })],
          {
            description: '`15m`, `1h`, `7d` or seconds; at most seven days.',
            default: '1h',
          },
        ),
      ),
      download: Type.Optional(Type.Boolean({ description: 'GET: always as an attachment.' })),
      filename: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, description: 'GET: the name to save it by.' }),
      ),
      embed: Type.Optional(
        Type.Boolean({
          description: 'GET: pages of this origin may show it in a frame, and it is never redirected to the storage.',
        }),
      ),
      content_type: Type.Optional(Type.String({ maxLength: 255, description: 'PUT: the only Content-Type taken.' })),
      max_bytes: Type.Optional(
        Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'PUT: the most bytes taken.' }),
      ),
    }),
    reply: Type.Object({ url: Type.String(), method: Type.Enum(['GET', 'PUT']), expires_at: Type.String() }),
    errors: ['invalid_request'],
    records: [],
  }),

  getSigned: route({
    ...signed,
    method: 'GET',
    summary: 'Download by a presigned URL',
    status: 200,
    otherStatus: [206, 304, 307],
    query: Exactly({}),
    produces: 'bytes',
    errors: ['forbidden', 'not_found', 'precondition_failed', 'range_not_satisfiable'],
    rate: 'none',
  }),

  headSigned: route({
    ...signed,
    method: 'HEAD',
    summary: 'Headers by a presigned URL',
    status: 200,
    otherStatus: [304, 307],
    query: Exactly({}),
    produces: 'bytes',
    errors: ['forbidden', 'not_found', 'precondition_failed'],
    rate: 'none',
  }),

  putSigned: route({
    ...signed,
    method: 'PUT',
    summary: 'Upload by a presigned URL',
    consumes: 'bytes',
    status: 201,
    otherStatus: [200],
    query: Exactly({}),
    body: Type.String({ contentMediaType: 'application/octet-stream' }),
    reply: StoredObject,
    errors: [
      'forbidden',
      'not_found',
      'precondition_failed',
      'too_large',
      'quota_exceeded',
      'unsupported_media_type',
      'rate_limited',
    ],
    records: ['upload'],
    rate: 'none',
  }),
}
