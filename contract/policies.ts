import Type from 'typebox'
import { BucketPattern } from './groups.ts'
import { Job } from './jobs.ts'
import { route } from './route.ts'
import {
  BucketName,
  Cursor,
  Exactly,
  Id,
  Limit,
  Nullable,
  ObjectKey,
  Page,
  Prefix,
  SomeTags,
  Tags,
  Timestamp,
} from './shapes.ts'
import { Line, Opaque } from './texts.ts'

const runStatuses = ['queued', 'running', 'succeeded', 'stopped', 'failed', 'cancelled'] as const
const runTriggers = ['manual', 'schedule'] as const
const runOutcomes = [
  'matched',
  'pending',
  'deleted',
  'kept_changed',
  'kept_locked',
  'gone',
  'not_reached',
  'taken',
  'not_taken',
] as const

const Patterns = Type.Array(BucketPattern, { minItems: 1, maxItems: 20, uniqueItems: true })
const Name = Line(100)
const Glob = Type.String({
  minLength: 1,
  maxLength: 256,
  format: 'key-prefix',
  description:
    'Matched against the part of the key after `prefix`: `*` matches any characters but `/`, `**` any characters, `**/` any number of folders (including none), `?` one character but `/`. At most 16 runs of stars.',
  examples: ['**/*.tmp'],
})
const Days = Type.Integer({
  minimum: 0,
  maximum: 36_500,
  description: 'Only objects whose `last_modified` is at least this many times 24 hours ago.',
})
const Bytes = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Only objects of at least this size in bytes.',
})
const MostBytes = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Only objects of at most this size in bytes.',
})
const From = Type.String({
  format: 'date-time',
  description: 'Only from this time on; before it, nothing is deleted.',
})
const Newest = Type.Integer({
  minimum: 1,
  maximum: 1000,
  description:
    'Keeps this many of the newest objects directly in each folder, however old, counting only those that match `glob`, `min_size`, `max_size` and `tags`.',
})
const Noncurrent = Type.Integer({
  minimum: 0,
  maximum: 36_500,
  description:
    'Deletes versions that are not current and stopped being so at least this many times 24 hours ago, also delete markers among them.',
})
const Versions = Type.Integer({
  minimum: 1,
  maximum: 1000,
  description:
    'Keeps this many of the newest versions of each key that are not current, counting only those that match `glob`, `min_size`, `max_size` and `tags`, and deletes the others.',
})
const Markers = Type.Boolean({
  description:
    'Deletes delete markers of which no other version is left, if they meet `older_than_days` and `date`. None has a size or tags.',
})
const Snapshots = Type.Integer({
  minimum: 1,
  maximum: 500,
  description:
    'Instead of deleting objects, takes a snapshot of each bucket, and ends those it took before, except for this many of the newest of each bucket. Needs `manage` on the buckets, and goes with no other condition, folder or limit.',
})
const CronText = Type.String({
  minLength: 9,
  maxLength: 200,
  pattern: '^[\\w*,/?#+ -]*$',
  description: 'Five fields: minute, hour, day of month, month, day of week. Null: only runs manually.',
  examples: ['30 2 * * *'],
})
const TimeZone = Opaque(64, { description: 'An IANA time zone name.', examples: ['Europe/Berlin'] })
const MaxDeletes = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'A run that matches more objects stops before it deletes any.',
})
const MaxPercent = Type.Number({
  exclusiveMinimum: 0,
  maximum: 100,
  description:
    'A run that matches a larger share of the objects in its scope (patterns and prefix) stops before it deletes any.',
})

const rule = {
  bucket_patterns: Patterns,
  prefix: Type.Optional(Prefix),
  glob: Type.Optional(Nullable(Glob)),
  older_than_days: Type.Optional(Nullable(Days)),
  min_size: Type.Optional(Nullable(Bytes)),
  max_size: Type.Optional(Nullable(MostBytes)),
  tags: Type.Optional(Nullable(SomeTags, { description: 'Only objects that have all these tags.' })),
  date: Type.Optional(Nullable(From)),
  keep_newest: Type.Optional(Nullable(Newest)),
  noncurrent_days: Type.Optional(Nullable(Noncurrent)),
  keep_versions: Type.Optional(Nullable(Versions)),
  expired_markers: Type.Optional(Nullable(Markers)),
  keep_snapshots: Type.Optional(Nullable(Snapshots)),
}
const guards = {
  max_deletes: Type.Optional(Nullable(MaxDeletes)),
  max_delete_percent: Type.Optional(Nullable(MaxPercent)),
}
const schedule = {
  cron: Type.Optional(Nullable(CronText)),
  timezone: Type.Optional(TimeZone),
  enabled: Type.Optional(Type.Boolean()),
}

