import Type from 'typebox'
import { ObjectEncryption } from './encryption.ts'
import { Lock } from './locks.ts'
import { StoredObject } from './objects.ts'
import { route } from './route.ts'
import { BucketName, Cursor, Exactly, Id, Limit, Nullable, ObjectKey, Page, Prefix, Timestamp } from './shapes.ts'

export const TrashItem = Type.Object({
  id: Id,
  bucket: BucketName,
  key: ObjectKey,
  version_id: Type.Optional(
    Type.String({ description: 'The version that it was, and will be again where versions are kept.' }),
  ),
  size: Type.Integer(),
  etag: Type.String(),
  content_type: Type.String(),
  encryption: Type.Optional(ObjectEncryption),
  lock: Type.Optional(Lock),
  reason: Type.Enum(['deleted', 'overwritten']),
  deleted_at: Timestamp,
  deleted_by: Nullable(Type.String()),
  expires_at: Timestamp,
})
export type TrashItem = Type.Static<typeof TrashItem>

const inBucket = Type.Object({ bucket: BucketName })

const ids = Type.Array(Id, { minItems: 1, maxItems: 1000, uniqueItems: true })

/** A restored item; in the order of the ids. */
export const RestoredItem = Type.Object({
  id: Id,
  key: Type.String({ description: 'Its key now.' }),
  original_key: Type.String({ description: 'Its key before; differs from `key` if both objects were kept.' }),
  replaced: Type.Boolean({ description: 'Whether it replaced an object.' }),
  replaced_trash_id: Nullable(Id, {
    description: 'The replaced object in the trash; null if nothing was replaced or the bucket keeps no trash.',
  }),
})
export type RestoredItem = Type.Static<typeof RestoredItem>
export type OnConflict = 'fail' | 'replace' | 'keep_both'

export const operations = {
  listTrash: route({
    method: 'GET',
    url: '/buckets/{bucket}/trash',
    tag: 'trash',
    summary: 'List deleted and overwritten objects, latest first',
    access: 'signed_in',
    status: 200,
    params: inBucket,
    query: Exactly({ prefix: Type.Optional(Prefix), cursor: Type.Optional(Cursor), limit: Type.Optional(Limit) }),
    reply: Page(TrashItem),
    errors: ['not_found'],
  }),

  restoreTrash: route({
    method: 'POST',
    url: '/buckets/{bucket}/trash/restore',
    tag: 'trash',
    summary: 'Restore objects from the trash',
    description:
      'Restores all of the ids or none; 413 if the quota is exceeded. Needs `write` on each key. `on_conflict` says what happens ' +
      'if the key is in use: `fail` (the default) returns 409 and names the keys. `replace` moves the present object to the ' +
      'trash as overwritten; in a bucket without trash it would be lost, so `delete` and `manage` on the key are needed ' +
      'too. `keep_both` restores under a free name, such as `report (restored).pdf`. For two ids with the same key, ' +
      '`fail` and `replace` return 409, unless the bucket keeps versions: then both are versions of it, in the order in which ' +
      'they were written. With `keep_both` the one trashed last keeps the key.',
    access: 'signed_in',
    status: 200,
    params: inBucket,
    body: Exactly({ ids, on_conflict: Type.Optional(Type.Enum(['fail', 'replace', 'keep_both'])) }),
    reply: Type.Object({ items: Type.Array(StoredObject), restored: Type.Array(RestoredItem) }),
    errors: ['not_found', 'conflict', 'quota_exceeded'],
    records: ['restore'],
    bodyLimit: 131_072,
  }),

  purgeTrash: route({
    method: 'POST',
    url: '/buckets/{bucket}/trash/purge',
    tag: 'trash',
    summary: 'Permanently delete objects from the trash',
    description:
      'The given ids, or with `all` everything in the trash (at most 10,000 per call: `more` says whether any are left).',
    access: 'signed_in',
    status: 200,
    params: inBucket,
    body: Type.Union([Exactly({ ids }), Exactly({ all: Type.Literal(true) })]),
    reply: Type.Object({ purged: Type.Integer(), bytes: Type.Integer(), more: Type.Boolean() }),
    errors: ['not_found', 'locked'],
    records: ['purge'],
    bodyLimit: 131_072,
  }),
}
