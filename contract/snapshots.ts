import Type from 'typebox'
import { At } from './moment.ts'
import { SNAPSHOT_NAME } from './names.ts'
import { route } from './route.ts'
import { BucketName, Cursor, Exactly, Limit, Nullable, Page, Timestamp } from './shapes.ts'

export const SnapshotName = Type.String({
  pattern: SNAPSHOT_NAME,
  description:
    '1–60 of `a-z 0-9 -`, starting and ending with a letter or digit, and no moment such as `20261127t140500z`.',
  examples: ['before-the-upgrade'],
})
const Note = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '^[^\\x00-\\x08\\x0b-\\x1f\\x7f]*$',
  description: 'What it is for.',
  examples: ['Database backup 4711'],
})

export const Snapshot = Type.Object({
  name: SnapshotName,
  moment: Type.String({
    description: 'What the bucket was at this moment is kept: an RFC 3339 time with microseconds.',
    examples: ['2026-11-27T14:05:00.000001Z'],
  }),
  note: Nullable(Type.String()),
  created_at: Timestamp,
  created_by: Nullable(Type.String()),
  expires_at: Nullable(Timestamp, { description: 'When it ends by itself. Null: never.' }),
})
export type Snapshot = Type.Static<typeof Snapshot>

const params = Type.Object({ bucket: BucketName })
const named = Type.Object({ bucket: BucketName, name: SnapshotName })

export const operations = {
  createSnapshot: route({
    method: 'POST',
    url: '/buckets/{bucket}/snapshots',
    tag: 'snapshots',
    summary: 'Name a moment of a bucket, and keep what it was then',
    description:
      'By default, the present: every change that was answered before is in it, none that is made later. As long as the snapshot exists, neither the end of the days in the trash nor a purge deletes what it needs. Needs `manage` on the bucket. Refused (`quota_exceeded`) while what snapshots alone keep is more than `history_quota_gb` of the bucket, or has exceeded its quota with `quota_includes_history`.',
    access: 'signed_in',
    status: 201,
    params,
    body: Exactly({
      name: SnapshotName,
      note: Type.Optional(Note),
      at: Type.Optional({
        ...At,
        description:
          'A moment that has been, or that of another snapshot. What was purged or erased of it since cannot be kept any more.',
      }),
      expires_at: Type.Optional({ ...Timestamp, description: 'When it ends by itself; by default, never.' }),
    }),
    reply: Snapshot,
    errors: ['not_found', 'already_exists', 'invalid_request', 'read_only', 'limit_reached', 'quota_exceeded'],
    records: ['snapshot_create'],
  }),

  listSnapshots: route({
    method: 'GET',
    url: '/buckets/{bucket}/snapshots',
    tag: 'snapshots',
    summary: 'List the snapshots of a bucket, the latest moment first',
    access: 'signed_in',
    status: 200,
    params,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(Snapshot),
    errors: ['not_found', 'invalid_request'],
  }),

  getSnapshot: route({
    method: 'GET',
    url: '/buckets/{bucket}/snapshots/{name}',
    tag: 'snapshots',
    summary: 'Get a snapshot',
    access: 'signed_in',
    status: 200,
    params: named,
    reply: Snapshot,
    errors: ['not_found'],
  }),

  deleteSnapshot: route({
    method: 'DELETE',
    url: '/buckets/{bucket}/snapshots/{name}',
    tag: 'snapshots',
    summary: 'Delete a snapshot',
    description: 'What only it kept is deleted afterwards. Needs `manage` on the bucket.',
    access: 'signed_in',
    status: 204,
    params: named,
    errors: ['not_found'],
    records: ['snapshot_delete'],
  }),
}
