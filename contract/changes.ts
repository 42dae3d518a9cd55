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
  by: Type.Object(
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
  ),
})
export type ObjectChange = Type.Static<typeof ObjectChange>

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
} as const
