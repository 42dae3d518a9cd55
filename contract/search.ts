import Type from 'typebox'
import { kinds } from './kinds.ts'
import { At } from './moment.ts'
import { StoredObject } from './objects.ts'
import { route } from './route.ts'
import { BucketName, Cursor, Exactly, KeyPart, Limit, Nullable, Prefix, Timestamp } from './shapes.ts'
import { Plain, SearchText } from './texts.ts'

const total = {
  total: Type.Integer({ description: 'How many objects were found, at least.' }),
  total_exact: Type.Boolean({ description: 'Whether these are all.' }),
}
const unread = {
  objects: Type.Integer({
    description:
      'Objects of an attached bucket that were listed, but not read yet: they cannot be found by tags, metadata, type or encryption.',
  }),
  exact: Type.Boolean({ description: 'Whether there are no more than that.' }),
}

/** A value that a search can ask for, of what the caller may find. */
const Suggestion = Type.Object({
  value: Type.String({ description: 'The name of a tag or of metadata, its value, or a content type.' }),
  query: Type.String({ description: 'The term that asks for it.' }),
})
export type Suggestion = Type.Static<typeof Suggestion>

export const operations = {
  searchObjects: route({
    method: 'GET',
    url: '/buckets/{bucket}/search',
    tag: 'objects',
    summary: 'Search a bucket for folders and objects, sorted and filtered',
    description: [
      'With `q`, objects for which all of its terms hold: words of the name, and `name:`, `key:`, `prefix:`, `ext:`, `type:`, `kind:`, `size:`, `modified:`, `created:`, `tag:`, `meta:`, `by:`, `encrypted:`, `storage:` and `bucket:`; `-` before a term negates it. A query that is not understood is refused with `invalid_query`, which says where and often what is meant (`reason`, `position`, `length`, `suggestion`).',
      'Objects under `prefix` whose keys contain the text after it, ignoring case; with the first page also folders whose own name contains it, unless there are filters.',
      'By name, pages lead through all matches.',
      'By size, type or time, up to 10,000 matches are sorted, from the index or the first 20,000 keys; `sorted_first` says so if there may be more.',
      'A short page may not be the last one: check `next_cursor`.',
    ].join(' '),
    access: 'signed_in',
    status: 200,
    params: Type.Object({ bucket: BucketName }),
    query: Exactly({
      at: Type.Optional(At),
      q: Type.Optional(SearchText({ description: 'What to search for. Required unless `search` is given.' })),
      search: Type.Optional(KeyPart({ description: 'A text that keys contain.' })),
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
      total: Type.Optional({ ...total.total, description: 'With `q`: how many objects were found, at least.' }),
      total_exact: Type.Optional(total.total_exact),
      unread: Type.Optional(
        Nullable(Type.Object(unread), { description: 'With `q`: what could not be asked; null if there is nothing.' }),
      ),
    }),
    errors: ['not_found', 'invalid_query'],
  }),

  searchEverywhere: route({
    method: 'GET',
    url: '/search',
    tag: 'objects',
    summary: 'Search all buckets that you may list',
    description:
      'Objects for which all terms of `q` hold, by bucket and key. A short page may not be the last one: check `next_cursor`.',
    access: 'signed_in',
    status: 200,
    query: Exactly({
      q: SearchText(),
      cursor: Type.Optional(Cursor),
      limit: Type.Optional(Limit),
    }),
    reply: Type.Object({
      items: Type.Array(StoredObject),
      next_cursor: Nullable(Type.String()),
      ...total,
      unread: Type.Array(Type.Object({ bucket: BucketName, ...unread }), {
        description: 'Buckets of which this page could not ask all objects.',
      }),
    }),
    errors: ['invalid_query'],
  }),

  exportSearch: route({
    method: 'GET',
    url: '/search/export',
    tag: 'objects',
    summary: 'Export the list of what a search finds',
    description:
      'All objects for which the terms of `q` hold, in one bucket or in all that you may list, by bucket and key. Streamed, without a limit: `csv` has a header, and tags and metadata as JSON in the last columns; cells that a spreadsheet would read as a formula start with an apostrophe. `ndjson` has one object a line, as the search shows it, with its exact key. Your permissions are checked again every 2,000 objects; if they end, so does the connection, before the list does. What is added or deleted meanwhile may be in it or not. The export itself is recorded as `list_export`.',
    access: 'signed_in',
    status: 200,
    query: Exactly({
      q: SearchText(),
      bucket: Type.Optional({ ...BucketName, description: 'Without it, all buckets that you may list.' }),
      prefix: Type.Optional({ ...Prefix, description: 'Only keys that start with this; needs `bucket`.' }),
      format: Type.Optional(Type.Enum(['csv', 'ndjson'], { default: 'csv' })),
    }),
    produces: 'bytes',
    media: ['text/csv', 'application/x-ndjson'],
    errors: ['not_found', 'invalid_query'],
    rate: 'costly',
  }),

  suggestSearch: route({
    method: 'GET',
    url: '/search/suggestions',
    tag: 'objects',
    summary: 'Suggest tags, metadata or types to search for',
    description:
      'Names of tags or metadata that objects have which you may find; with `name`, the values of that one; or content types.',
    access: 'signed_in',
    status: 200,
    query: Exactly({
      field: Type.Enum(['tag', 'meta', 'type']),
      name: Type.Optional(Plain(128, { minLength: 1, description: 'The tag or metadata whose values are asked for.' })),
      starts_with: Type.Optional(Plain(256)),
      bucket: Type.Optional({ ...BucketName, description: 'Without it, of all buckets that you may list.' }),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    }),
    reply: Type.Object({
      items: Type.Array(Suggestion),
      complete: Type.Boolean({ description: 'Whether these are all; otherwise a longer text finds the others.' }),
    }),
    errors: ['not_found'],
  }),
}
