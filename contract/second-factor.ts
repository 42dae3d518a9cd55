import Type from 'typebox'
import { Otp, sessionQuery, TokenPair } from './auth.ts'
import { PasskeyAssertion, PasskeyCreation, PasskeyRegistration, PasskeyRequest } from './passkeys.ts'
import { route } from './route.ts'
import { Exactly, Id, Nullable, Timestamp } from './shapes.ts'
import { Line, Opaque, Plain } from './texts.ts'
import { Password } from './users.ts'

export const factorKinds = ['totp', 'passkey'] as const
export type FactorKind = (typeof factorKinds)[number]

export const SecondFactor = Type.Object({
  id: Id,
  kind: Type.Enum([...factorKinds], { description: '`totp`: an authenticator app.' }),
  name: Type.String(),
  discoverable: Nullable(Type.Boolean(), {
    description:
      'Of a passkey: whether browsers offer it for signing in without a password. Null where that is not known, and for apps.',
  }),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
})
export type SecondFactor = Type.Static<typeof SecondFactor>

const FactorName = Line(100)
const RecoveryCode = Plain(64, {
  minLength: 1,
  description: 'A recovery code; case, spaces and hyphens do not matter. Each works once.',
  examples: ['h4k2-9xwm-tq7d-c3vn'],
})
const Challenge = Opaque(200)
const RecoveryCodes = Type.Array(Type.String(), {
  description: 'Ten recovery codes, shown only now; they replace all earlier ones.',
})

/** Proof that the owner of the account is making this very request: one of these. */
const Proof = Type.Object(
  {
    current_password: Type.Optional(Type.String({ maxLength: 4096, format: 'password' })),
    otp: Type.Optional(Otp),
    recovery_code: Type.Optional(RecoveryCode),
    passkey: Type.Optional(
      Exactly(
        { challenge: Challenge, credential: PasskeyAssertion },
        { description: 'With a challenge of `POST /auth/second-factors/challenge`.' },
      ),
    ),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    description:
      'Your current password or a second factor: exactly one of these. Once you have a second factor, the password counts only in a session that was opened with one.',
  },
)
export type Proof = Type.Static<typeof Proof>

/** What a new factor is made of. */
const Enrollment = Type.Object({
  totp: Nullable(
    Type.Object({
      secret: Type.String({ description: 'Base32, to be typed into the app. SHA-1, 6 digits, 30 seconds.' }),
      uri: Type.String({ description: 'The same as an `otpauth:` URI, for a QR code.' }),
    }),
  ),
  passkey: Nullable(PasskeyCreation),
})
export type Enrollment = Type.Static<typeof Enrollment>

const kind = Type.Enum([...factorKinds])
/** Proof that the new factor works: a code of the app, or the new passkey. */
const confirmation = {
  name: Type.Optional(FactorName),
  otp: Type.Optional(Otp),
  passkey: Type.Optional(PasskeyRegistration),
}
const byId = Type.Object({ id: Id })
const failing = [
  'invalid_state',
  'invalid_second_factor',
  'forbidden',
  'login_disabled',
  'rate_limited',
  'busy',
] as const
const proving = ['invalid_state', 'invalid_request', 'rate_limited', 'busy'] as const

