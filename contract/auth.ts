import Type from 'typebox'
import { languages } from './languages.ts'
import { bucketActions, globalRights } from './permissions.ts'
import { route } from './route.ts'
import { Cursor, Exactly, Id, Limit, Nullable, Page, Timestamp } from './shapes.ts'
import { Line, Lines, Opaque, Plain } from './texts.ts'
import { CredentialScope } from './tokens.ts'
import { DisplayName, Email, Password } from './users.ts'

export const TokenPair = Type.Object({
  access_token: Type.String({ description: 'A JWT (HS256), valid 30 minutes.' }),
  token_type: Type.Literal('bearer'),
  expires_in: Type.Integer({ description: 'Lifetime of the access token in seconds.', examples: [1800] }),
  refresh_token: Type.Optional(
    Type.String({
      description: 'Valid for one exchange within 7 days. With `session=cookie` it is only in the cookie.',
    }),
  ),
})
export type TokenPair = Type.Static<typeof TokenPair>

const Language = Nullable(Type.Enum([...languages]), {
  description:
    'The language of the console for this account, and of mail to it; null: the browser’s, and English in mail.',
})

export const Me = Type.Object({
  id: Id,
  email: Type.String(),
  display_name: Type.String(),
  language: Language,
  scope: CredentialScope,
  is_admin: Type.Boolean(),
  groups: Type.Array(Type.Object({ id: Id, name: Type.String() })),
  permissions: Type.Object({
    global: Type.Array(Type.Enum([...globalRights])),
    grants: Type.Array(
      Type.Object({
        group_id: Id,
        grant_id: Nullable(Id, { description: 'Null: the permission of administrators, within the scope.' }),
        bucket_pattern: Type.String(),
        prefix: Type.String(),
        actions: Type.Array(Type.Enum([...bucketActions])),
      }),
    ),
  }),
  limits: Type.Object(
    {
      share_default_expires_in: Type.String({ description: 'Default lifetime of a link.' }),
      share_max_expires_in: Nullable(Type.String({ description: 'Maximum lifetime of a link; null: no limit.' })),
      token_max_lifetime_days: Nullable(
        Type.Integer({ description: 'Maximum lifetime of personal access tokens; null: no limit.' }),
      ),
    },
    { description: 'Limits from the settings for links and tokens.' },
  ),
  s3: Nullable(
    Type.Object({
      url: Nullable(Type.String({ description: 'Null: this host, at `port`.' })),
      port: Type.Integer(),
      region: Type.String(),
      presigned_v2: Type.Boolean({
        description: 'Whether presigned URLs of Signature Version 2 are accepted (`S3_SIGNATURE_V2`).',
      }),
      website_domains: Type.Array(Type.String(), {
        description: 'Below these, buckets are shown as websites (`S3_WEBSITE_DOMAIN`).',
      }),
    }),
    { description: 'Where S3 clients reach the service; null without an S3 endpoint.' },
  ),
  mail: Type.Boolean({ description: 'Whether the service sends mail.' }),
  password_generated: Nullable(Type.Boolean(), {
    description:
      'Whether the password is still the one that the service generated and printed. Null: it generated none for this account.',
  }),
})

export const Otp = Type.String({
  pattern: '^[0-9]{6}$',
  description: 'A code of an authenticator app. Each works once.',
  examples: ['123456'],
})

export const sessionQuery = Exactly({
  session: Type.Optional(
    Type.Enum(['cookie'], {
      description:
        'For browsers: returns the refresh token as an HttpOnly, SameSite=Strict cookie that scripts cannot read.',
    }),
  ),
})

/** OAuth 2.0 clients may send it. */
const Ignored = Plain(4096, { description: 'Ignored.', examples: [''] })

const callbackFields = {
  code: Type.Optional(Plain(8192)),
  state: Type.Optional(Plain(1024)),
  iss: Type.Optional(Plain(2048)),
  error: Type.Optional(Plain(200)),
  // Entra writes several lines.
  error_description: Type.Optional(Lines(2000)),
}
const callback = {
  url: '/auth/callback',
  tag: 'auth',
  access: 'public',
  status: 200,
  otherStatus: [303],
  reply: TokenPair,
  errors: [
    'invalid_state',
    'idp_rejected',
    'login_disabled',
    'user_not_provisioned',
    'forbidden',
    'email_in_use',
    'idp_unavailable',
  ],
} as const

