import Type from 'typebox'
import { encryptionHeader } from './encryption.ts'
import { ImageQuery } from './images.ts'
import { StoredObject } from './objects.ts'
import { route } from './route.ts'
import { BucketName, Exactly, ObjectKey, VersionId } from './shapes.ts'
import { Line, Plain } from './texts.ts'

/** A key of 1,024 control characters, six bytes each in JSON, with a file name and a content type of the same. */
const LONGEST_TOKEN = 14_400

const signed = {
  url: '/signed/{token}',
  tag: 'objects',
  access: 'public',
  params: Type.Object({ token: Type.String({ maxLength: LONGEST_TOKEN }) }),
} as const

const getSignedSpec = {
  ...signed,
  method: 'GET',
  summary: 'Download with a presigned URL',
  status: 200,
  otherStatus: [206, 304, 307],
  query: Exactly({}),
  produces: 'bytes',
  errors: ['forbidden', 'not_found', 'precondition_failed', 'range_not_satisfiable', 'archived', 'damaged'],
  rate: 'none',
} as const

export const operations = {
  presignObject: route({
    method: 'POST',
    url: '/buckets/{bucket}/objects/presign',
    tag: 'objects',
    summary: 'Create a URL that needs no credential',
    description:
      'For one method on one key, within these limits, until it expires. It stops working when its creator loses the permission or the account.',
    access: 'signed_in',
    status: 200,
    params: Type.Object({ bucket: BucketName }),
    body: Exactly({
      key: ObjectKey,
      version_id: Type.Optional({ ...VersionId, description: 'GET: this version instead of the current one.' }),
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
      download: Type.Optional(Type.Boolean({ description: 'GET: always send as an attachment.' })),
      filename: Type.Optional(Line(255, { description: 'GET: the file name to save as.' })),
      embed: Type.Optional(
        Type.Boolean({
          description: 'GET: pages of this origin may show it in a frame; never redirects to the storage.',
        }),
      ),
      image: Type.Optional({
        ...ImageQuery,
        description:
          'GET: the object as an image with exactly these parameters, of which `w`, `h`, `format` or `q` must be given. Never redirects to the storage.',
      }),
      content_type: Type.Optional(Plain(255, { description: 'PUT: the only Content-Type accepted.' })),
      max_bytes: Type.Optional(
        Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'PUT: maximum size in bytes.' }),
      ),
    }),
    reply: Type.Object({ url: Type.String(), method: Type.Enum(['GET', 'PUT']), expires_at: Type.String() }),
    errors: ['invalid_request'],
    records: [],
  }),

  getSigned: route(getSignedSpec),

  getSignedFile: route({
    ...getSignedSpec,
    url: '/signed/{token}/{name}',
    summary: 'Download with a presigned URL (file name in the path)',
    description:
      'Append a slash and any name: browsers show the end of an address as the title of a PDF, and offer it when it is saved.',
    params: Type.Object({ ...signed.params.properties, name: Line(1024) }),
  }),

  headSigned: route({
    ...signed,
    method: 'HEAD',
    summary: 'Get headers with a presigned URL',
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
    summary: 'Upload with a presigned URL',
    consumes: 'bytes',
    status: 201,
    otherStatus: [200],
    query: Exactly({}),
    headers: Type.Object(encryptionHeader),
    body: Type.String({ contentMediaType: 'application/octet-stream' }),
    reply: StoredObject,
    errors: [
      'forbidden',
      'not_found',
      'conflict',
      'malformed',
      'precondition_failed',
      'too_large',
      'quota_exceeded',
      'unsupported_media_type',
      'rate_limited',
      'read_only',
    ],
    records: ['upload'],
    rate: 'none',
  }),
}