export const operations = {
  verifyLogin: route({
    method: 'POST',
    url: '/auth/token/second-factor',
    tag: 'auth',
    summary: 'Finish a login with a second factor',
    description:
      'With the `challenge` of a 401 `second_factor_required`, and exactly one of the others. A challenge works once, for five minutes and five tries.',
    access: 'public',
    status: 200,
    query: sessionQuery,
    body: Type.Object(
      {
        challenge: Challenge,
        otp: Type.Optional(Otp),
        recovery_code: Type.Optional(RecoveryCode),
        passkey: Type.Optional(PasskeyAssertion),
      },
      { additionalProperties: false, minProperties: 2, maxProperties: 2 },
    ),
    reply: TokenPair,
    errors: failing,
    records: ['login', 'login_failed', 'recovery_code_use'],
  }),

  beginLoginEnrollment: route({
    method: 'POST',
    url: '/auth/token/enrollment',
    tag: 'auth',
    summary: 'Start setting up the second factor that a login needs',
    description:
      'With the `challenge` of a 401 `second_factor_enrollment_required`. It can be called again, with another kind too.',
    access: 'public',
    status: 200,
    body: Exactly({ challenge: Challenge, kind }),
    reply: Enrollment,
    errors: ['invalid_state', 'conflict', 'login_disabled'],
    records: [],
  }),

  finishLoginEnrollment: route({
    method: 'POST',
    url: '/auth/token/enrollment/verify',
    tag: 'auth',
    summary: 'Finish a login by setting up a second factor',
    description:
      'With the same `challenge`, and either `otp` or `passkey`. Returns tokens like `POST /auth/token`, and the recovery codes.',
    access: 'public',
    status: 200,
    query: sessionQuery,
    body: Exactly({ challenge: Challenge, ...confirmation }),
    reply: Type.Object({ ...TokenPair.properties, recovery_codes: RecoveryCodes }),
    errors: failing,
    records: ['login', 'login_failed', 'second_factor_add', 'recovery_codes_create'],
  }),

  replaceExpiredPassword: route({
    method: 'POST',
    url: '/auth/token/password',
    tag: 'auth',
    summary: 'Finish a login by choosing another password',
    description:
      'With the `challenge` of a 401 `password_change_required`, and, where it lists `methods`, with one of these second factors. Ends all earlier sessions. Users who must set up a second factor then get `second_factor_enrollment_required`.',
    access: 'public',
    status: 200,
    query: sessionQuery,
    body: Exactly({
      challenge: Challenge,
      new_password: Password,
      otp: Type.Optional(Otp),
      recovery_code: Type.Optional(RecoveryCode),
      passkey: Type.Optional(PasskeyAssertion),
    }),
    reply: TokenPair,
    errors: [...failing, 'second_factor_enrollment_required', 'invalid_request'],
    records: ['login', 'login_failed', 'user_update', 'recovery_code_use'],
  }),

  listSecondFactors: route({
    method: 'GET',
    url: '/auth/second-factors',
    tag: 'auth',
    summary: 'List your second factors',
    description: 'They protect logins with a password; the identity provider looks after its own.',
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    reply: Type.Object({
      items: Type.Array(SecondFactor),
      recovery_codes_left: Type.Integer(),
      required: Type.Boolean({ description: 'Whether the settings require you to have one.' }),
      verified: Type.Boolean({
        description: 'Whether this session was opened with one.',
      }),
      session_ends: Type.Boolean({
        description: 'Whether this session would end if the settings came to require one of you.',
      }),
      has_password: Type.Boolean({ description: 'Whether you can log in with a password, and so can add one.' }),
      passkeys: Type.Boolean({
        description: 'Whether passkeys can be used: browsers need https, or localhost, and a host name.',
      }),
    }),
  }),

  challengeSecondFactor: route({
    method: 'POST',
    url: '/auth/second-factors/challenge',
    tag: 'auth',
    summary: 'Get a challenge, to prove who you are with a passkey',
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    reply: Type.Object({ challenge: Type.String(), passkey: PasskeyRequest }),
    errors: ['conflict'],
    records: [],
  }),

  beginSecondFactor: route({
    method: 'POST',
    url: '/auth/second-factors/setup',
    tag: 'auth',
    summary: 'Start setting up a second factor',
    description: 'Changes nothing yet. The `challenge` is valid for five minutes.',
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    body: Exactly({ kind }),
    reply: Type.Object({ challenge: Type.String(), ...Enrollment.properties }),
    errors: ['conflict'],
    records: [],
  }),

  addSecondFactor: route({
    method: 'POST',
    url: '/auth/second-factors',
    tag: 'auth',
    summary: 'Add a second factor',
    description:
      'With the `challenge` of `POST /auth/second-factors/setup`, and either `otp` or `passkey`. Ends no session. The session that adds the first one counts as opened with it.',
    access: 'signed_in',
    ofAccount: true,
    status: 201,
    body: Exactly({ challenge: Challenge, ...confirmation, proof: Proof }),
    reply: Type.Object({
      factor: SecondFactor,
      recovery_codes: Nullable(Type.Array(Type.String()), {
        description: 'With your first factor: ten recovery codes, shown only now.',
      }),
    }),
    errors: ['conflict', 'limit_reached', ...proving],
    records: ['second_factor_add', 'recovery_codes_create', 'recovery_code_use', 'login_failed'],
  }),

  renameSecondFactor: route({
    method: 'PATCH',
    url: '/auth/second-factors/{id}',
    tag: 'auth',
    summary: 'Rename a second factor',
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    params: byId,
    body: Exactly({ name: FactorName }),
    reply: SecondFactor,
    errors: ['not_found'],
    records: ['second_factor_update'],
  }),

  removeSecondFactor: route({
    method: 'POST',
    url: '/auth/second-factors/{id}/remove',
    tag: 'auth',
    summary: 'Remove a second factor',
    description:
      'Ends no session. With the last one the recovery codes are deleted too; it cannot be removed while the settings require one.',
    access: 'signed_in',
    ofAccount: true,
    status: 204,
    params: byId,
    body: Exactly({ proof: Proof }),
    errors: ['not_found', 'conflict', ...proving],
    records: ['second_factor_remove', 'recovery_code_use', 'login_failed'],
  }),

  createRecoveryCodes: route({
    method: 'POST',
    url: '/auth/second-factors/recovery-codes',
    tag: 'auth',
    summary: 'Replace your recovery codes',
    access: 'signed_in',
    ofAccount: true,
    status: 201,
    body: Exactly({ proof: Proof }),
    reply: Type.Object({ recovery_codes: RecoveryCodes }),
    errors: ['conflict', ...proving],
    records: ['recovery_codes_create', 'recovery_code_use', 'login_failed'],
  }),

  resetSecondFactors: route({
    method: 'DELETE',
    url: '/users/{id}/second-factors',
    tag: 'users',
    summary: 'Remove all second factors of a user',
    description:
      'For someone who has lost theirs, with their recovery codes. Ends no session. Your own need your password: use `POST /auth/second-factors/{id}/remove`.',
    access: 'user_manager',
    status: 204,
    params: byId,
    errors: ['not_found', 'conflict'],
    records: ['second_factor_reset'],
  }),
}