export const operations = {
  login: route({
    method: 'POST',
    url: '/auth/token',
    tag: 'auth',
    summary: 'Log in with email and password',
    description:
      'Users with a second factor get a 401 `second_factor_required`, with a `challenge` for `POST /auth/token/second-factor`; a code of an authenticator app can come with the password instead. Users who must set one up first get `second_factor_enrollment_required`, with a `challenge` for `POST /auth/token/enrollment`. Users who must choose another password get `password_change_required`, with a `challenge` for `POST /auth/token/password`.',
    access: 'public',
    consumes: 'form',
    status: 200,
    query: sessionQuery,
    body: Exactly({
      username: Line(320, { description: 'The email address.', examples: ['admin@example.com'] }),
      password: Type.String({ maxLength: 4096, format: 'password' }),
      otp: Type.Optional({ ...Otp, description: 'A code of an authenticator app, if you have one.' } as typeof Otp),
      grant_type: Type.Optional(Plain(100, { description: 'Must be `password` if present.', examples: ['password'] })),
      scope: Type.Optional(Ignored),
      client_id: Type.Optional(Ignored),
      client_secret: Type.Optional(Ignored),
    }),
    reply: TokenPair,
    errors: [
      'invalid_grant',
      'forbidden',
      'second_factor_required',
      'second_factor_enrollment_required',
      'password_change_required',
      'invalid_second_factor',
      'unsupported_grant_type',
      'login_disabled',
      'rate_limited',
      'busy',
    ],
    records: ['login', 'login_failed'],
  }),

  refresh: route({
    method: 'POST',
    url: '/auth/refresh',
    tag: 'auth',
    summary: 'Exchange a refresh token for new tokens',
    description:
      'Each exchange replaces the refresh token. Reusing a replaced one ends the whole session, except within 30 seconds while its successor is unused: then it returns the same successor.',
    access: 'public',
    status: 200,
    query: sessionQuery,
    body: Exactly({
      refresh_token: Type.Optional(Opaque(4096, { description: 'Omit with `session=cookie`.' })),
    }),
    reply: TokenPair,
    errors: ['unauthenticated', 'second_factor_required', 'login_disabled', 'forbidden'],
    records: ['refresh_reuse'],
  }),

  logout: route({
    method: 'POST',
    url: '/auth/logout',
    tag: 'auth',
    summary: 'Log out: end this session with all its tokens',
    access: 'signed_in',
    ofAccount: true,
    status: 204,
    // With a personal access token there is no session to end.
    errors: ['conflict'],
    records: ['logout'],
  }),

  me: route({
    method: 'GET',
    url: '/auth/me',
    tag: 'auth',
    summary: 'Get your account and permissions',
    access: 'signed_in',
    status: 200,
    reply: Me,
  }),

  updateMe: route({
    method: 'PATCH',
    url: '/auth/me',
    tag: 'auth',
    summary: 'Change your own preferences',
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    body: Exactly({ language: Language }),
    reply: Me,
    records: ['user_update'],
  }),

  authConfig: route({
    method: 'GET',
    url: '/auth/config',
    tag: 'auth',
    summary: 'List the enabled login methods',
    access: 'public',
    status: 200,
    reply: Type.Object({
      local: Type.Boolean(),
      idp: Type.Boolean(),
      idp_name: Nullable(Type.String()),
      passkeys: Type.Boolean({ description: 'Whether a passkey alone signs in: browsers have them at this address.' }),
      password_reset: Type.Boolean({
        description: 'Whether a link to replace a forgotten password can be sent: mail is set up.',
      }),
      setup_required: Type.Boolean({
        description:
          'True if there is no administrator yet: create one with the setup link that the service printed at startup.',
      }),
      first_sign_in: Type.Boolean({
        description: 'True until someone has signed in, with the credentials that the service printed for example.',
      }),
    }),
  }),

  setUp: route({
    method: 'POST',
    url: '/auth/setup',
    tag: 'auth',
    summary: 'Create the first administrator with the token of the setup link',
    description:
      'The link stops working as soon as there is an administrator. Each start without one prints a new link and invalidates the previous one. Returns the tokens of the administrator’s first session.',
    access: 'public',
    status: 201,
    query: sessionQuery,
    body: Exactly({
      token: Opaque(200, { description: 'The part after `#` in the link.' }),
      email: Email,
      display_name: Type.Optional(DisplayName),
      password: Password,
    }),
    reply: TokenPair,
    errors: [
      'gone',
      'already_exists',
      'invalid_request',
      'second_factor_enrollment_required',
      'forbidden',
      'rate_limited',
      'busy',
    ],
    records: ['group_create', 'user_create', 'login', 'login_failed'],
  }),

  idpLogin: route({
    method: 'GET',
    url: '/auth/login',
    tag: 'auth',
    summary: 'Start a login through the identity provider',
    description:
      'Redirect the browser to `auth_url`. The response also sets a cookie that binds the login to this browser for ten minutes.',
    access: 'public',
    status: 200,
    query: Exactly({
      return_to: Type.Optional(
        Plain(2048, {
          description: 'Path on this site to return to, with a one-time code in the fragment.',
          examples: ['/console/'],
        }),
      ),
    }),
    reply: Type.Object({ auth_url: Type.String() }),
    errors: ['login_disabled', 'idp_unavailable', 'invalid_request', 'rate_limited'],
  }),

  idpCallback: route({
    ...callback,
    method: 'GET',
    summary: 'Redirect URI of the identity provider',
    description:
      'Returns tokens; a browser whose login has a `return_to` is redirected there instead, with `#code=…` for `POST /auth/handoff`.',
    query: Type.Object(callbackFields, { description: 'Other parameters from the provider are ignored.' }),
  }),

  idpCallbackPost: route({
    ...callback,
    method: 'POST',
    summary: 'Redirect URI for providers that respond with a form',
    description:
      'The form comes from another site, so the browser does not send our cookie with it; it is redirected to the GET route.',
    consumes: 'form',
    body: Type.Object(callbackFields),
    records: ['login', 'login_failed'],
  }),

  redeemHandoff: route({
    method: 'POST',
    url: '/auth/handoff',
    tag: 'auth',
    summary: 'Exchange the code of a finished browser login for tokens',
    description: 'Works once, within 60 seconds, and only in the browser that started the login, which has its cookie.',
    access: 'public',
    status: 200,
    query: sessionQuery,
    body: Exactly({ code: Opaque(200) }),
    reply: TokenPair,
    errors: ['invalid_state', 'forbidden'],
    records: ['login_failed'],
  }),

  changePassword: route({
    method: 'POST',
    url: '/auth/password',
    tag: 'auth',
    summary: 'Change your password',
    description:
      'Ends all your sessions, including this one, and returns the tokens of a new one. Personal access tokens stay valid.',
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    query: sessionQuery,
    body: Exactly({
      current_password: Type.String({ maxLength: 4096, format: 'password' }),
      new_password: Password,
    }),
    reply: TokenPair,
    errors: ['invalid_request', 'conflict', 'login_disabled', 'rate_limited', 'busy'],
    records: ['user_update', 'login', 'login_failed'],
  }),

  listSessions: route({
    method: 'GET',
    url: '/auth/sessions',
    tag: 'auth',
    summary: 'List your sessions, latest first',
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(
      Type.Object({
        id: Id,
        auth_method: Type.Enum(['local', 'idp']),
        signed_in_with: Nullable(Type.Enum(['password', 'passkey', 'identity_provider', 'link']), {
          description:
            'What opened it. `link`: an invitation, or another link with which a password was chosen. Null: not known.',
        }),
        second_factor: Type.Boolean({
          description: 'Whether a second factor was given; a passkey that signed in alone counts as both.',
        }),
        ip: Nullable(Type.String()),
        user_agent: Nullable(Type.String()),
        created_at: Timestamp,
        last_used_at: Timestamp,
        expires_at: Timestamp,
        current: Type.Boolean({ description: 'True for the session making this request.' }),
      }),
    ),
  }),

  endSession: route({
    method: 'DELETE',
    url: '/auth/sessions/{id}',
    tag: 'auth',
    summary: 'Sign out one of your sessions',
    access: 'signed_in',
    ofAccount: true,
    status: 204,
    params: Type.Object({ id: Id }),
    errors: ['not_found'],
    records: ['logout'],
  }),
}
