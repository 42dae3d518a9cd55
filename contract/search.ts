import Type from 'typebox'
import { kinds } from './kinds.ts'
import { StoredObject } from './objects.ts'
import { route } from './route.ts'
import { BucketName, Cursor, Exactly, KeyPart, Limit, Nullable, Prefix, Timestamp } from './shapes.ts'

export const operations = {
  searchObjects: route({
    method: 'GET',
    url: '/buckets/{bucket}/search',
    tag: 'objects',
    summary: 'Search for folders and objects by name, sorted and filtered',
    description: [
      'Objects under `prefix` whose keys contain the text after it, ignoring case; with the first page also folders whose own name contains it, unless there are filters.',
      'By name, pages lead through all matches.',
      'By size, type or time, up to 10,000 matches are sorted, from the index or the first 20,000 keys; `sorted_first` says so if there may be more.',
      'A short page may not be the last one: check `next_cursor`.',
    ].join(' '),
    access: 'signed_in',
    status: 200,
    params: Type.Object({ bucket: BucketName }),
    query: Exactly({
      search: KeyPart(),
      prefix: Type.Optional(Prefix),
      sort: Type.Optional(Type.Enum(['name', 'size', 'type', 'modified'], { default: 'name' })),
      order: Type.Optional(Type.Enum(['asc', 'desc'], { default: 'asc' })),
      kind: Type.Optional(
        Type.Enum([...kinds], { description: 'Only objects of this kind, which follows from the content type.' }),
      ),
      min_size: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Only objects of at least this size, in bytes.',
        }),
      ),
      modified_since: Type.Optional({ ...Timestamp, description: 'Only objects that changed at this time or later.' }),
      cursor: Type.Optional(Cursor),
      limit: Type.Optional(Limit),
    }),
    reply: Type.Object({
      folders: Type.Array(Type.String(), { description: 'Their prefixes. Only with the first page, and at most 100.' }),
      folders_complete: Type.Boolean({
        description: 'Whether these are all. If not, a longer text finds the others.',
      }),
      items: Type.Array(StoredObject),
      next_cursor: Nullable(Type.String()),
      sorted_first: Nullable(
        Type.Integer({
          description:
            'By size, type or time: the number of matches, the first ones by name, that were sorted, if there may be more. Otherwise null.',
        }),
      ),
    }),
    errors: ['not_found'],
  }),
}
