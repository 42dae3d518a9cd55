import Type from 'typebox'
import { AskedEncryption, ObjectEncryption } from './encryption.ts'
import { StoredObject } from './objects.ts'
import { route } from './route.ts'
import {
  BucketName,
  Checksum,
  ContentMd5,
  Cursor,
  Exactly,
  expectedChecksums,
  Id,
  Limit,
  Metadata,
  Nullable,
  ObjectHeaders,
  ObjectKey,
  Page,
  Tags,
  Timestamp,
} from './shapes.ts'
import { Opaque, Plain } from './texts.ts'

const params = Type.Object({ bucket: BucketName })
export const MIN_PART_BYTES = 5 * 1024 ** 2
export const DEFAULT_PART_BYTES = 16 * 1024 ** 2
export const MAX_PARTS = 10_000
export const MAX_PART_BYTES = 5 * 1024 ** 3
export const MAX_OBJECT_BYTES = 5 * 1024 ** 4

export const PartNumber = Type.Integer({ minimum: 1, maximum: MAX_PARTS })
const PartUrl = Type.Object({
  part_number: PartNumber,
  url: Type.String({ description: 'PUT the part here, without a credential, and keep the `ETag`.' }),
})

const { algorithm, type } = Checksum.properties
/** Base64. */
const PartChecksum = Opaque(100)

const common = {
  upload_id: Id,
  bucket: BucketName,
  key: ObjectKey,
  file_size: Nullable(Type.Integer()),
  part_size: Type.Integer({ description: 'Bytes of every part but the last; 0 if parts may have any size.' }),
  num_parts: Nullable(Type.Integer({ description: 'Null if the size was not given.' })),
  checksum: Type.Optional(Type.Object({ algorithm, type }, { description: 'What the object is to have.' })),
  encryption: Type.Optional({ ...ObjectEncryption, description: 'How its parts are encrypted, if they are.' }),
  expires_at: Timestamp,
}

const StoredPart = Type.Object({
  part_number: PartNumber,
  size: Type.Integer(),
  etag: Type.String(),
  checksum: Type.Optional(Type.String({ description: 'Base64, by the upload’s algorithm.' })),
})

export const Upload = Type.Object({
  ...common,
  created_at: Timestamp,
  created_by: Nullable(Type.String()),
  received_parts: Type.Integer(),
  received_bytes: Type.Integer(),
})
export type Upload = Type.Static<typeof Upload>

export const operations = {
  initUpload: route({
    method: 'POST',
    url: '/buckets/{bucket}/upload/init',
    tag: 'uploads',
    summary: 'Start a multipart upload',
    description:
      'Reserves the size, if given, in the quota; after an hour without a part, only what has arrived, and then each further part. PUT each part to its URL, in any order and several at a time; unfinished uploads expire after a day (setting `uploads.expire_hours`).\n\nWith `checksum`, one is computed of every part, and of the object: of all its bytes (`full_object`, the default of CRCs), or of the checksums of its parts (`composite`). All but CRCs are always composite, CRC-64/NVME never is.',
    access: 'signed_in',
    status: 201,
    params,
    body: Exactly({
      key: ObjectKey,
      file_size: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_OBJECT_BYTES })),
      content_type: Type.Optional(Plain(255)),
      headers: Type.Optional(ObjectHeaders),
      metadata: Type.Optional(Metadata),
      tags: Type.Optional(Tags),
      checksum: Type.Optional(Exactly({ algorithm, type: Type.Optional(type) })),
      encryption: AskedEncryption,
      part_size: Type.Optional(Type.Integer({ minimum: MIN_PART_BYTES, maximum: MAX_PART_BYTES })),
    }),
    reply: Type.Object({
      ...common,
      urls: Type.Array(Type.String(), {
        description:
          'In order of part number; at most 1,000. Get the rest, and renewed ones, from `GET …/upload/{upload_id}`.',
      }),
    }),
    errors: ['not_found', 'conflict', 'quota_exceeded', 'invalid_request', 'limit_reached', 'read_only'],
    records: [],
  }),

  getUpload: route({
    method: 'GET',
    url: '/buckets/{bucket}/upload/{upload_id}',
    tag: 'uploads',
    summary: 'Get the parts that have arrived, and new URLs for the rest',
    description: 'For resuming after a reload, or from another machine.',
    access: 'signed_in',
    status: 200,
    params: Type.Object({ bucket: BucketName, upload_id: Id }),
    query: Exactly({
      from: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_PARTS, default: 1, description: 'First part number.' }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 1000, description: 'Part numbers.' })),
    }),
    reply: Type.Object({
      ...Upload.properties,
      parts: Type.Array(StoredPart),
      urls: Type.Array(PartUrl, { description: 'URLs of the missing parts.' }),
    }),
    errors: ['not_found'],
  }),

  listUploads: route({
    method: 'GET',
    url: '/buckets/{bucket}/upload',
    tag: 'uploads',
    summary: 'List unfinished uploads, latest first',
    access: 'signed_in',
    status: 200,
    params,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(Upload),
    errors: ['not_found'],
  }),

  completeUpload: route({
    method: 'POST',
    url: '/buckets/{bucket}/upload/complete',
    tag: 'uploads',
    summary: 'Complete a multipart upload',
    description:
      'The cost depends on the number of parts, not of bytes. Repeating the request returns the same result. 409 names parts that are missing or different.',
    access: 'signed_in',
    status: 200,
    params,
    bodyLimit: 2 * 1024 * 1024,
    body: Exactly({
      upload_id: Id,
      key: Type.Optional(ObjectKey),
      parts: Type.Array(
        Exactly({
          part_number: PartNumber,
          etag: Opaque(100),
          checksum: Type.Optional(PartChecksum),
        }),
        { minItems: 1, maxItems: MAX_PARTS },
      ),
      checksum: Type.Optional(Opaque(100, { description: 'What the object’s checksum must be.' })),
      if_none_match: Type.Optional(Type.Enum(['*'])),
    }),
    reply: StoredObject,
    errors: ['not_found', 'conflict', 'quota_exceeded', 'precondition_failed'],
    records: ['upload'],
  }),

  abortUpload: route({
    method: 'POST',
    url: '/buckets/{bucket}/upload/abort',
    tag: 'uploads',
    summary: 'Abort an upload and remove its parts',
    access: 'signed_in',
    status: 204,
    params,
    body: Exactly({ upload_id: Id }),
    errors: ['not_found'],
    records: [],
  }),

  putPart: route({
    method: 'PUT',
    url: '/parts/{token}',
    tag: 'uploads',
    summary: 'Upload one part to its URL',
    description: 'Needs `Content-Length`. Uploading a part again replaces it.',
    access: 'public',
    consumes: 'bytes',
    status: 200,
    params: Type.Object({ token: Type.String({ maxLength: 1024 }) }),
    headers: Type.Object({
      'content-md5': ContentMd5('part'),
      ...expectedChecksums,
    }),
    body: Type.String({ contentMediaType: 'application/octet-stream' }),
    reply: StoredPart,
    errors: [
      'forbidden',
      'not_found',
      'conflict',
      'invalid_request',
      'length_required',
      'too_large',
      'malformed',
      'quota_exceeded',
      'rate_limited',
    ],
    records: [],
    rate: 'none',
  }),
}
