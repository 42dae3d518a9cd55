import { decodeJwt, errors, jwtVerify } from 'jose'
import type { Ctx } from '../../context.ts'
import { keyResolver } from './keys.ts'
import { findProvider, issuerKeyOf, type Provider, placeOf } from './providers.ts'
import { TokenRefused } from './refusal.ts'

/** Signatures with keys of pairs: with a shared secret, whoever checks a token could make one. */
const ALGORITHMS = [
  ['RS256', 'RS384', 'RS512'],
  ['PS256', 'PS384', 'PS512'],
  ['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
].flat()
const SKEW_SECONDS = 60
const LONGEST_SUBJECT = 255

/** What a token of an identity provider says, all of it confirmed. */
export interface ConfirmedToken {
  provider: Provider
  subject: string
  /** One of the clients for whom it is, as the provider is registered. */
  audience: string
  claims: { readonly [claim: string]: unknown }
}

/**
 * Reads a token of an identity provider: its issuer has to be known, its signature right, its audience one that counts, and it
 * must not have expired. Throws TokenRefused.
 */
export async function confirmToken(ctx: Ctx, token: string): Promise<ConfirmedToken> {
  const issuer = issuerIn(token)
  const provider = issuer === undefined ? undefined : await findProvider(ctx, issuerKeyOf(issuer))
  if (!provider || provider.issuer !== issuer)
    throw new TokenRefused('invalid', `No OpenIDConnect provider found in your account for ${issuer ?? 'this token'}`)
  const claims = await verified(ctx, provider, token)
  const { sub: subject } = claims
  if (typeof subject !== 'string' || subject === '' || subject.length > LONGEST_SUBJECT || /\p{Cc}/u.test(subject))
    throw new TokenRefused('invalid', 'The token has no usable claim "sub"')
  const given = [claims.aud].flat().filter((one) => typeof one === 'string')
  const audience = given.find((one) => provider.audiences.length === 0 || provider.audiences.includes(one))
  if (audience === undefined) throw new TokenRefused('invalid', 'Incorrect token audience')
  return { provider, subject, audience, claims }
}

/** The issuer that a token names, which nothing has confirmed yet. */
function issuerIn(token: string): string | undefined {
  try {
    const { iss } = decodeJwt(token)
    return typeof iss === 'string' && iss.length <= 512 && URL.canParse(iss) ? iss : undefined
  } catch {
    throw new TokenRefused('invalid', 'The token cannot be read as a JWT')
  }
}

async function verified(ctx: Ctx, provider: Provider, token: string): Promise<ConfirmedToken['claims']> {
  try {
    const { payload } = await jwtVerify(token, keyResolver(ctx, placeOf(ctx, provider)), {
      issuer: provider.issuer,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp', 'sub', 'aud'],
      clockTolerance: SKEW_SECONDS,
      currentDate: ctx.now(),
    })
    return payload
  } catch (error) {
    if (error instanceof TokenRefused) throw error
    if (error instanceof errors.JWTExpired) throw new TokenRefused('expired', 'Token expired', { cause: error })
    throw new TokenRefused(
      'invalid',
      "Couldn't retrieve verification key from your identity provider, or the token is not valid",
      {
        cause: error,
      },
    )
  }
}
