import Type from 'typebox'
import { SCOPE_BUCKET } from './names.ts'
import { bucketActions } from './permissions.ts'
import { route } from './route.ts'
import { Cursor, Exactly, Id, Limit, Nullable, Page, Prefix, Timestamp } from './shapes.ts'
import { Line } from './texts.ts'

/** The form that secret scanners look for. */
export const TOKEN_PATTERN = 'svc_pat_[0-9A-Za-z]{36}'

/** The named lifetimes, in days. */
export const namedLifetimes = { '30d': 30, '90d': 90, '365d': 365 } as const
const TEN_YEARS = 315_360_000

export const TokenExpiry = Type.Union(
  [
    Type.Enum([...Object.keys(namedLifetimes), 'never']),
    Type.Integer({ minimum: 1, maximum: TEN_YEARS }),
    Type.String({ pattern: '^0*[1-9]\\d{0,8}$' }),
  ],
  {
    description: '`30d`, `90d`, `365d`, seconds (a number, or a text of digits; at most ten years) or `never`.',
    default: 'never',
    examples: ['90d'],
  },
)

export const CredentialName = Line(100, { examples: ['ci'] })

const scopeEntry = {
  bucket: Type.String({
    pattern: SCOPE_BUCKET,
    description: 'A bucket’s name, or its start followed by `*`.',
    examples: ['photos', 'backup-*'],
  }),
  actions: Type.Array(Type.Enum([...bucketActions]), {
    minItems: 1,
    maxItems: bucketActions.length,
    uniqueItems: true,
  }),
}
/** What a new credential is limited to. */
export const NewScope = Type.Array(Exactly({ ...scopeEntry, prefix: Type.Optional(Prefix) }), {
  minItems: 1,
  maxItems: 20,
  description: 'What the credential is limited to. Without it, it may do everything that you may do.',
})
export type NewScope = Type.Static<typeof NewScope>
/** What a credential is limited to. */
export const CredentialScope = Nullable(Type.Array(Type.Object({ ...scopeEntry, prefix: Prefix })), {
  description: 'What the credential is limited to; null if to nothing but its owner’s permissions.',
})

/** What is shown of every credential that people issue to themselves. */
export const credential = {
  id: Id,
  name: Type.String(),
  scope: CredentialScope,
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
}
/** The rest of what is shown of an existing one. */
export const credentialUse = {
  last_used_at: Nullable(Timestamp),
  last_used_ip: Nullable(Type.String()),
  revoked_at: Nullable(Timestamp),
  status: Type.Enum(['active', 'inactive', 'expiring', 'expired', 'revoked'], {
    description: '`expiring`: within seven days. `inactive`: of access keys, turned off by the IAM API.',
  }),
  created_via: Type.Enum(['local', 'idp', 'pat'], { description: 'How its creator was authenticated.' }),
  created_by_token_id: Nullable(Id),
}
/** How long a replaced value still works. */
export const graceSeconds = (value: string) =>
  Type.Integer({
    minimum: 0,
    maximum: 86_400,
    default: 0,
    description: `Seconds that the old ${value} still works.`,
  })

const common = {
  ...credential,
  token_prefix: Type.String({
    description: 'The first 12 characters, for recognising it.',
    examples: ['svc_pat_9QxW'],
  }),
}

export const Token = Type.Object({ ...common, ...credentialUse })
export type Token = Type.Static<typeof Token>

export const NewToken = Type.Object({
  ...common,
  token: Type.String({
    description: 'The credential. Returned only once.',
    pattern: `^${TOKEN_PATTERN}$`,
  }),
})
export type NewToken = Type.Static<typeof NewToken>

const listQuery = Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) })

export const operations = {
  createToken: route({
    method: 'POST',
    url: '/tokens',
    tag: 'tokens',
    summary: 'Create a personal access token',
    description:
      'It acts as you, with the permissions you have at each request, within its scope. With a scope it has none of the permissions that are not about buckets, and is refused by operations on your account: its profile, sessions, second factors, tokens and access keys. At most 50 valid tokens per user.',
    access: 'signed_in',
    ofAccount: true,
    status: 201,
    body: Exactly({
      name: CredentialName,
      scope: Type.Optional(Nullable(NewScope)),
      expires_in: Type.Optional(TokenExpiry),
    }),
    reply: NewToken,
    errors: ['invalid_request', 'limit_reached'],
    records: ['token_create'],
  }),

  listTokens: route({
    method: 'GET',
    url: '/tokens',
    tag: 'tokens',
    summary: 'List your personal access tokens, latest first',
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    query: listQuery,
    reply: Page(Token),
  }),

  revokeToken: route({
    method: 'DELETE',
    url: '/tokens/{id}',
    tag: 'tokens',
    summary: 'Revoke a personal access token',
    description:
      'Takes effect on the next request. With `cascade`, tokens and access keys created with it, directly or indirectly, are revoked too. Administrators may revoke anyone’s.',
    access: 'signed_in',
    ofAccount: true,
    status: 204,
    params: Type.Object({ id: Id }),
    query: Exactly({ cascade: Type.Optional(Type.Boolean({ default: false })) }),
    errors: ['not_found'],
    records: ['token_revoke', 'access_key_revoke'],
  }),

  rotateToken: route({
    method: 'POST',
    url: '/tokens/{id}/rotate',
    tag: 'tokens',
    summary: 'Rotate a personal access token',
    description:
      'Gives it a new value; name, scope, expiry and lineage stay. The old value stops working at once, or after a grace period of up to a day.',
    access: 'signed_in',
    ofAccount: true,
    status: 201,
    params: Type.Object({ id: Id }),
    body: Exactly({ grace_seconds: Type.Optional(graceSeconds('value')) }),
    reply: NewToken,
    errors: ['not_found', 'conflict'],
    records: ['token_rotate'],
  }),

  listUserTokens: route({
    method: 'GET',
    url: '/users/{id}/tokens',
    tag: 'tokens',
    summary: 'List a user’s personal access tokens, latest first',
    access: 'admin',
    status: 200,
    params: Type.Object({ id: Id }),
    query: listQuery,
    reply: Page(Token),
    errors: ['not_found'],
  }),
}
