import Type from 'typebox'
import { sessionQuery, TokenPair } from './auth.ts'
import { languages } from './languages.ts'
import { PasskeyLogin, PasskeyRequest } from './passkeys.ts'
import { route } from './route.ts'
import { Exactly, Timestamp } from './shapes.ts'
import { Opaque } from './texts.ts'
import { Email, Password } from './users.ts'

const Token = Opaque(200, { description: 'The part after `#` in the link.' })

export const operations = {
  beginPasskeyLogin: route({
    method: 'POST',
    url: '/auth/passkey/challenge',
    tag: 'auth',
    summary: 'Get a challenge, to sign in with a passkey alone',
    description:
      'The options name no passkey: the browser finds those of this site by itself, also in the autofill of a sign-in form (`mediation: "conditional"`). Nothing is stored until the challenge is used.',
    access: 'public',
    status: 200,
    reply: Type.Object({
      challenge: Type.String(),
      expires_in: Type.Integer({ description: 'Seconds.' }),
      passkey: PasskeyRequest,
    }),
    errors: ['conflict', 'login_disabled'],
    records: [],
  }),

  passkeyLogin: route({
    method: 'POST',
    url: '/auth/passkey',
    tag: 'auth',
    summary: 'Sign in with a passkey alone',
    description:
      'With the `challenge` of `POST /auth/passkey/challenge`, which works once. The authenticator must have verified its user, by a PIN or a fingerprint for example; then the passkey stands for the password and the second factor. For users who have a password too. All refusals are alike.',
    access: 'public',
    status: 200,
    query: sessionQuery,
    body: Exactly({ challenge: Opaque(400), passkey: PasskeyLogin }),
    reply: TokenPair,
    errors: ['invalid_state', 'invalid_passkey', 'forbidden', 'conflict', 'login_disabled', 'rate_limited'],
    records: ['login', 'login_failed'],
  }),

  requestPasswordReset: route({
    method: 'POST',
    url: '/auth/password-reset/request',
    tag: 'auth',
    summary: 'Have a link sent with which a forgotten password is replaced',
    description:
      'The answer and its time are the same whether or not there is such an account. The link goes to users who sign in with a password, at most three times an hour. Only where mail is set up: `password_reset` of `GET /auth/config`.',
    access: 'public',
    status: 202,
    body: Exactly({
      email: Email,
      language: Type.Optional(
        Type.Enum([...languages], { description: 'Of the mail, if the account has chosen none.' }),
      ),
    }),
    reply: Type.Object({ expires_in: Type.Integer({ description: 'How long the link works, in seconds.' }) }),
    errors: ['conflict', 'login_disabled', 'rate_limited'],
    records: ['password_reset_request'],
  }),

  readPasswordReset: route({
    method: 'POST',
    url: '/auth/password-reset',
    tag: 'auth',
    summary: 'See whose password a link replaces',
    access: 'public',
    status: 200,
    body: Exactly({ token: Token }),
    reply: Type.Object({ email: Type.String(), expires_at: Timestamp }),
    errors: ['gone', 'login_disabled', 'rate_limited'],
    records: ['login_failed'],
  }),

  resetPassword: route({
    method: 'POST',
    url: '/auth/password-reset/finish',
    tag: 'auth',
    summary: 'Replace a forgotten password and log in',
    description:
      'Works once, and ends all sessions of the user. Users with a second factor get `second_factor_required`, those who must set one up `second_factor_enrollment_required`, with a `challenge`: their password is replaced then. Access tokens and access keys stay.',
    access: 'public',
    status: 200,
    query: sessionQuery,
    body: Exactly({ token: Token, password: Password }),
    reply: TokenPair,
    errors: [
      'gone',
      'forbidden',
      'login_disabled',
      'invalid_request',
      'second_factor_required',
      'second_factor_enrollment_required',
      'rate_limited',
      'busy',
    ],
    records: ['password_reset', 'login', 'login_failed'],
  }),
}
