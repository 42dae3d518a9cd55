import Type from 'typebox'
import { AskedEncryption } from './encryption.ts'
import { BulkResult, StoredObject } from './objects.ts'
import { route } from './route.ts'
import { BucketName, Exactly, KEYS_BODY_LIMIT, Keys, ObjectKey, Prefix } from './shapes.ts'

const params = Type.Object({ bucket: BucketName })
const IfNoneMatch = Type.Optional(Type.Enum(['*'], { description: 'Only if the key is not in use.' }))

const KeepBoth = (what: string) =>
  Type.Optional(
    Type.Boolean({
      description: `Where the key is in use, arrive next to it, under the first number that is free: \`report (1).pdf\`. Needs \`write\` on that key too. Two folders of one name are one: the empty object that marks a folder replaces that of the other. ${what}`,
    }),
  )

/** What became of many objects, and where they are now. */
export const TransferResult = Type.Object({
  ...BulkResult.properties,
  kept_both: Type.Optional(
    Type.Array(Type.Object({ source_key: Type.String(), key: Type.String() }), {
      description: 'What arrived next to others, and the keys that it got (`keep_both`).',
    }),
  ),
})
export type TransferResult = Type.Static<typeof TransferResult>

const oneBody = {
  source_bucket: BucketName,
  source_key: ObjectKey,
  dest_key: Type.Optional(Type.String({ ...ObjectKey, description: 'Default: the same key.' })),
  if_none_match: IfNoneMatch,
  keep_both: KeepBoth('A copy onto its own key is one next to it. The reply has the key.'),
}

const one = {
  method: 'POST',
  tag: 'objects',
  access: 'signed_in',
  status: 200,
  params,
  reply: StoredObject,
  errors: ['not_found', 'conflict', 'precondition_failed', 'quota_exceeded', 'read_only', 'archived', 'damaged'],
} as const

const many = {
  method: 'POST',
  tag: 'objects',
  access: 'signed_in',
  status: 200,
  params,
  bodyLimit: KEYS_BODY_LIMIT,
  rate: 'costly',
  reply: TransferResult,
  errors: ['not_found', 'read_only'],
} as const
const manyBody = {
  source_bucket: BucketName,
  keys: Keys,
  dest_prefix: Type.Optional(Prefix),
  source_prefix: Type.Optional(
    Type.String({
      ...Prefix,
      description: 'Removed from the keys before `dest_prefix` is added. Default: all but the last segment.',
    }),
  ),
  if_none_match: IfNoneMatch,
  keep_both: KeepBoth('`kept_both` has the keys.'),
}

export const operations = {
  copyObject: route({
    ...one,
    url: '/buckets/{bucket}/objects/copy',
    summary: 'Copy an object into this bucket',
    description:
      'Needs `read` on the source and `write` on the new key. No bytes are copied: both share the contents, unless the copy is to be encrypted otherwise, which may be a copy onto its own key. A replaced object goes to the trash.',
    body: Exactly({ ...oneBody, encryption: AskedEncryption }),
    records: ['copy'],
  }),

  moveObject: route({
    ...one,
    url: '/buckets/{bucket}/objects/move',
    summary: 'Move or rename an object into this bucket',
    description: 'Needs `read` and `delete` on the source and `write` on the new key.',
    body: Exactly(oneBody),
    records: ['move'],
  }),

  bulkCopy: route({
    ...many,
    url: '/buckets/{bucket}/objects/bulk-copy',
    summary: 'Copy up to 1,000 objects into this bucket',
    body: Exactly({ ...manyBody, encryption: AskedEncryption }),
    errors: [...many.errors, 'conflict'],
    records: ['copy'],
  }),

  bulkMove: route({
    ...many,
    url: '/buckets/{bucket}/objects/bulk-move',
    summary: 'Move up to 1,000 objects into this bucket',
    body: Exactly(manyBody),
    records: ['move'],
  }),
}