/** What can be said of a policy. */
export const policyFields = { name: Name, ...rule, ...guards, ...schedule }

const RunSummary = Type.Object({
  id: Id,
  policy_id: Id,
  dry_run: Type.Boolean(),
  of: Nullable(Type.String({ description: 'The dry run whose matches it deletes.' })),
  trigger: Type.Enum([...runTriggers]),
  status: Type.Enum([...runStatuses], {
    description:
      '`stopped`: a safety limit or a change of the policy ended it. `failed`: it could not continue. See `reason`.',
  }),
  reason: Nullable(Type.String()),
  cutoff: Timestamp,
  scheduled_for: Nullable(Timestamp),
  examined: Type.Integer({ description: 'Objects and versions in scope.' }),
  matched: Type.Integer(),
  matched_bytes: Type.Integer(),
  deleted: Type.Integer({ description: 'Of a policy that takes snapshots: the earlier snapshots that it ended.' }),
  bytes: Type.Integer({ description: 'Bytes deleted; for a dry run, bytes it would delete.' }),
  kept: Type.Integer({
    description:
      'Matched, but changed, locked or deleted before their turn, or buckets of which no snapshot could be taken.',
  }),
  author_id: Id,
  author_email: Nullable(Type.String()),
  requested_by: Nullable(Type.String()),
  requested_by_email: Nullable(Type.String()),
  created_at: Timestamp,
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
})

export const PolicyRun = Type.Object({
  ...RunSummary.properties,
  errors: Type.Array(
    Type.Object({ bucket: Type.String(), key: Type.String(), code: Type.String(), detail: Type.String() }),
    {
      description: 'The first 100 kept objects.',
    },
  ),
  sample: Type.Array(Type.String(), {
    maxItems: 100,
    description: 'Keys of the first 100 matches, except those the caller may not list.',
  }),
  restorable: Type.Array(BucketName, {
    description: 'Buckets where objects that the run deleted can be restored together. Empty while it is unfinished.',
  }),
})
export type PolicyRun = Type.Static<typeof PolicyRun>

export const Policy = Type.Object({
  id: Id,
  name: Type.String(),
  bucket_patterns: Type.Array(Type.String()),
  prefix: Type.String(),
  glob: Nullable(Type.String()),
  older_than_days: Nullable(Type.Integer()),
  min_size: Nullable(Type.Integer()),
  max_size: Nullable(Type.Integer()),
  tags: Nullable(Tags),
  date: Nullable(Timestamp),
  keep_newest: Nullable(Type.Integer()),
  noncurrent_days: Nullable(Type.Integer()),
  keep_versions: Nullable(Type.Integer()),
  expired_markers: Type.Boolean(),
  keep_snapshots: Nullable(Type.Integer()),
  max_deletes: Nullable(Type.Integer()),
  max_delete_percent: Nullable(Type.Number()),
  cron: Nullable(Type.String()),
  timezone: Type.String(),
  enabled: Type.Boolean(),
  next_run_at: Nullable(Timestamp),
  last_run: Nullable(RunSummary, { description: 'The last finished run that was not a dry run.' }),
  author_id: Type.String({ description: 'The user who last changed it: it runs with their permissions.' }),
  author_email: Nullable(Type.String()),
  created_by: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  lifecycle: Nullable(Type.Object({ bucket: Type.String(), rule_id: Type.String() }), {
    description: 'The rule of a bucket’s S3 lifecycle configuration that it carries out: it can only be changed there.',
  }),
})
export type Policy = Type.Static<typeof Policy>

const byId = Type.Object({ id: Id })
const byRun = Type.Object({ id: Id, run_id: Id })

const Found = Type.Object({
  bucket: BucketName,
  key: { ...ObjectKey, description: 'Of a policy that takes snapshots: the name of the snapshot.' },
  size: Type.Integer(),
  last_modified: Timestamp,
  version_id: Nullable(Type.String({ description: 'Of a version that is not current, or a delete marker.' })),
  marker: Type.Boolean({ description: 'Whether it is a delete marker.' }),
})

