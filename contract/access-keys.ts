import Type from 'typebox'
import { ACCESS_KEY_ID } from './names.ts'
import { route } from './route.ts'
import { Cursor, Exactly, Id, Limit, Nullable, Page } from './shapes.ts'
import { CredentialName, credential, credentialUse, graceSeconds, NewScope, TokenExpiry } from './tokens.ts'

/** What can be said of a key. */
export const accessKeyFields = { name: CredentialName, scope: Type.Optional(Nullable(NewScope)) }

const common = {
  ...credential,
  access_key_id: Type.String({ description: 'Identifies the key in requests.', pattern: ACCESS_KEY_ID }),
}

export const AccessKey = Type.Object({
  ...common,
  policy: Nullable(Type.String(), {
    description: 'A policy in AWS’ language that limits it further: nothing is allowed that it does not allow.',
  }),
  ...credentialUse,
})
export type AccessKey = Type.Static<typeof AccessKey>

export const NewAccessKey = Type.Object({
  ...common,
  secret_access_key: Type.String({ description: 'The secret that signs requests. Returned only once.' }),
})
export type NewAccessKey = Type.Static<typeof NewAccessKey>

const listQuery = Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) })

export const operations = {
  createAccessKey: route({
    method: 'POST',
    url: '/access-keys',
    tag: 'access-keys',
    summary: 'Create an access key',
    description:
      'A key pair that signs S3 requests. It acts as you, with the permissions you have at each request, within its scope. At most 50 valid keys per user.',
    access: 'signed_in',
    ofAccount: true,
    status: 201,
    body: Exactly({
      ...accessKeyFields,
      expires_in: Type.Optional(TokenExpiry),
    }),
    reply: NewAccessKey,
    errors: ['invalid_request', 'limit_reached'],
    records: ['access_key_create'],
  }),

  listAccessKeys: route({
    method: 'GET',
    url: '/access-keys',
    tag: 'access-keys',
    summary: 'List your access keys, latest first',
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    query: listQuery,
    reply: Page(AccessKey),
  }),

  revokeAccessKey: route({
    method: 'DELETE',
    url: '/access-keys/{id}',
    tag: 'access-keys',
    summary: 'Revoke an access key',
    description: 'Takes effect on the next request. Administrators may revoke anyone’s.',
    access: 'signed_in',
    ofAccount: true,
    status: 204,
    params: Type.Object({ id: Id }),
    errors: ['not_found'],
    records: ['access_key_revoke'],
  }),

  rotateAccessKey: route({
    method: 'POST',
    url: '/access-keys/{id}/rotate',
    tag: 'access-keys',
    summary: 'Rotate an access key',
    description:
      'Gives it a new secret; its access key ID, name, scope and expiry stay. The old secret stops working at once, or after a grace period of up to a day.',
    access: 'signed_in',
    ofAccount: true,
    status: 201,
    params: Type.Object({ id: Id }),
    body: Exactly({ grace_seconds: Type.Optional(graceSeconds('secret')) }),
    reply: NewAccessKey,
    errors: ['not_found', 'conflict'],
    records: ['access_key_rotate'],
  }),

  listUserAccessKeys: route({
    method: 'GET',
    url: '/users/{id}/access-keys',
    tag: 'access-keys',
    summary: 'List a user’s access keys, latest first',
    access: 'admin',
    status: 200,
    params: Type.Object({ id: Id }),
    query: listQuery,
    reply: Page(AccessKey),
    errors: ['not_found'],
  }),
}
