// Parts of the shapes of tools.
import Type, { type Static } from 'typebox'
import type { StoredObject } from '../../../contract/objects.ts'
import { BucketName, Nullable, ObjectKey, Prefix, Tags } from '../../../contract/shapes.ts'

export const bucket = BucketName
export const key = { ...ObjectKey, description: 'The key of the object, as browse and search return it.' }
export const prefix = Type.Optional({
  ...Prefix,
  description: 'Only keys that start with this. A folder ends with a slash.',
})
export const cursor = Type.Optional(
  Type.String({ maxLength: 4096, description: 'next_cursor of the page before; without it, the first page.' }),
)
export const limitOf = (most: number, usual: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: most, description: `Items of a page. Default: ${usual}.` }))
export const next_cursor = Nullable(Type.String(), {
  description: 'Pass it as cursor for the next page; null at the end.',
})
export const tags = Type.Optional({ ...Tags, description: 'All tags it is to have, at most 10.' })
export const expires_in = Type.Optional(
  Type.String({ pattern: '^[1-9]\\d{0,7}[smhdw]$', description: 'For example 15m, 24h or 7d.' }),
)

/** What becomes of a copy or move whose new key is in use. */
export const keep_both = (unless: string) =>
  Type.Optional(
    Type.Boolean({
      description: `If the new key is in use, both are kept: the object gets the first number that is free, for example "report (1).pdf". ${unless}`,
    }),
  )

/** An object in a list. */
export const Listed = Type.Object({
  bucket: Type.String(),
  key: Type.String(),
  size: Type.Integer({ description: 'Bytes.' }),
  content_type: Type.String(),
  last_modified: Type.String(),
})
export const listed = ({ bucket, key, size, content_type, last_modified }: StoredObject): Static<typeof Listed> => ({
  bucket,
  key,
  size,
  content_type,
  last_modified,
})

/** All that is known of an object. */
export const Described = Type.Object({
  ...Listed.properties,
  etag: Type.String({
    description: 'Changes with the contents. Pass it as if_etag to change only what you have seen.',
  }),
  version_id: Type.Optional(Type.String()),
  sha256: Type.Optional(Type.String()),
  metadata: Type.Record(Type.String(), Type.String()),
  tags: Type.Record(Type.String(), Type.String()),
})
export const described = (object: StoredObject): Static<typeof Described> => ({
  ...listed(object),
  etag: object.etag,
  ...(object.version_id === undefined ? {} : { version_id: object.version_id }),
  ...(object.sha256 === undefined ? {} : { sha256: object.sha256 }),
  metadata: object.metadata,
  tags: object.tags ?? {},
})

/** What happened to keys of which some could not be changed. */
export const Errors = Type.Array(Type.Object({ key: Type.String(), code: Type.String(), detail: Type.String() }))
