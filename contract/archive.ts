import Type from 'typebox'
import { At } from './moment.ts'
import { route } from './route.ts'
import { BucketName, Exactly, KEYS_BODY_LIMIT, Keys, Prefix } from './shapes.ts'

const archive = {
  tag: 'objects',
  access: 'signed_in',
  status: 200,
  params: Type.Object({ bucket: BucketName }),
  produces: 'bytes',
  media: ['application/zip'],
  errors: ['not_found', 'invalid_request'],
} as const

export const operations = {
  archiveObjects: route({
    ...archive,
    method: 'GET',
    url: '/buckets/{bucket}/objects/archive',
    summary: 'Download a folder or a selection as a zip',
    description:
      'Streamed while it is read. Objects the caller may not read are left out. With `at`, what was purged or erased since is an empty file with `.erased` added to its name. Without `prefix` and `keys` this returns the object with the key `archive`.',
    query: Exactly({
      at: Type.Optional(At),
      prefix: Type.Optional(Prefix),
      keys: Type.Optional(Keys),
      download: Type.Optional(Type.Enum(['0', '1'])),
    }),
    rate: 'costly',
  }),

  archiveSelection: route({
    ...archive,
    method: 'POST',
    url: '/buckets/{bucket}/objects/archive',
    summary: 'Download a zip of a selection too long for a URL',
    bodyLimit: KEYS_BODY_LIMIT,
    body: Exactly({ keys: Keys, at: Type.Optional(At) }),
    records: [],
    rate: 'costly',
  }),
}
