import Type from 'typebox'
import { BucketPattern } from './groups.ts'
import { route } from './route.ts'
import { BucketName, Cursor, Exactly, Id, Limit, Nullable, ObjectKey, Page, Prefix, Timestamp } from './shapes.ts'

const runStatuses = ['queued', 'running', 'succeeded', 'stopped', 'failed', 'cancelled'] as const
const runTriggers = ['manual', 'schedule'] as const
const runOutcomes = ['matched', 'pending', 'deleted', 'kept_changed', 'gone', 'not_reached'] as const

const Patterns = Type.Array(BucketPattern, { minItems: 1, maxItems: 20, uniqueItems: true })
const Name = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })
const Glob = Type.String({
  minLength: 1,
  maxLength: 256,
  format: 'key-prefix',
  description:
    'Matched against all that follows `prefix` in the key: `*` any run of characters but `/`, `**` any run, `**/` any number of folders (none too), `?` one character but `/`. At most 16 runs of stars.',
  examples: ['**/*.tmp'],
})
const Days = Type.Integer({
  minimum: 0,
  maximum: 36_500,
  description: 'Only objects whose `last_modified` is at least so many times 24 hours ago.',
})
const Bytes = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Only objects of this size or more.',
})
const Newest = Type.Integer({
  minimum: 1,
  maximum: 1000,
  description:
    'Of the objects directly in one folder that `glob` and `min_size` leave, so many of the newest stay, however old.',
})
const CronText = Type.String({
  minLength: 9,
  maxLength: 200,
  description: 'Five fields: minute, hour, day of month, month, day of week. Null: runs only when asked to.',
  examples: ['30 2 * * *'],
})
const TimeZone = Type.String({ minLength: 1, maxLength: 64, description: 'An IANA name.', examples: ['Europe/Berlin'] })
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
  keep_newest: Type.Optional(Nullable(Newest)),
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