const runOptions = {
  dry_run: Type.Optional(Type.Boolean({ default: false })),
  of: Type.Optional(Type.String({ ...Id, description: 'A dry run of the policy’s current version.' })),
}

export const operations = {
  createPolicy: route({
    method: 'POST',
    url: '/policies',
    tag: 'policies',
    summary: 'Create a cleanup policy',
    description:
      'Needs `policy` on everything that the patterns and the prefix cover. At least one condition is required. `glob`, `min_size`, `max_size` and `tags` say what it is about; an object is deleted if it meets these and `older_than_days`, `date` and `keep_newest` as far as they are given. `noncurrent_days` and `keep_versions` delete versions that are not current, `expired_markers` delete markers; where only such conditions of versions are given besides those that say what it is about, objects stay. With `keep_snapshots` it deletes nothing, but takes snapshots.',
    access: 'signed_in',
    status: 201,
    body: Exactly(policyFields),
    reply: Policy,
    records: ['policy_create'],
  }),

  listPolicies: route({
    method: 'GET',
    url: '/policies',
    tag: 'policies',
    summary: 'List the policies you may change, latest first',
    access: 'signed_in',
    status: 200,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(Policy),
  }),

  previewPolicy: route({
    method: 'POST',
    url: '/policies/preview',
    tag: 'policies',
    summary: 'Preview what a policy would delete now, without saving it',
    description:
      'Examines up to 100,000 objects; `complete` says whether these were all. Needs `policy` and `delete` on everything in scope.',
    access: 'signed_in',
    status: 200,
    body: Exactly({ name: Type.Optional(Name), ...rule, ...guards, ...schedule }),
    reply: Type.Object({
      cutoff: Timestamp,
      complete: Type.Boolean(),
      examined: Type.Integer(),
      matched: Type.Integer(),
      bytes: Type.Integer(),
      oldest: Nullable(Timestamp),
      newest: Nullable(Timestamp),
      excluded: Type.Object(
        {
          glob: Type.Integer(),
          min_size: Type.Integer(),
          max_size: Type.Integer(),
          tags: Type.Integer(),
          keep_newest: Type.Integer(),
          older_than_days: Type.Integer(),
          date: Type.Integer(),
          noncurrent_days: Type.Integer(),
          keep_versions: Type.Integer(),
          expired_markers: Type.Integer(),
          locked: Type.Integer(),
        },
        { description: 'Objects and versions in scope that are kept, by the first condition that keeps them.' },
      ),
      sample: Type.Array(Type.String(), { maxItems: 100 }),
      objects: Type.Array(Found, { maxItems: 100, description: 'Details of the objects in the sample.' }),
      would_stop: Nullable(Type.String({ description: 'Why a run would stop before deleting anything.' })),
      next_runs: Type.Array(Timestamp, { description: 'The next five scheduled times.' }),
    }),
    records: [],
    rate: 'costly',
  }),

  getPolicy: route({
    method: 'GET',
    url: '/policies/{id}',
    tag: 'policies',
    summary: 'Get a policy',
    access: 'signed_in',
    status: 200,
    params: byId,
    reply: Policy,
    errors: ['not_found'],
  }),

  updatePolicy: route({
    method: 'PATCH',
    url: '/policies/{id}',
    tag: 'policies',
    summary: 'Change a policy',
    description:
      'Omitted fields are unchanged; null removes a condition, a limit or the schedule. Whoever changes it becomes its author, and it runs with the author’s permissions. A run in progress stops. Policies of a lifecycle configuration cannot be changed (409).',
    access: 'signed_in',
    status: 200,
    params: byId,
    body: Exactly({
      name: Type.Optional(Name),
      ...rule,
      bucket_patterns: Type.Optional(Patterns),
      ...guards,
      ...schedule,
    }),
    reply: Policy,
    errors: ['not_found', 'conflict'],
    records: ['policy_update'],
  }),

  deletePolicy: route({
    method: 'DELETE',
    url: '/policies/{id}',
    tag: 'policies',
    summary: 'Delete a policy with its history',
    description:
      'A run in progress is cancelled. Deleted objects stay in the trash and in the audit log. Policies of a lifecycle configuration cannot be deleted here (409).',
    access: 'signed_in',
    status: 204,
    params: byId,
    errors: ['not_found', 'conflict'],
    records: ['policy_delete', 'policy_run'],
  }),

  runPolicy: route({
    method: 'POST',
    url: '/policies/{id}/run',
    tag: 'policies',
    summary: 'Run a policy now, or do a dry run',
    description:
      'Returns 200 with the run if it finishes within two seconds, else 202. With `of` it deletes exactly what that dry run listed, except what has changed since. Runs with the permissions of the policy’s author. A policy has one run at a time (409). The options may be in the query or in the body.',
    access: 'signed_in',
    status: 202,
    otherStatus: [200],
    params: byId,
    query: Exactly(runOptions),
    body: Exactly(runOptions),
    bodyOptional: true,
    reply: PolicyRun,
    errors: ['not_found', 'conflict', 'invalid_request'],
    records: ['policy_run'],
    rate: 'costly',
  }),

  listPolicyRuns: route({
    method: 'GET',
    url: '/policies/{id}/runs',
    tag: 'policies',
    summary: 'List a policy’s runs, latest first',
    access: 'signed_in',
    status: 200,
    params: byId,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(PolicyRun),
    errors: ['not_found'],
  }),

  getPolicyRun: route({
    method: 'GET',
    url: '/policies/{id}/runs/{run_id}',
    tag: 'policies',
    summary: 'Get a run of a policy',
    access: 'signed_in',
    status: 200,
    params: byRun,
    reply: PolicyRun,
    errors: ['not_found'],
  }),

  listPolicyRunItems: route({
    method: 'GET',
    url: '/policies/{id}/runs/{run_id}/items',
    tag: 'policies',
    summary: 'List every object a run matched, with its outcome',
    description:
      'Only objects the caller may list. A short page may not be the last one: check `next_cursor`. Kept for 30 days.',
    access: 'signed_in',
    status: 200,
    params: byRun,
    query: Exactly({
      outcome: Type.Optional(Type.Enum([...runOutcomes])),
      limit: Type.Optional(Limit),
      cursor: Type.Optional(Cursor),
    }),
    reply: Page(Type.Object({ ...Found.properties, etag: Type.String(), outcome: Type.Enum([...runOutcomes]) })),
    errors: ['not_found'],
  }),

  cancelPolicyRun: route({
    method: 'POST',
    url: '/policies/{id}/runs/{run_id}/cancel',
    tag: 'policies',
    summary: 'Cancel a run',
    description: 'Takes effect before its next step. Deleted objects stay in the trash.',
    access: 'signed_in',
    status: 200,
    params: byRun,
    reply: PolicyRun,
    errors: ['not_found'],
    records: ['policy_run'],
  }),

  restorePolicyRun: route({
    method: 'POST',
    url: '/policies/{id}/runs/{run_id}/restore',
    tag: 'policies',
    summary: 'Restore what a run deleted in a bucket',
    description:
      'Starts a `restore` job that puts back the objects that are still in the trash, and removes the delete markers that the run left in a bucket that keeps versions. Needs `write` on each key. What cannot be restored stays where it is and is reported as an error: `already_exists` if the key is in use. Earlier versions that the run deleted are not part of it.',
    access: 'signed_in',
    status: 202,
    rate: 'costly',
    params: byRun,
    body: Exactly({ bucket: BucketName }),
    reply: Job,
    errors: ['not_found', 'conflict', 'limit_reached', 'nothing_to_restore', 'read_only'],
    records: [],
  }),

  explainPolicies: route({
    method: 'GET',
    url: '/buckets/{bucket}/policies',
    tag: 'policies',
    summary: 'List the policies that will delete an object, with when and why',
    description: 'Policies that match the object now or once it is old enough. Needs `read` on the key.',
    access: 'signed_in',
    status: 200,
    params: Type.Object({ bucket: BucketName }),
    query: Exactly({ key: ObjectKey }),
    reply: Type.Object({
      items: Type.Array(
        Type.Object({
          policy_id: Id,
          name: Type.String(),
          enabled: Type.Boolean(),
          matches_now: Type.Boolean(),
          matches_at: Nullable(Timestamp, {
            description: 'When it starts to match; null while it is kept as one of the folder’s newest.',
          }),
          next_run_at: Nullable(Timestamp, { description: 'Null: it only runs manually.' }),
          deletes_at: Nullable(Timestamp, { description: 'The first scheduled time at which it matches.' }),
          reason: Type.String(),
        }),
      ),
    }),
    errors: ['not_found'],
  }),
}
