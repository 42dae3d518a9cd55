// Tools that look for objects.
import Type from 'typebox'
import { bucketActions } from '../../../../contract/names.ts'
import { Exactly, Nullable } from '../../../../contract/shapes.ts'
import { SearchText } from '../../../../contract/texts.ts'
import { listBuckets } from '../../../storage/buckets/service.ts'
import { listChanges } from '../../../storage/history/former/changes.ts'
import { browse } from '../../../storage/objects/lists/browse.ts'
import { searchEverywhere } from '../../../storage/objects/lists/everywhere.ts'
import { searchByQuery } from '../../../storage/objects/lists/query-page.ts'
import { listVersionPage } from '../../../storage/versions/list.ts'
import { bucket, cursor, key, Listed, limitOf, listed, next_cursor, prefix } from '../shapes.ts'
import { tool } from '../tool.ts'

const READS = { readOnlyHint: true, idempotentHint: true }
const MOST = 200
const USUAL = 50

const Content = Nullable(Type.Object({ size: Type.Integer(), etag: Type.String(), content_type: Type.String() }))

export const finders = [
  tool({
    name: 'list_buckets',
    title: 'List buckets',
    description:
      'Lists the buckets that you can reach, with what you may do in each and how much each holds. Start here.',
    input: Exactly({ limit: limitOf(MOST, USUAL), cursor }),
    output: Type.Object({
      buckets: Type.Array(
        Type.Object({
          name: Type.String(),
          permissions: Type.Array(Type.Enum([...bucketActions])),
          object_count: Nullable(Type.Integer()),
          used_bytes: Nullable(Type.Integer()),
          keeps_versions: Type.Boolean(),
          trash_days: Type.Integer({ description: 'How long what is deleted can be restored.' }),
          read_only: Type.Boolean(),
        }),
      ),
      next_cursor,
    }),
    hints: READS,
    async run(ctx, { limit = USUAL, cursor }) {
      const { items, next_cursor } = await listBuckets(ctx, limit, cursor)
      const buckets = items.map(({ name, permissions, object_count, used_bytes, versioning, trash_days, mode }) => ({
        name,
        permissions,
        object_count,
        used_bytes,
        keeps_versions: versioning !== 'off',
        trash_days,
        read_only: mode === 'read_only',
      }))
      return { data: { buckets, next_cursor } }
    },
  }),

  tool({
    name: 'browse',
    title: 'Browse a folder',
    description: 'Lists the folders and objects directly below a prefix. To look into a folder, pass it as prefix.',
    input: Exactly({
      bucket,
      prefix,
      sort: Type.Optional(Type.Enum(['name', 'size', 'modified'])),
      order: Type.Optional(Type.Enum(['asc', 'desc'])),
      limit: limitOf(MOST, USUAL),
      cursor,
    }),
    output: Type.Object({ folders: Type.Array(Type.String()), objects: Type.Array(Listed), next_cursor }),
    hints: READS,
    async run(ctx, { bucket, limit = USUAL, ...query }) {
      const { common_prefixes: folders, objects, next_cursor } = await browse(ctx, bucket, { ...query, limit })
      return { data: { folders, objects: objects.map(listed), next_cursor } }
    },
  }),

  tool({
    name: 'search',
    title: 'Search for objects',
    description:
      'Finds objects for which all terms of a query hold, in one bucket or in all: words of the name, name:*report*, ext:pdf, type:image/*, kind:image, size:>10MB, modified:<7d (in the last seven days), modified:>2026-01-31, tag:project=apollo, meta:camera=nikon, by:me; - before a term negates it. An error says what was not understood.',
    input: Exactly({
      q: SearchText({ description: 'The query.' }),
      bucket: Type.Optional({ ...bucket, description: 'Without it, all buckets that you can list.' }),
      prefix: Type.Optional({ ...prefix, description: 'Only below this prefix; needs bucket.' }),
      limit: limitOf(MOST, USUAL),
      cursor,
    }),
    output: Type.Object({
      objects: Type.Array(Listed),
      total: Type.Integer({ description: 'How many there are, at least.' }),
      total_exact: Type.Boolean({ description: 'Whether that is all.' }),
      next_cursor,
    }),
    hints: READS,
    async run(ctx, { bucket, limit = USUAL, ...query }) {
      const asked = { ...query, limit }
      const found = await (bucket === undefined ? searchEverywhere(ctx, asked) : searchByQuery(ctx, bucket, asked))
      const { items, total, total_exact, next_cursor } = found
      return { data: { objects: items.map(listed), total, total_exact, next_cursor } }
    },
  }),

  tool({
    name: 'versions',
    title: 'List the versions of an object',
    description: 'Lists the versions of one key, the latest first. Pass a version_id to read to see an earlier one.',
    input: Exactly({ bucket, key, limit: limitOf(MOST, USUAL), cursor }),
    output: Type.Object({
      versions: Type.Array(
        Type.Object({
          version_id: Type.String(),
          latest: Type.Boolean(),
          deleted: Type.Boolean({ description: 'A delete marker: from then on the key had no object.' }),
          size: Type.Integer(),
          etag: Nullable(Type.String()),
          last_modified: Type.String(),
        }),
      ),
      next_cursor,
    }),
    hints: READS,
    async run(ctx, { bucket, limit = USUAL, ...query }) {
      const { items, next_cursor } = await listVersionPage(ctx, bucket, { ...query, limit })
      const versions = items.map(({ version_id, latest, marker, size, etag, last_modified }) => ({
        version_id,
        latest,
        deleted: marker,
        size,
        etag,
        last_modified,
      }))
      return { data: { versions, next_cursor } }
    },
  }),

  tool({
    name: 'changes',
    title: 'List what changed since a moment',
    description: 'Lists the keys of a bucket that are not what they were at a moment, with what they were and are now.',
    input: Exactly({
      bucket,
      since: Type.String({ minLength: 1, maxLength: 100, description: 'A time, for example 2026-11-28T09:00:00Z.' }),
      prefix,
      limit: limitOf(MOST, USUAL),
      cursor,
    }),
    output: Type.Object({
      changes: Type.Array(
        Type.Object({
          key: Type.String(),
          change: Type.Enum(['added', 'changed', 'deleted']),
          before: Content,
          after: Content,
          moment: Type.String(),
        }),
      ),
      next_cursor,
    }),
    hints: READS,
    async run(ctx, { bucket, since: from, limit = USUAL, ...query }) {
      const { items, next_cursor } = await listChanges(ctx, bucket, { ...query, from, limit })
      const changes = items.map(({ key, change, before, after, moment }) => ({ key, change, before, after, moment }))
      return { data: { changes, next_cursor } }
    },
  }),
]
