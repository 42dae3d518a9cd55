import Type from 'typebox'
import { At } from './moment.ts'
import { route } from './route.ts'
import { BucketName, Cursor, Exactly, Limit, Nullable, ObjectKey, Page, Prefix, Timestamp } from './shapes.ts'

const Content = Type.Object({
  size: Type.Integer({ description: 'Bytes.' }),
  etag: Type.String(),
  content_type: Type.String(),
})

export const changeKinds = ['added', 'changed', 'deleted'] as const
const By = Type.Object(
  {
    user: Nullable(Type.String()),
    method: Nullable(
      Type.String({ description: 'How they had signed in: `local`, `pat`, `access_key`, `share_link` and others.' }),
    ),
    credential: Nullable(Type.String({ description: 'The token or access key.' })),
    share: Nullable(Type.String()),
    job: Nullable(Type.String({ description: 'The job or policy run.' })),
  },
  { description: 'Who made that change.' },
)

/** How a key differs between two moments. */
export const ObjectChange = Type.Object({
  key: ObjectKey,
  change: Type.Enum([...changeKinds], {
    description: '`changed`: another content, description, tags, lock or version.',
  }),
  before: Nullable(Content),
  after: Nullable(Content),
  moment: {
    ...Timestamp,
    description: 'When the last change of the key until the second moment was, in microseconds.',
  },
  by: By,
})
export type ObjectChange = Type.Static<typeof ObjectChange>

/** What one side has made of a key since a fork. */
const SideChange = Type.Object({
  change: Type.Enum(['added', 'changed', 'deleted'], {
    description: '`changed`: other contents, description or tags.',
  }),
  after: Nullable(Content, { description: 'As it is now; null: deleted.' }),
  moment: Nullable(Timestamp, { description: 'When its last change was, in microseconds. Null: not known any more.' }),
  by: By,
})

/** What a fork and its origin have made of a key. */
export const ForkChange = Type.Object({
  key: ObjectKey,
  conflict: Type.Boolean({ description: 'Both have changed it, and it is not the same in both.' }),
  before: Nullable(Content, { description: 'As it was when the fork started; null: it was not there.' }),
  fork: Nullable(SideChange, { description: 'Null: the fork has not changed it, or not since it was merged.' }),
  origin: Nullable(SideChange, { description: 'Null: the origin has not changed it.' }),
})
export type ForkChange = Type.Static<typeof ForkChange>

const Sum = Type.Object({ objects: Type.Integer(), bytes: Type.Integer() })

export const operations = {
  listChanges: route({
    method: 'GET',
    url: '/buckets/{bucket}/changes',
    tag: 'objects',
    summary: 'List what changed between two moments',
    description:
      'Keys that the caller may list and that are not the same at both moments, in order. What was changed and changed back is left out. The first page has the totals.',
    access: 'signed_in',
    status: 200,
    params: Type.Object({ bucket: BucketName }),
    query: Exactly({
      from: At,
      to: Type.Optional({ ...At, description: 'The later moment. Default: now.' }),
      prefix: Type.Optional(Prefix),
      change: Type.Optional(Type.Enum([...changeKinds], { description: 'Only these; the totals are of all.' })),
      limit: Type.Optional(Limit),
      cursor: Type.Optional(Cursor),
    }),
    reply: Type.Object({
      ...Page(ObjectChange).properties,
      from: Timestamp,
      to: Timestamp,
      totals: Type.Optional(
        Type.Object(
          {
            added: Sum,
            changed: Type.Object({
              objects: Type.Integer(),
              bytes_before: Type.Integer(),
              bytes_after: Type.Integer(),
            }),
            deleted: Sum,
          },
          { description: 'Of all pages; on the first one.' },
        ),
      ),
    }),
    errors: ['not_found', 'invalid_request'],
  }),

  listForkChanges: route({
    method: 'GET',
    url: '/buckets/{bucket}/fork/changes',
    tag: 'objects',
    summary: 'List what a fork and its origin have changed since the fork',
    description:
      'Keys that the caller may list in both buckets and that the fork, its origin or both have changed, in order, with what each has made of it. A merge takes what only the fork has changed; where both have, and it is not the same, it is a conflict. Locks, ACLs and versions are not compared. The first page has the totals.',
    access: 'signed_in',
    status: 200,
    params: Type.Object({ bucket: { ...BucketName, description: 'The fork.' } }),
    query: Exactly({
      prefix: Type.Optional(Prefix),
      only: Type.Optional(
        Type.Enum(['fork', 'origin', 'conflicts'], {
          description: 'Only what the fork has changed, its origin, or both to something else.',
        }),
      ),
      limit: Type.Optional(Limit),
      cursor: Type.Optional(Cursor),
    }),
    reply: Type.Object({
      ...Page(ForkChange).properties,
      origin: { ...BucketName, description: 'The bucket that it was forked from.' },
      moment: { ...Timestamp, description: 'As that was at this moment.' },
      totals: Type.Optional(
        Type.Object(
          {
            fork: Type.Integer({ description: 'Keys that only the fork has changed, which a merge takes.' }),
            origin: Type.Integer({ description: 'Keys that only the origin has changed.' }),
            conflicts: Type.Integer(),
            same: Type.Integer({ description: 'Keys that both have made the same of.' }),
          },
          { description: 'Of all pages, whatever `only` says; on the first one.' },
        ),
      ),
    }),
    errors: ['not_found', 'conflict', 'invalid_request'],
  }),
} as const
