import Type from 'typebox'
import { KMS_KEY_NAME } from './names.ts'
import { route } from './route.ts'
import { AwsAccessKeyId, AwsRegion, Exactly, endpointOf, Nullable, Timestamp } from './shapes.ts'
import { Plain } from './texts.ts'

export const KmsKeyName = Type.String({
  pattern: KMS_KEY_NAME,
  description: 'As S3 clients name it (`x-amz-server-side-encryption-aws-kms-key-id`). It cannot be changed.',
  examples: ['finance'],
})

/** How an object is encrypted. */
export const ObjectEncryption = Type.Object({
  algorithm: Type.Enum(['AES256', 'aws:kms', 'SSE-C'], {
    description:
      '`AES256`: with a key of the service. `aws:kms`: with a key of a key service. `SSE-C`: with a key that only its S3 client has, without which nobody can read it.',
  }),
  key: Type.Optional({ ...KmsKeyName, description: 'Of `aws:kms`: the registered key.' }),
})
export type ObjectEncryption = Type.Static<typeof ObjectEncryption>

/** How new objects of a bucket are encrypted. */
export const BucketEncryption = Exactly({
  algorithm: Type.Enum(['AES256', 'aws:kms'], {
    description: '`AES256`: with a key of the service. `aws:kms`: with a key of a key service, which `key` names.',
  }),
  key: Type.Optional(KmsKeyName),
})
export type BucketEncryption = Type.Static<typeof BucketEncryption>

/** How one upload, or a copy, is to be encrypted. */
export const AskedEncryption = Type.Optional({
  ...BucketEncryption,
  description: 'How to encrypt it. Default: as the bucket says. A key that cannot be used is refused (409).',
})

/** The same as a header of a request whose body is the contents. */
export const encryptionHeader = {
  'x-encryption': Type.Optional(
    Type.String({
      description:
        'How to encrypt it: `AES256`, with a key of the service, or `aws:kms:` with the name of a registered key. Default: as the bucket says. Keys of clients (SSE-C) are for S3 clients only: signed URLs, share links, images and archives could not send them.',
      examples: ['AES256', 'aws:kms:finance'],
    }),
  ),
}

const Endpoint = endpointOf('key service', 'https://vault.example.org:8200')
const KeyId = Type.String({
  pattern: '^[A-Za-z0-9:/_.-]{1,256}$',
  description: 'What the key service calls the key: an id, an ARN or an alias; with `transit`, a name.',
  examples: ['alias/strongroom'],
})
const Mount = Type.String({ pattern: '^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$', maxLength: 128, examples: ['transit'] })
const Secret = Plain(1024, {
  minLength: 1,
  description: 'The secret of `access_key_id`, or the token for `transit`. Stored encrypted and never returned.',
})

export const KmsKey = Type.Object({
  name: KmsKeyName,
  kind: Type.Enum(['aws', 'transit'], {
    description: '`aws`: the AWS KMS API. `transit`: the Transit secrets engine of Vault or OpenBao.',
  }),
  endpoint: Nullable(Endpoint),
  region: Nullable(AwsRegion),
  key_id: KeyId,
  mount: Nullable(Mount, { description: 'Of `transit`: where the engine is mounted.' }),
  access_key_id: Nullable(AwsAccessKeyId),
  enabled: Type.Boolean({ description: 'While false, nothing can be read or written that is encrypted with it.' }),
  created_at: Timestamp,
  created_by: Nullable(Type.String()),
})
export type KmsKey = Type.Static<typeof KmsKey>

const common = { tag: 'encryption', access: 'admin' } as const
const byName = Type.Object({ key: KmsKeyName })

export const operations = {
  listKmsKeys: route({
    ...common,
    method: 'GET',
    url: '/kms-keys',
    summary: 'List the keys of key services',
    status: 200,
    reply: Type.Object({ items: Type.Array(KmsKey) }),
  }),
  createKmsKey: route({
    ...common,
    method: 'POST',
    url: '/kms-keys',
    summary: 'Register a key of a key service',
    description:
      'It is tried first: a key that cannot encrypt and decrypt is refused (409), and nothing is registered.',
    status: 201,
    body: Exactly({
      name: KmsKeyName,
      kind: Type.Enum(['aws', 'transit']),
      endpoint: Type.Optional(Nullable(Endpoint)),
      region: Type.Optional(Nullable(AwsRegion)),
      key_id: KeyId,
      mount: Type.Optional(Nullable(Mount)),
      access_key_id: Type.Optional(Nullable(AwsAccessKeyId)),
      secret: Type.Optional(Nullable(Secret)),
    }),
    reply: KmsKey,
    errors: ['already_exists', 'conflict', 'invalid_request', 'busy'],
    records: ['kms_key_create'],
  }),
  updateKmsKey: route({
    ...common,
    method: 'PATCH',
    url: '/kms-keys/{key}',
    summary: 'Change how a key service is reached, or turn a key off',
    description: 'Unless it is turned off, it is tried first, as when it is registered.',
    status: 200,
    params: byName,
    body: Exactly({
      endpoint: Type.Optional(Nullable(Endpoint)),
      region: Type.Optional(Nullable(AwsRegion)),
      mount: Type.Optional(Nullable(Mount)),
      access_key_id: Type.Optional(Nullable(AwsAccessKeyId)),
      secret: Type.Optional(Nullable(Secret)),
      enabled: Type.Optional(Type.Boolean()),
    }),
    reply: KmsKey,
    errors: ['not_found', 'conflict', 'invalid_request', 'busy'],
    records: ['kms_key_update'],
  }),
  deleteKmsKey: route({
    ...common,
    method: 'DELETE',
    url: '/kms-keys/{key}',
    summary: 'Forget a key that nothing is encrypted with',
    status: 204,
    params: byName,
    errors: ['not_found', 'conflict'],
    records: ['kms_key_delete'],
  }),
}
