import Type from 'typebox'
import { BucketEncryption } from './encryption.ts'
import { At } from './moment.ts'
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
  SomeTags,
  TagName,
  Tags,
  Timestamp,
} from './shapes.ts'
import { StorageName } from './storages.ts'
import { SearchText } from './texts.ts'

const creatableKinds = [
  'copy',
  'move',
  'delete',
  'empty_bucket',
  'restore',
  'migrate',
  'encrypt',
  'decrypt',
  'rollback',
  'merge',
  'tag',
] as const
/** `release` and `fork` are started where a bucket is. */
export const jobKinds = [...creatableKinds, 'release', 'fork'] as const
export const jobStatuses = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const

/** Whose changes a rollback undoes. */
const ChangedBy = Exactly(
  {
    user: Type.Optional(Id),
    access_key: Type.Optional(
      Type.String({ ...Id, description: 'The `id` of an access key, not its `access_key_id`.' }),
    ),
    token: Type.Optional(Id),
    share: Type.Optional(Id),
    agent: Type.Optional(Id),
  },
  { description: 'Exactly one: whose changes are undone (rollback).' },
)
export type ChangedBy = Type.Static<typeof ChangedBy>

/** What becomes of the tags of objects. */
const TagChange = Exactly(
  {
    add: Type.Optional({ ...SomeTags, description: 'Tags to give, in place of those with the same names.' }),
    remove: Type.Optional(
      Type.Array(TagName, {
        minItems: 1,
        maxItems: 50,
        uniqueItems: true,
        description: 'Names of tags to take away.',
      }),
    ),
    replace: Type.Optional({ ...Tags, description: 'The only tags to have, instead of the others: `{}` for none.' }),
  },
  { description: 'What becomes of the tags of each object (tag).' },
)
export type TagChange = Type.Static<typeof TagChange>

const Sum = Type.Object({ objects: Type.Integer(), bytes: Type.Integer() })

/** What a rollback is to do. */
export const RollbackPlan = Type.Object({
  restored: { ...Sum, description: 'What is not there now and comes back.' },
  replaced: Type.Object(
    { objects: Type.Integer(), bytes_before: Type.Integer(), bytes_after: Type.Integer() },
    { description: 'What is something else now, as it is and as it will be.' },
  ),
  deleted: {
    ...Sum,
    description: 'What was not there then. It goes to the trash or becomes a version, as with any deletion.',
  },
  erased: Type.Integer({ description: 'Keys whose contents of that moment were erased since. They are left alone.' }),
  by_others: Type.Integer({ description: 'Keys that others changed as well. They are left alone.' }),
  refused: Type.Integer({ description: 'Keys that are locked, or that the creator of the job may not change.' }),
  links: Type.Integer({
    description:
      'Share links that the agent has created since (`by`), of those that the creator of the job may revoke. They are revoked when the job is created, whatever becomes of it; a dry run only counts them.',
  }),
  growth_bytes: Type.Integer({
    description: 'By how much the bucket grows, as its quota counts; negative if it shrinks.',
  }),
  room_bytes: Nullable(Type.Integer(), { description: 'What its quotas leave; null without a quota.' }),
})
export type RollbackPlan = Type.Static<typeof RollbackPlan>

const SIDES =
  '`fork`: what it is in the fork, also if that is nothing. `origin`: nothing changes. `both`: nothing changes, and what the fork has is added next to it under another name.'
/** Whose state a key gets that both a fork and its origin have changed. */
const Side = Type.Enum(['fork', 'origin', 'both'], { description: SIDES })
export type Side = Type.Static<typeof Side>

const Decision = Exactly({
  key: ObjectKey,
  take: Side,
  dest_key: Type.Optional({
    ...ObjectKey,
    description: 'The other name, which must be free (both). By default the name of the fork is added to it.',
  }),
})
export type Decision = Type.Static<typeof Decision>

/** What a merge is to do. */
export const MergePlan = Type.Object({
  added: { ...Sum, description: 'What the origin does not have.' },
  replaced: Type.Object(
    { objects: Type.Integer(), bytes_before: Type.Integer(), bytes_after: Type.Integer() },
    { description: 'What becomes something else in the origin, as it is and as it will be.' },
  ),
  deleted: {
    ...Sum,
    description: 'What the fork has deleted. It goes to the trash or becomes a version, as with any deletion.',
  },
  beside: { ...Sum, description: 'Conflicts decided for both: what comes under another name.' },
  kept: Type.Integer({
    description: 'Conflicts decided for the origin: they stay decided until the fork changes them again.',
  }),
  conflicts: Type.Integer({ description: 'Conflicts that nobody decided. They are left alone.' }),
  refused: Type.Integer({ description: 'Keys that are locked, or that the creator of the job may not change.' }),
  growth_bytes: Type.Integer({ description: 'By how much the origin grows; negative if it shrinks.' }),
  room_bytes: Nullable(Type.Integer(), { description: 'What its quotas leave; null without a quota.' }),
})
export type MergePlan = Type.Static<typeof MergePlan>