const RunSummary = Type.Object({
  id: Id,
  policy_id: Id,
  dry_run: Type.Boolean(),
  of: Nullable(Type.String({ description: 'The dry run whose list it deletes.' })),
  trigger: Type.Enum([...runTriggers]),
  status: Type.Enum([...runStatuses], {
    description:
      '`stopped`: a guard rail or a change of the policy ended it. `failed`: it could not go on. See `reason`.',
  }),
  reason: Nullable(Type.String()),
  cutoff: Timestamp,
  scheduled_for: Nullable(Timestamp),
  examined: Type.Integer({ description: 'Objects in scope.' }),
  matched: Type.Integer(),
  matched_bytes: Type.Integer(),
  deleted: Type.Integer(),
  bytes: Type.Integer({ description: 'Bytes deleted; of a dry run, bytes it would delete.' }),
  kept: Type.Integer({ description: 'Matched, but changed or gone when their turn came.' }),
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
      description: 'The first 100 of what was kept.',
    },
  ),
  sample: Type.Array(Type.String(), {
    maxItems: 100,
    description: 'Keys of the first 100 matches, without those the caller may not list.',
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
  keep_newest: Nullable(Type.Integer()),
  max_deletes: Nullable(Type.Integer()),
  max_delete_percent: Nullable(Type.Number()),
  cron: Nullable(Type.String()),
  timezone: Type.String(),
  enabled: Type.Boolean(),
  next_run_at: Nullable(Timestamp),
  last_run: Nullable(RunSummary, { description: 'The last one that was no dry run and is over.' }),
  author_id: Type.String({ description: 'Who changed it last: it runs with their rights.' }),
  author_email: Nullable(Type.String()),
  created_by: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Policy = Type.Static<typeof Policy>

const byId = Type.Object({ id: Id })
const byRun = Type.Object({ id: Id, run_id: Id })

const Found = Type.Object({ bucket: BucketName, key: ObjectKey, size: Type.Integer(), last_modified: Timestamp })

const runOptions = {
  dry_run: Type.Optional(Type.Boolean({ default: false })),
  of: Type.Optional(Type.String({ ...Id, description: 'A dry run of the policy as it is now.' })),
}

export const operations = {
  createPolicy: route({
    method: 'POST',
    url: '/policies',
    tag: 'policies',
    summary: 'Create a cleanup policy',
    description:
      'Needs `policy` on all that the patterns and the prefix cover. At least one of `glob`, `older_than_days`, `min_size` and `keep_newest` is required; an object is deleted when all of those given say so.',
    access: 'signed_in',
    status: 201,
    body: Exactly({ name: Name, ...rule, ...guards, ...schedule }),
    reply: Policy,
    records: ['policy_create'],
  }),

  listPolicies: route({
    method: 'GET',
    url: '/policies',
    tag: 'policies',
    summary: 'Policies you may change, latest first',
    access: 'signed_in',
    status: 200,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(Policy),
  }),

  previewPolicy: route({
    method: 'POST',
    url: '/policies/preview',
    tag: 'policies',
    summary: 'What a policy would delete now, without saving it',
    description:
      'Looks at up to 100,000 objects; `complete` says whether these were all. Needs `policy` and `delete` on all that is in scope.',
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
          keep_newest: Type.Integer(),
          older_than_days: Type.Integer(),
        },
        { description: 'Objects in scope that stay, by the first condition that keeps them.' },
      ),
      sample: Type.Array(Type.String(), { maxItems: 100 }),
      objects: Type.Array(Found, { maxItems: 100, description: 'The sample with what there is to know of each.' }),
      would_stop: Nullable(Type.String({ description: 'Why a run would stop before it deletes anything.' })),
      next_runs: Type.Array(Timestamp, { description: 'The next five times of the schedule.' }),
    }),
    records: [],
    rate: 'costly',
  }),

  getPolicy: route({
    method: 'GET',
    url: '/policies/{id}',
    tag: 'policies',
    summary: 'A policy',
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
      'What is left out stays; null takes a condition, a limit or the schedule away. Whoever changes it becomes its author, with whose rights it runs. A run of it that is not over stops.',
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
    errors: ['not_found'],
    records: ['policy_update'],
  }),

  deletePolicy: route({
    method: 'DELETE',
    url: '/policies/{id}',
    tag: 'policies',
    summary: 'Delete a policy with its history',
    description: 'A run of it that is not over is cancelled. What was deleted stays in the trash and in the audit log.',
    access: 'signed_in',
    status: 204,
    params: byId,
    errors: ['not_found'],
    records: ['policy_delete', 'policy_run'],
  }),

  runPolicy: route({
    method: 'POST',
    url: '/policies/{id}/run',
    tag: 'policies',
    summary: 'Run a policy now, or try what a run would do',
    description:
      'Answers 200 with the run when it is over within two seconds, else 202. With `of` it deletes exactly what that dry run listed, without what has changed since. Works with the rights of the author of the policy. One run of a policy at a time (409). The options may be in the query or in the body.',
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
    summary: 'Runs of a policy, latest first',
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
    summary: 'A run of a policy',
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
    summary: 'Every object a run matched and what became of it',
    description:
      'Only objects the caller may list. A page may be short and yet not the last: `next_cursor` tells. Kept for 30 days.',
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
    summary: 'Stop a run',
    description: 'Before its next step. What is deleted stays in the trash.',
    access: 'signed_in',
    status: 200,
    params: byRun,
    reply: PolicyRun,
    errors: ['not_found'],
    records: ['policy_run'],
  }),

  explainPolicies: route({
    method: 'GET',
    url: '/buckets/{bucket}/policies',
    tag: 'policies',
    summary: 'Which policies will delete an object, when and why',
    description: 'Policies that match the object now or will once it is old enough. Needs `read` on the key.',
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
            description: 'From when on it matches; null while the folder keeps it as one of its newest.',
          }),
          next_run_at: Nullable(Timestamp, { description: 'Null: it runs only when asked to.' }),
          deletes_at: Nullable(Timestamp, { description: 'The first time of the schedule at which it matches.' }),
          reason: Type.String(),
        }),
      ),
    }),
    errors: ['not_found'],
  }),
}
