import Type from 'typebox'
import { Job } from './jobs.ts'
import { MOST_QUIET_HOURS } from './names.ts'
import { route } from './route.ts'
import { Scan } from './scans.ts'
import { BucketName, Cursor, Exactly, Limit, Nullable, Page, Timestamp } from './shapes.ts'
import { DEFAULT_STORAGE, EnginePrefix, StorageName } from './storages.ts'

export const takeOverProblems = [
  'not_scanned',
  'not_quiet',
  'scan_held',
  'missing',
  'weak',
  'not_removable',
  'unreachable',
] as const

/** Whether a read-only bucket can be taken over, and what happens if it is. */
export const TakeOver = Type.Object({
  ready: Type.Boolean({ description: 'Whether nothing stands in the way.' }),
  problems: Type.Array(
    Type.Object({
      code: Type.Enum([...takeOverProblems], {
        description:
          '`not_scanned`: no scan has come to its end yet. `not_quiet`: others changed something too lately, or nobody has looked for long enough. `scan_held`: the last scan is held. `missing`: objects are marked as missing, and not as many as `without_missing` leaves out. `weak`: the engine gives no ETags. `not_removable`: the credentials may not delete. `unreachable`: the engine does not answer as it should.',
      }),
      detail: Type.String({ description: 'What is wrong, in one sentence.' }),
    }),
  ),
  quiet_since: Nullable(Timestamp, {
    description: 'Since when others have changed nothing, as far as is known. Null before the first scan.',
  }),
  objects: Type.Integer(),
  bytes: Type.Integer({ description: 'Bytes that stay where they are.' }),
  unread: Type.Integer({
    description:
      'Objects whose type, metadata, tags and version the engine is asked for first: one request each, and one more for those with tags.',
  }),
  missing: Type.Integer({
    description: 'Objects that are marked as missing. They are in the way, unless `without_missing` leaves them out.',
  }),
  missing_keys: Type.Array(Type.String(), { description: 'The keys of the first 100 of them.' }),
  storage: Type.String({ ...StorageName, description: 'Where new bytes go.' }),
  scan: Nullable(Scan, { description: 'The scan that takes the bucket over at its end. Null: only asked.' }),
})
export type TakeOver = Type.Static<typeof TakeOver>

export const findingKinds = ['changed', 'missing', 'foreign'] as const

/** Something that others did where a bucket was taken over. */
export const Finding = Type.Object({
  key: Type.String({ description: 'The engine’s key, without the prefix of the source.' }),
  kind: Type.Enum([...findingKinds], {
    description:
      '`changed`: others wrote something else under it. `missing`: others deleted it. `foreign`: others put it there.',
  }),
  object: Nullable(Type.String(), {
    description:
      'The key of the object whose bytes are concerned. Null: only a version or something in the trash is, or nothing.',
  }),
  size: Nullable(Type.Integer({ description: 'Of what is there now.' })),
  etag: Nullable(Type.String({ description: 'Of what is there now.' })),
  found_at: Timestamp,
})
export type Finding = Type.Static<typeof Finding>

export const Release = Type.Object({
  objects: Type.Integer({ description: 'How many objects the bucket has.' }),
  bytes: Type.Integer({ description: 'Bytes that are written, and read again. 0 for a read-only bucket.' }),
  job: Nullable(Job, { description: 'The job that writes them. Null for a read-only bucket, or if only asked.' }),
})
export type Release = Type.Static<typeof Release>

const common = { tag: 'buckets', access: 'admin' } as const
const params = Type.Object({ bucket: BucketName })
const DryRun = Type.Optional(Type.Boolean({ default: false, description: 'Only say what would happen.' }))

export const operations = {
  takeOverBucket: route({
    ...common,
    method: 'POST',
    url: '/buckets/{bucket}/take-over',
    summary: 'Take over a read-only bucket without copying its bytes',
    description:
      'Afterwards it works like an owned one: its objects can be renamed, overwritten and deleted. New bytes go to `storage`; those there are stay where they are, and are deleted there when nothing needs them any more. Nobody else may write there from then on: what others change is shown as a finding and never merged. Each object is asked for once, then a last scan compares the list; only if both find nothing changed, the bucket is taken over. Anything in the way is answered with 409.',
    status: 200,
    params,
    body: Exactly({
      dry_run: DryRun,
      quiet_hours: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MOST_QUIET_HOURS,
          default: 24,
          description: 'For how many hours scans must have found no change by others.',
        }),
      ),
      storage: Type.Optional(
        Type.String({ ...StorageName, default: DEFAULT_STORAGE, description: 'The storage for new bytes.' }),
      ),
      without_missing: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000_000,
          description:
            'Leaves out the objects that are marked as missing: this is how many, as a dry run says. If there are more or fewer by now, that is answered with 409. Each is looked for again; the bucket then has it no more, and its links end.',
        }),
      ),
    }),
    bodyOptional: true,
    reply: TakeOver,
    errors: ['not_found', 'conflict'],
    records: [],
  }),

  listFindings: route({
    ...common,
    access: 'signed_in',
    method: 'GET',
    url: '/buckets/{bucket}/findings',
    summary: 'List what others did where a bucket was taken over, in key order',
    description:
      'At most 1,000 are kept; the last scan has the numbers. A finding ends when a scan does not find it any more. Needs `manage`.',
    status: 200,
    params,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(Finding),
    errors: ['not_found', 'conflict'],
  }),

  releaseBucket: route({
    ...common,
    method: 'POST',
    url: '/buckets/{bucket}/release',
    summary: 'Give a bucket back to an engine',
    description:
      'A read-only bucket is forgotten with what is known of its objects, and its links end; nothing on the engine changes. Of one that was taken over, a job first writes every object under its own key to `storage`, reads it again and compares; meanwhile the bucket cannot be changed. Then it is a read-only bucket that shows them there. What was taken over stays where it was. This is refused while it has versions, locks or a trash that is not empty, and unless the destination is empty (409).',
    status: 200,
    params,
    body: Exactly({
      dry_run: DryRun,
      storage: Type.Optional(
        Type.String({
          ...StorageName,
          description:
            'Where the objects are written: a storage of the kind `s3`. Required for a bucket that was taken over.',
        }),
      ),
      prefix: Type.Optional(
        Type.String({ ...EnginePrefix, description: 'Under which prefix there; by default, the storage’s.' }),
      ),
    }),
    bodyOptional: true,
    reply: Release,
    errors: ['not_found', 'conflict', 'invalid_request'],
    records: ['release_bucket'],
  }),
}