/** What a bucket has and a list of needed keys has not, and the other way round. */
export const Comparison = Type.Object({
  needed: Type.Integer({ description: 'Keys of the list, each counted once.' }),
  orphans: { ...Sum, description: 'Objects that the list does not have: what is deleted.' },
  missing: Type.Integer({ description: 'Keys of the list that are no object.' }),
  newer: Type.Integer({
    description: 'Objects that the list does not have, and that changed after `as_of`. They stay.',
  }),
  orphan_keys: Type.Array(Type.String(), { description: 'The first 100.' }),
  missing_keys: Type.Array(Type.String(), { description: 'The first 100.' }),
  report: Nullable(Type.Object({ bucket: BucketName, orphans: ObjectKey, missing: ObjectKey }), {
    description: 'The objects that have all of these keys, one a line.',
  }),
})
export type Comparison = Type.Static<typeof Comparison>

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
  query: Nullable(Type.String(), { description: 'What the objects were found by.' }),
  dest_bucket: Nullable(BucketName),
  dest_prefix: Nullable(Type.String()),
  if_none_match: Nullable(Type.Enum(['*'], { description: 'If set, existing keys are not replaced.' })),
  keep_both: Type.Boolean({ description: 'Whether what arrives where a key is in use gets a number.' }),
  of: Nullable(Id),
  of_run: Nullable(Type.Object({ policy_id: Id, run_id: Id }), {
    description: 'The run of a policy whose deletions it restores.',
  }),
  dest_storage: Nullable(StorageName),
  to: Nullable(Timestamp, { description: 'The moment that a rollback goes back to.' }),
  keep_new: Type.Boolean(),
  by: Nullable(ChangedBy),
  dry_run: Type.Boolean({ description: 'Whether the job only makes its `plan`, or `merge_plan`.' }),
  plan: Nullable(RollbackPlan, { description: 'What a rollback is to do, as far as it is listed.' }),
  on_conflict: Nullable(Side, { description: 'What a merge does with conflicts of which no decision was given.' }),
  merge_plan: Nullable(MergePlan, { description: 'What a merge is to do, as far as it is listed.' }),
  needed: Nullable(Type.Object({ bucket: BucketName, key: ObjectKey, as_of: Timestamp }), {
    description: 'The list of the keys that are needed: what it does not have is deleted.',
  }),
  comparison: Nullable(Comparison, { description: 'What the list and the bucket have, as far as they are compared.' }),
  tags: Nullable(TagChange),
  restorable: Type.Boolean({
    description: 'Whether a `restore` job can restore what this job deleted, moved, tagged or took back.',
  }),
  total: Nullable(
    Type.Integer({
      description: 'Objects; null until all are listed. A `restore` does not count those deleted or changed meanwhile.',
    }),
  ),
  done: Type.Integer(),
  failed: Type.Integer({
    description:
      'Includes those that had changed; in the end `total` is `done` plus `failed`, except in a dry run, which does nothing.',
  }),
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
    summary:
      'Copy, move, delete or tag a folder or a large selection, take it back, undo a job, merge a fork, or move or encrypt a bucket',
    description:
      'Runs in the background on the objects that exist when it starts, with its creator’s permissions, which are rechecked while it runs. Objects that were overwritten, created or had their metadata changed since are left alone and reported as the error `changed`. Every object has its own audit record and event. `tag` changes the tags of objects as `tags` says, which needs `write` on each, whatever locks it has; contents, versions and the time of the last change stay. What has these tags already counts as done, and an object that would have more than 10 is left alone. `restore` undoes one of your finished `delete`, `empty_bucket`, `move` or `tag` jobs (`of`) and takes no other parameters. After a deletion it restores what is still in the trash, which needs `write` on each key; after a move, within a week, it moves back what is still at its destination with the same contents, which needs the permissions of a move, and restores what the move overwrote. What cannot be restored stays where it is and is reported as an error: `already_exists` if the key is in use. `migrate` moves a bucket’s bytes to another storage (`dest_storage`) while it is in use, which only administrators may: new bytes go there from its start, each blob is copied, read again and compared with its checksum, and only then takes the place of the old one, which is deleted after the grace period. If it is cancelled, what was copied stays there; another `migrate` continues, in either direction. `encrypt` encrypts what a bucket holds, with its versions and its trash, while it is in use, which needs `manage`; `decrypt` is the way back, for administrators. Each blob is copied, read again and compared before anything points at the copy; what is encrypted with a key of its client stays as it is and is reported. Neither changes how new objects are encrypted. `rollback` makes a bucket, or a folder of it, what it was at a moment (`to`): what was deleted or overwritten since comes back, and what is new goes to the trash, or stays with `keep_new`. No bytes are copied, and where versions are kept, each key gets a new one. With `by`, it takes back only the keys that one user, access key, token, link or agent alone has changed since; keys that others changed as well are reported as `conflict`. Links that the agent has created since are revoked at once; with `planned`, only if they are those that the dry run counted, or else the request is refused. It needs `read` and `write` on each key, and `delete` for what is new. What is locked is left alone; so are keys whose contents were purged since, which are reported as `erased`. `plan` says what it will do once it has listed everything. With `dry_run` it ends there; if the bucket’s quota has no room for it, it fails without having changed anything. `merge` takes what a fork (`source_bucket`) has changed into the bucket it was forked from: each key that the fork has changed since, and its origin has not, becomes there what it is in the fork, or is deleted. Keys that both have changed are conflicts, which `listForkChanges` lists. They are done with as `decisions` say, or else `on_conflict`; without either they are left alone and reported as `conflict`. What was merged is not merged again, and what has changed in the fork since can be. It needs `read` on each key in both buckets, and `write` in the origin, or `delete` for what the fork has deleted. Locks and ACLs stay as they are in the origin. `merge_plan` says what it will do once it has listed everything; with `dry_run` it ends there; if the origin’s quota has no room for it, it fails without having changed anything. `restore` undoes a rollback, a merge or a change of tags: each key that the job changed, and nobody since, becomes what it was just before. At most 100 of your jobs may be queued or running (`limit_reached`).',
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
      query: Type.Optional(
        SearchText({
          description:
            'Only objects that this finds, in the language of `searchObjects` (copy, move, delete, tag). Lengths of time are counted back from when the job is created.',
        }),
      ),
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
      needed: Type.Optional(
        Exactly(
          {
            bucket: Type.Optional({ ...BucketName, description: 'By default the source.' }),
            key: ObjectKey,
            as_of: Type.Optional({
              ...Timestamp,
              description:
                'When the list was made; by default, when its object was written. Objects that changed later stay.',
            }),
            report: Type.Optional(
              Exactly(
                {
                  bucket: Type.Optional({ ...BucketName, description: 'By default the source.' }),
                  prefix: Type.Optional(Prefix),
                },
                { description: 'Where to write the keys: `orphans.txt` and `missing.txt` below this prefix.' },
              ),
            ),
          },
          {
            description:
              'Instead of a selection: an object that lists the keys that are needed, one a line (a line that starts with a quotation mark is a JSON string). What it does not have is deleted, and `comparison` says what it has and the bucket lacks (delete). Needs `read` on the list, and `list` on all that it is compared with.',
          },
        ),
      ),
      dest_bucket: Type.Optional({
        ...BucketName,
        description:
          'Where to copy or move to. With `merge`, the bucket that it was forked from, which it is by default.',
      }),
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
      keep_both: Type.Optional(
        Type.Boolean({
          description:
            'Where a key is in use, arrive next to it, under the first number that is free: `report (1).pdf` (copy, move). Needs `write` on that key too. Nothing is replaced but the empty object that marks a folder, by another.',
        }),
      ),
      to: Type.Optional({
        ...At,
        description: 'The moment to go back to, an RFC 3339 time: the last change at or before it (rollback).',
      }),
      keep_new: Type.Optional(Type.Boolean({ description: 'Keep what was not there then (rollback).' })),
      by: Type.Optional(ChangedBy),
      tags: Type.Optional(TagChange),
      on_conflict: Type.Optional({
        ...Side,
        description: `What becomes of keys that both have changed, and of which no decision is given (merge). ${SIDES}`,
      }),
      decisions: Type.Optional(
        Type.Array(Decision, {
          maxItems: 10_000,
          description: 'What becomes of single keys that both have changed; of others, it says nothing (merge).',
        }),
      ),
      dry_run: Type.Optional(
        Type.Boolean({
          description:
            'Only say what would be done: `total` of a copy, move, deletion or change of tags, `plan` or `merge_plan` of the others.',
        }),
      ),
      planned: Type.Optional(
        Type.String({
          ...Id,
          description:
            'A dry run of the same (rollback, merge, a deletion with `needed`). The job fails before it changes anything, and says what differs, unless it would do exactly what that one has planned.',
        }),
      ),
    }),
    reply: Job,
    errors: [
      'not_found',
      'invalid_request',
      'invalid_query',
      'conflict',
      'limit_reached',
      'nothing_to_restore',
      'read_only',
    ],
    records: ['share_revoke'],
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
