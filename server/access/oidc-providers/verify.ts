import { decodeJwt, errors, jwtVerify } from 'jose'
import type { Ctx, Step } from '../../context.ts'
import { keyResolver } from './keys.ts'
import { findProvider, holdProvider, issuerKeyOf, type Provider, placeOf } from './providers.ts'
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
  if (!provider || provider.issuer !== issuer) throw unknownIssuer(issuer)
  const claims = await verified(ctx, provider, token)
  const { sub: subject } = claims
  if (typeof subject !== 'string' || subject === '' || subject.length > LONGEST_SUBJECT || /\p{Cc}/u.test(subject))
    throw new TokenRefused('invalid', 'The token has no usable claim "sub"')
  return { provider, subject, audience: audienceIn(claims, provider.audiences), claims }
}

/**
 * Step: a confirmed token with its provider as it is now, which stays so until the transaction ends. Throws TokenRefused if it
 * counts no longer: providers are removed and changed while the keys of others are read.
 */
export async function confirmAgain(step: Step, token: ConfirmedToken): Promise<ConfirmedToken> {
  const { claims, provider: before } = token
  const provider = await holdProvider(step, before.key)
  // With the service's own, its keys would be read another way.
  if (provider?.issuer !== before.issuer || (provider.own === null) !== (before.own === null))
    throw unknownIssuer(before.issuer)
  return { ...token, provider, audience: audienceIn(claims, provider.audiences) }
}

const unknownIssuer = (issuer: string | undefined) =>
  new TokenRefused('invalid', `No OpenIDConnect provider found in your account for ${issuer ?? 'this token'}`)

const wrongAudience = () => new TokenRefused('invalid', 'Incorrect token audience')

/** Every client for whom a token is. */
const audiencesIn = ({ aud }: ConfirmedToken['claims']): string[] =>
  [aud].flat().filter((one) => typeof one === 'string')

/** The first of these clients for whom a token is, or any where there are none. Throws TokenRefused. */
function audienceIn(claims: ConfirmedToken['claims'], clients: readonly string[]): string {
  const audience = audiencesIn(claims).find((one) => clients.length === 0 || clients.includes(one))
  if (audience === undefined) throw wrongAudience()
  return audience
}

/**
 * Throws TokenRefused unless a token was made for a client, and not for another one who passes it on: `azp`
 * (OpenID Connect Core 1.0 section 3.1.3.7).
 */
export function assertMadeFor(clientId: string, { claims }: ConfirmedToken): void {
  if (!audiencesIn(claims).includes(clientId) || (claims.azp ?? clientId) !== clientId) throw wrongAudience()
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
