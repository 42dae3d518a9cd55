import Type from 'typebox'
import { route } from './route.ts'
import { Cursor, Exactly, Id, Limit, Nullable, Page, Timestamp } from './shapes.ts'

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

export const CredentialName = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', examples: ['ci'] })

/** What is shown of every credential that people issue to themselves. */
export const credential = {
  id: Id,
  name: Type.String(),
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
}
/** The rest of what is shown of an existing one. */
export const credentialUse = {
  last_used_at: Nullable(Timestamp),
  last_used_ip: Nullable(Type.String()),
  revoked_at: Nullable(Timestamp),
  status: Type.Enum(['active', 'expiring', 'expired', 'revoked'], {
    description: '`expiring`: within seven days.',
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
    description: 'It acts as you, with the permissions you have at each request. At most 50 valid tokens per user.',
    access: 'signed_in',
    status: 201,
    body: Exactly({ name: CredentialName, expires_in: Type.Optional(TokenExpiry) }),
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
      'Gives it a new value; name, expiry and lineage stay. The old value stops working at once, or after a grace period of up to a day.',
    access: 'signed_in',
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
