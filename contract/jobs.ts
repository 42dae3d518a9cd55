import Type from 'typebox'
import { route } from './route.ts'
import { BucketName, Cursor, Exactly, Id, Limit, Nullable, ObjectKey, Page, Prefix, Timestamp } from './shapes.ts'

const jobKinds = ['copy', 'move', 'delete', 'empty_bucket', 'restore'] as const
export const jobStatuses = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const

export const Job = Type.Object({
  id: Id,
  kind: Type.Enum([...jobKinds]),
  status: Type.Enum([...jobStatuses], {
    description: '`succeeded`: it came to its end; single objects may have failed. `failed`: it could not go on.',
  }),
  source_bucket: BucketName,
  prefix: Type.String(),
  search: Nullable(Type.String()),
  dest_bucket: Nullable(BucketName),
  dest_prefix: Nullable(Type.String()),
  if_none_match: Nullable(Type.Enum(['*'], { description: 'Whether keys that are taken are left alone.' })),
  of: Nullable(Id),
  restorable: Type.Boolean({
    description: 'Whether a job of kind `restore` finds something that this one deleted or moved.',
  }),
  total: Nullable(
    Type.Integer({
      description:
        'Objects; null until they are all listed. A `restore` ends without those that went or changed meanwhile.',
    }),
  ),
  done: Type.Integer(),
  failed: Type.Integer({ description: 'With those that had changed: `total` becomes `done` and `failed` together.' }),
  changed: Type.Integer({
    description: 'How many of those that failed were left alone because they had changed since the job listed them.',
  }),
  errors: Type.Array(Type.Object({ key: Type.String(), code: Type.String(), detail: Type.String() }), {
    description: 'The first 100.',
  }),
  detail: Nullable(Type.String({ description: 'Why it failed as a whole.' })),
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
    summary: 'Copy, move or delete a folder or a large selection, or put back what a job deleted or moved',
    description:
      'Works in the background on what there is when it begins, with the rights of its creator, which are asked again as it goes on. What has been overwritten, described anew or put there since is left alone, as an error: `changed`. Every object has its own audit record and event. `restore` undoes a `delete`, `empty_bucket` or `move` of yours that is over (`of`) and takes nothing else. Of a deletion it puts back what is still in the trash, which needs `write` on each key; of a move, for a week, what is still where it was moved to and has the same contents, with the rights that a move needs, and what the move overwrote. What it cannot put back stays where it is, as an error: `already_exists` where the key is taken. At most 100 of your jobs may wait or run at a time (`limit_reached`).',
    access: 'signed_in',
    status: 202,
    bodyLimit: 16 * 1024 * 1024,
    rate: 'costly',
    body: Exactly({
      kind: Type.Enum([...jobKinds]),
      source_bucket: Type.Optional(Type.String({ ...BucketName, description: 'Required but for `restore`.' })),
      of: Type.Optional(Type.String({ ...Id, description: 'The job that is to be undone (restore).' })),
      prefix: Type.Optional(Prefix),
      search: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: 'Only keys that hold this text, whatever its case.' }),
      ),
      exclude: Type.Optional(
        Type.Array(ObjectKey, {
          maxItems: 10_000,
          description: 'Keys to leave out; what ends with a slash leaves out the whole folder.',
        }),
      ),
      keys: Type.Optional(
        Type.Array(ObjectKey, {
          minItems: 1,
          maxItems: 10_000,
          uniqueItems: true,
          description: 'In place of a prefix.',
        }),
      ),
      dest_bucket: Type.Optional(BucketName),
      dest_prefix: Type.Optional(
        Type.String({ ...Prefix, description: 'Takes the place of `prefix` in the keys (copy, move).' }),
      ),
      if_none_match: Type.Optional(Type.Enum(['*'], { description: 'Leaves keys that are taken alone, as an error.' })),
    }),
    reply: Job,
    errors: ['not_found', 'invalid_request', 'conflict', 'limit_reached', 'nothing_to_restore'],
    records: [],
  }),

  listJobs: route({
    method: 'GET',
    url: '/jobs',
    tag: 'jobs',
    summary: 'Your jobs, latest first; administrators see all',
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
    summary: 'How far a job is',
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
    summary: 'Stop a job',
    description: 'What is done stays done.',
    access: 'signed_in',
    status: 200,
    params: byId,
    reply: Job,
    errors: ['not_found'],
    records: [],
  }),
}
