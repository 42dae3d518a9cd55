import Type from 'typebox'
import { BucketEncryption } from './encryption.ts'
import { route } from './route.ts'
import {
  BucketName,
  Cursor,
  Exactly,
  Id,
  KeyPart,
  Limit,
  Nullable,
  ObjectKey,
  Page,
  Prefix,
  Timestamp,
} from './shapes.ts'
import { StorageName } from './storages.ts'

const creatableKinds = ['copy', 'move', 'delete', 'empty_bucket', 'restore', 'migrate', 'encrypt', 'decrypt'] as const
/** `release` and `fork` are started where a bucket is. */
export const jobKinds = [...creatableKinds, 'release', 'fork'] as const
export const jobStatuses = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const

export const Job = Type.Object({
  id: Id,
  kind: Type.Enum([...jobKinds]),
  status: Type.Enum([...jobStatuses], {
    description:
      '`succeeded`: it reached the end, though some objects may have failed. `failed`: it could not continue.',
  }),
  source_bucket: BucketName,
  prefix: Type.String(),
  search: Nullable(Type.String()),
  dest_bucket: Nullable(BucketName),
  dest_prefix: Nullable(Type.String()),
  if_none_match: Nullable(Type.Enum(['*'], { description: 'If set, existing keys are not replaced.' })),
  of: Nullable(Id),
  of_run: Nullable(Type.Object({ policy_id: Id, run_id: Id }), {
    description: 'The run of a policy whose deletions it restores.',
  }),
  dest_storage: Nullable(StorageName),
  restorable: Type.Boolean({
    description: 'Whether a `restore` job can restore something that this job deleted or moved.',
  }),
  total: Nullable(
    Type.Integer({
      description: 'Objects; null until all are listed. A `restore` does not count those deleted or changed meanwhile.',
    }),
  ),
  done: Type.Integer(),
  failed: Type.Integer({ description: 'Includes those that had changed; in the end `total` is `done` plus `failed`.' }),
  changed: Type.Integer({
    description: 'How many of the failed objects were left alone because they had changed since the job listed them.',
  }),
  errors: Type.Array(Type.Object({ key: Type.String(), code: Type.String(), detail: Type.String() }), {
    description: 'The first 100.',
  }),
  detail: Nullable(Type.String({ description: 'Why the whole job failed.' })),
  created_at: Timestamp,
  created_by: Nullable(Type.String()),
  created_by_email: Nullable(Type.String()),
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
})
export type Job = Type.Static<typeof Job>

const byId = Type.Object({ id: Id })

export const operations = {
  createJob: route({
    method: 'POST',
    url: '/jobs',
    tag: 'jobs',
    summary: 'Copy, move or delete a folder or a large selection, undo a job, or move or encrypt a bucket',
    description:
      'Runs in the background on the objects that exist when it starts, with its creator’s permissions, which are rechecked while it runs. Objects that were overwritten, created or had their metadata changed since are left alone and reported as the error `changed`. Every object has its own audit record and event. `restore` undoes one of your finished `delete`, `empty_bucket` or `move` jobs (`of`) and takes no other parameters. After a deletion it restores what is still in the trash, which needs `write` on each key; after a move, within a week, it moves back what is still at its destination with the same contents, which needs the permissions of a move, and restores what the move overwrote. What cannot be restored stays where it is and is reported as an error: `already_exists` if the key is in use. `migrate` moves a bucket’s bytes to another storage (`dest_storage`) while it is in use, which only administrators may: new bytes go there from its start, each blob is copied, read again and compared with its checksum, and only then takes the place of the old one, which is deleted after the grace period. If it is cancelled, what was copied stays there; another `migrate` continues, in either direction. `encrypt` encrypts what a bucket holds, with its versions and its trash, while it is in use, which needs `manage`; `decrypt` is the way back, for administrators. Each blob is copied, read again and compared before anything points at the copy; what is encrypted with a key of its client stays as it is and is reported. Neither changes how new objects are encrypted. At most 100 of your jobs may be queued or running (`limit_reached`).',
    access: 'signed_in',
    status: 202,
    bodyLimit: 16 * 1024 * 1024,
    rate: 'costly',
    body: Exactly({
      kind: Type.Enum([...creatableKinds]),
      source_bucket: Type.Optional(Type.String({ ...BucketName, description: 'Required except for `restore`.' })),
      of: Type.Optional(Type.String({ ...Id, description: 'The job to undo (restore).' })),
      prefix: Type.Optional(Prefix),
      search: Type.Optional(KeyPart({ description: 'Only keys that contain this text, ignoring case.' })),
      exclude: Type.Optional(
        Type.Array(ObjectKey, {
          maxItems: 10_000,
          description: 'Keys to leave out; a key that ends with a slash leaves out the whole folder.',
        }),
      ),
      keys: Type.Optional(
        Type.Array(ObjectKey, {
          minItems: 1,
          maxItems: 10_000,
          uniqueItems: true,
          description: 'Instead of a prefix.',
        }),
      ),
      dest_bucket: Type.Optional(BucketName),
      dest_prefix: Type.Optional(
        Type.String({ ...Prefix, description: 'Replaces `prefix` in the keys (copy, move).' }),
      ),
      dest_storage: Type.Optional(
        Type.String({ ...StorageName, description: 'The storage to move the bucket to (migrate).' }),
      ),
      encryption: Type.Optional({
        ...BucketEncryption,
        description:
          'How the objects are to be encrypted (encrypt), or their copies (copy). By default as the bucket says of new objects; with `encrypt`, if it says nothing, with `AES256`.',
      }),
      if_none_match: Type.Optional(
        Type.Enum(['*'], { description: 'Do not replace existing keys; report them as errors.' }),
      ),
    }),
    reply: Job,
    errors: ['not_found', 'invalid_request', 'conflict', 'limit_reached', 'nothing_to_restore', 'read_only'],
    records: [],
  }),

  listJobs: route({
    method: 'GET',
    url: '/jobs',
    tag: 'jobs',
    summary: 'List your jobs, latest first; administrators see all',
    access: 'signed_in',
    status: 200,
    query: Exactly({
      status: Type.Optional(Type.Enum([...jobStatuses])),
      limit: Type.Optional(Limit),
      cursor: Type.Optional(Cursor),
    }),
    reply: Page(Job),
  }),

  getJob: route({
    method: 'GET',
    url: '/jobs/{id}',
    tag: 'jobs',
    summary: 'Get a job and its progress',
    access: 'signed_in',
    status: 200,
    params: byId,
    reply: Job,
    errors: ['not_found'],
  }),

  cancelJob: route({
    method: 'POST',
    url: '/jobs/{id}/cancel',
    tag: 'jobs',
    summary: 'Cancel a job',
    description: 'Work already done is kept.',
    access: 'signed_in',
    status: 200,
    params: byId,
    reply: Job,
    errors: ['not_found'],
    records: [],
  }),
}
