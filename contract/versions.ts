import Type from 'typebox'
import { ObjectEncryption } from './encryption.ts'
import { Lock } from './locks.ts'
import { At } from './moment.ts'
import { StoredObject } from './objects.ts'
import { route } from './route.ts'
import {
  BucketName,
  Cursor,
  Exactly,
  Limit,
  Nullable,
  ObjectKey,
  Page,
  Prefix,
  Timestamp,
  VersionId,
} from './shapes.ts'

export const Version = Type.Object({
  bucket: BucketName,
  key: ObjectKey,
  version_id: VersionId,
  latest: Type.Boolean({ description: "Whether it is its key's latest: the object, or the marker that hides it." }),
  marker: Type.Boolean({ description: 'A delete marker: from then on the key had no object.' }),
  size: Type.Integer({ description: 'Bytes; 0 for a delete marker.' }),
  etag: Nullable(Type.String()),
  content_type: Nullable(Type.String()),
  last_modified: Timestamp,
  created_by: Nullable(Type.String()),
  encryption: Type.Optional(ObjectEncryption),
  lock: Type.Optional(Lock),
  noncurrent_at: Nullable({ ...Timestamp, description: 'When it was replaced or deleted.' }),
})
export type Version = Type.Static<typeof Version>

/** A deleted key, or a folder that has versions. */
export const DeletedEntry = Type.Object({
  name: Type.String({ description: 'The key, or the folder with its slash.' }),
  folder: Type.Boolean(),
  gone: Type.Boolean({ description: 'Of a folder: whether nothing in it is left but versions.' }),
  version_id: Nullable(Type.String(), { description: 'The delete marker, without which the key is there again.' }),
  deleted_at: Nullable(Timestamp),
  deleted_by: Nullable(Type.String()),
})
export type DeletedEntry = Type.Static<typeof DeletedEntry>

const params = Type.Object({ bucket: BucketName })

export const operations = {
  listVersions: route({
    method: 'GET',
    url: '/buckets/{bucket}/versions',
    tag: 'versions',
    summary: 'List versions and delete markers',
    description:
      'Of one `key`, or of all keys under a `prefix`, in the order of keys and of each key the latest first. In a bucket that never kept versions, every object is the only version of its key, `null`. With `at`, the versions that there were, and which was the latest; those that were permanently deleted since are left out.',
    access: 'signed_in',
    status: 200,
    params,
    query: Exactly({
      at: Type.Optional(At),
      key: Type.Optional(ObjectKey),
      prefix: Type.Optional(Prefix),
      limit: Type.Optional(Limit),
      cursor: Type.Optional(Cursor),
    }),
    reply: Page(Version),
    errors: ['not_found', 'invalid_request'],
  }),

  listDeleted: route({
    method: 'GET',
    url: '/buckets/{bucket}/deleted',
    tag: 'versions',
    summary: 'List what is deleted in a folder',
    description:
      'Keys directly below `prefix` whose latest version is a delete marker, and the folders there that have versions, by name. A short page may not be the last one: check `next_cursor`.',
    access: 'signed_in',
    status: 200,
    params,
    query: Exactly({
      prefix: Type.Optional(Prefix),
      limit: Type.Optional(Limit),
      cursor: Type.Optional(Cursor),
    }),
    reply: Page(DeletedEntry),
    errors: ['not_found'],
  }),

  restoreVersion: route({
    method: 'POST',
    url: '/buckets/{bucket}/versions/restore',
    tag: 'versions',
    summary: 'Make an earlier version current again',
    description: 'As a new version with the same contents; no bytes are copied, and the earlier version stays.',
    access: 'signed_in',
    status: 200,
    params,
    body: Exactly({ key: ObjectKey, version_id: VersionId }),
    reply: StoredObject,
    errors: ['not_found', 'conflict', 'quota_exceeded'],
    records: ['restore'],
  }),
}
