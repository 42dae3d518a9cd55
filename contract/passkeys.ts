import Type from 'typebox'

/** What browsers and Strongroom exchange about passkeys: the JSON forms of WebAuthn level 3, with what is used of them. */
const base64url = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]*$' })
const PublicKey = Type.Enum(['public-key'])
const MOST_PASSKEYS = 20

const descriptors = Type.Array(
  Type.Object({
    id: Type.String(),
    type: Type.Literal('public-key'),
    transports: Type.Optional(Type.Array(Type.String())),
  }),
  { maxItems: MOST_PASSKEYS },
)

/** For `navigator.credentials.get`. */
export const PasskeyRequest = Type.Object(
  {
    challenge: Type.String(),
    timeout: Type.Integer({ description: 'Milliseconds.' }),
    rpId: Type.String({ description: 'The host name of PUBLIC_BASE_URL.' }),
    allowCredentials: descriptors,
    userVerification: Type.Enum(['preferred', 'required'], {
      description: '`required` to sign in without a password: the passkey then stands for both factors.',
    }),
  },
  { description: 'Options for `navigator.credentials.get`, by `PublicKeyCredential.parseRequestOptionsFromJSON`.' },
)
export type PasskeyRequest = Type.Static<typeof PasskeyRequest>

/** For `navigator.credentials.create`. */
export const PasskeyCreation = Type.Object(
  {
    challenge: Type.String(),
    timeout: Type.Integer({ description: 'Milliseconds.' }),
    rp: Type.Object({ id: Type.String(), name: Type.String() }),
    user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    pubKeyCredParams: Type.Array(Type.Object({ type: Type.Literal('public-key'), alg: Type.Integer() })),
    excludeCredentials: descriptors,
    authenticatorSelection: Type.Object({
      residentKey: Type.Literal('preferred'),
      userVerification: Type.Literal('preferred'),
    }),
    extensions: Type.Object({ credProps: Type.Literal(true) }),
    attestation: Type.Literal('none'),
  },
  { description: 'Options for `navigator.credentials.create`, by `PublicKeyCredential.parseCreationOptionsFromJSON`.' },
)
export type PasskeyCreation = Type.Static<typeof PasskeyCreation>

const credential = <P extends Type.TProperties, M extends Type.TProperties = Record<never, never>>(
  response: P,
  description: string,
  more: M = {} as M,
) =>
  Type.Object(
    {
      id: base64url(1400),
      rawId: base64url(1400),
      type: PublicKey,
      response: Type.Object(response, { additionalProperties: false }),
      ...more,
    },
    { additionalProperties: false, description },
  )

/** A new passkey, by `PublicKeyCredential.toJSON`. */
export const PasskeyRegistration = credential(
  {
    clientDataJSON: base64url(8192),
    attestationObject: base64url(16_384),
    transports: Type.Optional(Type.Array(base64url(32), { maxItems: 10 })),
  },
  'The new credential: these members of `PublicKeyCredential.toJSON`.',
  {
    clientExtensionResults: Type.Optional(
      Type.Object(
        {
          credProps: Type.Optional(Type.Object({ rk: Type.Optional(Type.Boolean()) }, { additionalProperties: false })),
        },
        { additionalProperties: false },
      ),
    ),
  },
)
export type PasskeyRegistration = Type.Static<typeof PasskeyRegistration>

const signed = {
  clientDataJSON: base64url(8192),
  authenticatorData: base64url(4096),
  signature: base64url(4096),
}

/** A signature with a passkey, by `PublicKeyCredential.toJSON`. */
export const PasskeyAssertion = credential(
  signed,
  'The signed challenge: these members of `PublicKeyCredential.toJSON`.',
)
export type PasskeyAssertion = Type.Static<typeof PasskeyAssertion>

/** The same of a passkey that the browser has found by itself: it also says whose it is. */
export const PasskeyLogin = credential(
  { ...signed, userHandle: base64url(128) },
  'The signed challenge: these members of `PublicKeyCredential.toJSON`. `userHandle` is there if the passkey can be found without a list of passkeys.',
)
export type PasskeyLogin = Type.Static<typeof PasskeyLogin>
