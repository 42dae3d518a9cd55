import Type from 'typebox'
import { StoredObject } from './objects.ts'
import { route } from './route.ts'
import { BucketName, Cursor, Exactly, Id, Limit, Nullable, ObjectKey, Page, Prefix, Timestamp } from './shapes.ts'

export const TrashItem = Type.Object({
  id: Id,
  bucket: BucketName,
  key: ObjectKey,
  size: Type.Integer(),
  etag: Type.String(),
  content_type: Type.String(),
  reason: Type.Enum(['deleted', 'overwritten']),
  deleted_at: Timestamp,
  deleted_by: Nullable(Type.String()),
  expires_at: Timestamp,
})
export type TrashItem = Type.Static<typeof TrashItem>

const inBucket = Type.Object({ name: BucketName })

export const listTrash = route({
  method: 'GET',
  url: '/buckets/{name}/trash',
  tag: 'trash',
  summary: 'List deleted and overwritten contents, latest first',
  access: 'signed_in',
  status: 200,
  params: inBucket,
  query: Exactly({ prefix: Type.Optional(Prefix), cursor: Type.Optional(Cursor), limit: Type.Optional(Limit) }),
  reply: Page(TrashItem),
  errors: ['not_found'],
})

const ids = Type.Array(Id, { minItems: 1, maxItems: 1000, uniqueItems: true })

export const restoreTrash = route({
  method: 'POST',
  url: '/buckets/{name}/trash/restore',
  tag: 'trash',
  summary: 'Put contents of the trash back',
  description:
    'All of the ids or none: 409 names those whose key is taken, 413 says that the quota has no room. Needs `write` on each key.',
  access: 'signed_in',
  status: 200,
  params: inBucket,
  body: Exactly({ ids }),
  reply: Type.Object({ items: Type.Array(StoredObject) }),
  errors: ['not_found', 'conflict', 'quota_exceeded'],
  records: ['restore'],
  bodyLimit: 131_072,
})

export const purgeTrash = route({
  method: 'POST',
  url: '/buckets/{name}/trash/purge',
  tag: 'trash',
  summary: 'Destroy contents of the trash for good',
  description:
    'The named ids, or with `all` everything in the trash (at most 10,000 a call: `more` says whether some is left).',
  access: 'signed_in',
  status: 200,
  params: inBucket,
  body: Type.Union([Exactly({ ids }), Exactly({ all: Type.Literal(true) })]),
  reply: Type.Object({ purged: Type.Integer(), bytes: Type.Integer(), more: Type.Boolean() }),
  errors: ['not_found'],
  records: ['purge'],
  bodyLimit: 131_072,
})
