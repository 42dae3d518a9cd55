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

const inBucket = Type.Object({ bucket: BucketName })

const ids = Type.Array(Id, { minItems: 1, maxItems: 1000, uniqueItems: true })

/** What became of an item; in the order of the ids. */
export const RestoredItem = Type.Object({
  id: Id,
  key: Type.String({ description: 'The key it has now.' }),
  original_key: Type.String({ description: 'The key it had; another one where both were kept.' }),
  replaced: Type.Boolean({ description: 'Whether an object that was at the key gave way to it.' }),
  replaced_trash_id: Nullable(Id, {
    description: 'What gave way, in the trash; null where nothing did or the bucket keeps no trash.',
  }),
})
export type RestoredItem = Type.Static<typeof RestoredItem>
export type OnConflict = 'fail' | 'replace' | 'keep_both'

export const operations = {
  listTrash: route({
    method: 'GET',
    url: '/buckets/{bucket}/trash',
    tag: 'trash',
    summary: 'List deleted and overwritten contents, latest first',
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
    summary: 'Put contents of the trash back',
    description:
      'All of the ids or none; 413 says that the quota has no room. Needs `write` on each key. `on_conflict` says what happens ' +
      'where another object has the key: `fail` (the default) answers 409 and names them. `replace` puts what is there into ' +
      'the trash as overwritten; where the bucket keeps no trash it would be lost, so `delete` and `manage` on the key are ' +
      'needed too. `keep_both` restores under a free name beside it, as in `report (restored).pdf`. Of two ids with one key, ' +
      '`fail` and `replace` answer 409; `keep_both` gives the key to the one that came into the trash last.',
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
  }),
}
