import Type from 'typebox'
import { bucketActions, globalRights } from './permissions.ts'
import { route } from './route.ts'
import { Exactly, Id, Nullable } from './shapes.ts'

export const TokenPair = Type.Object({
  access_token: Type.String({ description: 'A JWT (HS256), valid 30 minutes.' }),
  token_type: Type.Literal('bearer'),
  expires_in: Type.Integer({ description: 'Seconds the access token is valid.', examples: [1800] }),
  refresh_token: Type.String({ description: 'Good for one exchange within 7 days.' }),
})
export type TokenPair = Type.Static<typeof TokenPair>

export const Me = Type.Object({
  id: Id,
  email: Type.String(),
  display_name: Type.String(),
  is_admin: Type.Boolean(),
  groups: Type.Array(Type.Object({ id: Id, name: Type.String() })),
  permissions: Type.Object({
    global: Type.Array(Type.Enum([...globalRights])),
    grants: Type.Array(
      Type.Object({
        group_id: Id,
        grant_id: Id,
        bucket_pattern: Type.String(),
        prefix: Type.String(),
        actions: Type.Array(Type.Enum([...bucketActions])),
      }),
    ),
  }),
})

/** OAuth 2.0 clients may send it. */
const Ignored = Type.String({ description: 'Ignored.', examples: [''] })

export const login = route({
  method: 'POST',
  url: '/auth/token',
  tag: 'auth',
  summary: 'Log in with e-mail and password',
  access: 'public',
  consumes: 'form',
  status: 200,
  body: Exactly({
    username: Type.String({
      minLength: 1,
      maxLength: 320,
      description: 'The e-mail address.',
      examples: ['admin@example.com'],
    }),
    password: Type.String({ maxLength: 4096, format: 'password' }),
    grant_type: Type.Optional(Type.String({ description: 'If present, `password`.', examples: ['password'] })),
    scope: Type.Optional(Ignored),
    client_id: Type.Optional(Ignored),
    client_secret: Type.Optional(Ignored),
  }),
  reply: TokenPair,
  errors: ['invalid_grant', 'unsupported_grant_type', 'rate_limited', 'busy'],
  records: ['login', 'login_failed'],
})

export const refresh = route({
  method: 'POST',
  url: '/auth/refresh',
  tag: 'auth',
  summary: 'Exchange a refresh token for new tokens',
  description:
    'The refresh token is replaced at each exchange. Using a replaced one again ends the whole session, except within 30 seconds while its successor is unused: then the same successor is answered.',
  access: 'public',
  status: 200,
  body: Exactly({ refresh_token: Type.String({ minLength: 1, maxLength: 4096 }) }),
  reply: TokenPair,
  errors: ['unauthenticated'],
  records: ['refresh_reuse'],
})

export const logout = route({
  method: 'POST',
  url: '/auth/logout',
  tag: 'auth',
  summary: 'End this session, with all its access and refresh tokens',
  access: 'signed_in',
  status: 204,
  records: ['logout'],
})

export const me = route({
  method: 'GET',
  url: '/auth/me',
  tag: 'auth',
  summary: 'Who you are and what you may do',
  access: 'signed_in',
  status: 200,
  reply: Me,
})

export const authConfig = route({
  method: 'GET',
  url: '/auth/config',
  tag: 'auth',
  summary: 'Which ways to sign in are on',
  access: 'public',
  status: 200,
  reply: Type.Object({ local: Type.Boolean(), idp: Type.Boolean(), idp_name: Nullable(Type.String()) }),
})
