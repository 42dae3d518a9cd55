// Tools that change objects.
import Type from 'typebox'
import { Exactly, Metadata } from '../../../../contract/shapes.ts'
import { assertContentType, typeOf } from '../../../base/media-type.ts'
import { presign } from '../../../storage/objects/presign.ts'
import { deleteMany, transferOne } from '../../../storage/objects/transfers/bulk.ts'
import type { TransferKind } from '../../../storage/objects/transfers/choose.ts'
import { updateMetadata } from '../../../storage/objects/update.ts'
import { write } from '../../../storage/objects/write.ts'
import { bucket, Described, described, Errors, expires_in, keep_both, key, tags } from '../shapes.ts'
import { invalidArgument, tool } from '../tool.ts'

/** Characters of what one call writes. */
const MOST_TEXT = 1_000_000
const MOST_KEYS = 100

const overwrite = Type.Optional(
  Type.Boolean({
    description:
      'Whether an object that is there may be replaced; it goes to the trash, or stays as a version. Default: false.',
  }),
)
const if_etag = Type.Optional(
  Type.String({ minLength: 1, maxLength: 100, description: 'Only if the object still has this ETag.' }),
)
const metadata = Type.Optional({ ...Metadata, description: 'All metadata it is to have. Names are in lower case.' })
const content_type = Type.Optional(Type.String({ minLength: 1, maxLength: 1024 }))

const tagged = (etag: string) => [{ tag: etag, weak: false }]
const ifMatch = (etag: string | undefined) => (etag === undefined ? undefined : tagged(etag))

const transfer = (kind: TransferKind) =>
  tool({
    name: kind,
    title: kind === 'copy' ? 'Copy an object' : 'Move or rename an object',
    description:
      kind === 'copy'
        ? 'Copies one object to another key, of the same or another bucket; refused if that key is in use, unless overwrite or keep_both is true. For many, use plan.'
        : 'Moves one object to another key, of the same or another bucket; refused if that key is in use, unless overwrite or keep_both is true. For many, use plan.',
    input: Exactly({
      bucket,
      key,
      to_bucket: Type.Optional({ ...bucket, description: 'Default: the same bucket.' }),
      to_key: { ...key, description: 'The new key.' },
      overwrite,
      keep_both: keep_both('The result has the key. Default: false.'),
    }),
    output: Described,
    hints: { readOnlyHint: false, destructiveHint: kind === 'move', idempotentHint: false },
    async run(ctx, { bucket, key, to_bucket = bucket, to_key, overwrite = false, keep_both }) {
      if (overwrite && keep_both) throw invalidArgument('keep_both', 'cannot be combined with overwrite')
      const object = await transferOne(ctx, kind, to_bucket, {
        source_bucket: bucket,
        source_key: key,
        dest_key: to_key,
        if_none_match: overwrite ? undefined : '*',
        keep_both,
      })
      const data = described(object)
      return { data, objects: [data] }
    },
  })

export const changers = [
  tool({
    name: 'write',
    title: 'Write an object',
    description:
      'Stores an object from text or base64, at most about 1 MB; for larger ones use upload_link. Refuses to replace an object unless overwrite is true.',
    input: Exactly({
      bucket,
      key,
      text: Type.Optional(Type.String({ maxLength: MOST_TEXT })),
      base64: Type.Optional(Type.String({ maxLength: MOST_TEXT, pattern: '^[A-Za-z0-9+/]*={0,2}$' })),
      content_type: Type.Optional({ ...content_type, description: 'Default: by the ending of the key.' }),
      metadata,
      tags,
      overwrite,
      if_etag,
    }),
    output: Type.Object({
      ...Described.properties,
      created: Type.Boolean({ description: 'Whether the key was free.' }),
    }),
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    async run(ctx, { bucket, key, text, base64, content_type, metadata = {}, tags, overwrite = false, if_etag }) {
      if ((text === undefined) === (base64 === undefined))
        throw invalidArgument('text', 'is required, or base64 instead of it')
      assertContentType(content_type, 'arguments.content_type')
      const bytes = text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text)
      const upload = {
        key,
        content_type: typeOf(content_type, key),
        metadata,
        tags,
        announced: bytes.length,
        async *source() {
          yield bytes
        },
      }
      const conditions = {
        ifMatch: ifMatch(if_etag),
        ifNoneMatch: overwrite || if_etag !== undefined ? undefined : ('*' as const),
      }
      const { object, created } = await write(ctx, bucket, upload, conditions)
      const data = { ...described(object), created }
      return { data, objects: [data] }
    },
  }),

  tool({
    name: 'upload_link',
    title: 'Make a URL for uploading',
    description: 'Makes a URL to which one object can be uploaded with PUT, of any size and without a credential.',
    input: Exactly({
      bucket,
      key,
      content_type,
      max_bytes: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
      expires_in: Type.Optional({ ...expires_in, description: 'Default: 1h; at most 7d.' }),
    }),
    output: Type.Object({ url: Type.String(), method: Type.String(), expires_at: Type.String() }),
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    async run(ctx, { bucket, ...limits }) {
      assertContentType(limits.content_type, 'arguments.content_type')
      return { data: presign(ctx, bucket, { ...limits, method: 'PUT' }) }
    },
  }),

  transfer('copy'),
  transfer('move'),

  tool({
    name: 'delete',
    title: 'Delete objects',
    description: `Deletes up to ${MOST_KEYS} objects of a bucket by their keys. They go to the trash, or stay as versions: users can restore them. For a whole folder, or what a search finds, use plan.`,
    input: Exactly({
      bucket,
      keys: Type.Array(key, { minItems: 1, maxItems: MOST_KEYS, uniqueItems: true }),
    }),
    output: Type.Object({ deleted: Type.Array(Type.String()), errors: Errors }),
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    async run(ctx, { bucket, keys }) {
      const { succeeded, errors } = await deleteMany(ctx, bucket, keys)
      return { data: { deleted: succeeded, errors } }
    },
  }),

  tool({
    name: 'describe',
    title: 'Set tags, metadata and type',
    description: 'Replaces the tags, the metadata or the content type of one object; what is not given stays.',
    input: Exactly({ bucket, key, tags, metadata, content_type, if_etag }),
    output: Described,
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    async run(ctx, { bucket, key, if_etag, ...change }) {
      if (Object.values(change).every((value) => value === undefined))
        throw invalidArgument('tags', 'is required, or metadata or content_type')
      assertContentType(change.content_type, 'arguments.content_type')
      const data = described(await updateMetadata(ctx, { bucket, key }, change, { ifMatch: ifMatch(if_etag) }))
      return { data, objects: [data] }
    },
  }),
]
