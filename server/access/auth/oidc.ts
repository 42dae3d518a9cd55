import * as oidc from 'openid-client'
import { ServiceError } from '../../../contract/errors.ts'
import { isEmail } from '../../../contract/names.ts'
import { entraTenant } from '../../config/variables.ts'
import type { Ctx } from '../../context.ts'
import { clientFor, discover, unavailable } from '../oidc-providers/oidc-client.ts'
import { settingsInForce } from '../settings/effective.ts'
import { type Idp, idpOf, redirectUri } from '../settings/idp.ts'

/** The secrets of one login: state, nonce and PKCE verifier. */
export const newChecks = () => ({
  state: oidc.randomState(),
  nonce: oidc.randomNonce(),
  verifier: oidc.randomPKCECodeVerifier(),
})

/** The provider's URL to redirect the browser to. */
export async function authorizationUrl(
  ctx: Ctx,
  idp: Idp,
  { state, nonce, verifier }: ReturnType<typeof newChecks>,
): Promise<string> {
  const client = await clientFor(ctx, idp)
  return oidc.buildAuthorizationUrl(client, {
    redirect_uri: redirectUri(ctx),
    scope: idp.scope,
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).href
}

/** The identity confirmed by the provider. */
export interface Identity {
  subject: string
  email: string | null
  /** The same address, if the provider says that it is the user's. */
  confirmedEmail: string | null
  displayName: string | null
  /** The values of the groups claim; null if there is none: the scope may lack it, or there are too many (Entra: over 200). */
  groups: ReadonlySet<string> | null
}

const rejected = (detail: string, cause?: unknown) => new ServiceError('idp_rejected', detail, { cause })

/**
 * Exchanges a callback's code (its raw query, without `?`) and verifies everything about the id_token. Throws
 * idp_rejected or idp_unavailable.
 */
export async function exchangeCode(
  ctx: Ctx,
  idp: Idp,
  query: string,
  { state, nonce, verifier }: ReturnType<typeof newChecks>,
): Promise<Identity> {
  const client = await clientFor(ctx, idp)
  try {
    const answer = await oidc.authorizationCodeGrant(client, new URL(`${redirectUri(ctx)}?${query}`), {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    const given = Object.entries(answer.claims() ?? {}).filter(([, value]) => value !== null)
    const claims: Claims = Object.fromEntries(given)
    return identityOf(idp, { ...(await moreClaims(client, idp, claims, answer.access_token)), ...claims })
  } catch (error) {
    throw asRefusal(ctx, error)
  }
}

export interface Claims {
  [claim: string]: unknown
}

/**
 * What the provider's userinfo endpoint says of the user, where the id_token lacks a claim that we use: providers may put
 * everything but `sub` there alone (OpenID Connect Core 1.0 sections 5.3 and 5.4). Nothing where there is no such endpoint.
 * An answer about another `sub` is refused.
 */
async function moreClaims(
  client: oidc.Configuration,
  { groupsClaim, issuer, linksEmail, subjectClaim }: Idp,
  claims: Claims,
  accessToken: string,
): Promise<Claims> {
  const confirmed = linksEmail ? ['email_verified'] : []
  const needed = [subjectClaim, 'email', ...confirmed, 'name', ...(groupsClaim === null ? [] : [groupsClaim])]
  const isLacking = needed.some((claim) => claims[claim] === undefined && !isElsewhere(claims, claim))
  // Entra's has none that the id_token lacks.
  if (!isLacking || typeof claims.sub !== 'string' || entraTenant(issuer) !== null) return {}
  if (client.serverMetadata().userinfo_endpoint === undefined) return {}
  const { email_verified, ...told }: Claims = await oidc.fetchUserInfo(client, accessToken, claims.sub)
  // It is about the address beside it.
  return claims.email === undefined || claims.email === told.email ? { ...told, email_verified } : told
}

/** Whether the provider omitted a claim because its value is too long, and says where it is. */
const isElsewhere = ({ _claim_names }: Claims, claim: string): boolean =>
  (_claim_names as Claims | undefined)?.[claim] !== undefined

/** What a confirmed token says of whoever it is about. Throws idp_rejected. */
export function identityOf(idp: Idp, claims: Claims): Identity {
  const tenant = entraTenant(idp.issuer)
  // Entra's keys are common to all tenants.
  if (tenant !== null && claims.tid !== tenant) throw rejected('The login belongs to another tenant.')
  const subject = claims[idp.subjectClaim]
  if (typeof subject !== 'string' || subject === '' || subject.length > 255 || /\p{Cc}/u.test(subject))
    throw rejected(`The identity provider supplied no usable claim "${idp.subjectClaim}".`)
  const text = (claim: unknown): string | null =>
    typeof claim === 'string' ? claim.replace(/\p{Cc}+/gu, ' ').trim() || null : null
  const address = (claim: unknown): string | null => {
    const one = text(claim)
    return one !== null && isEmail(one) && one.length <= 320 ? one : null
  }
  const email = address(claims.email)
  return {
    subject,
    email: email ?? address(claims.preferred_username),
    // Entra's users and guests have the addresses that their administrators typed, whatever a claim says of them.
    confirmedEmail: isTrue(claims.email_verified) && tenant === null ? email : null,
    displayName: text(claims.name)?.slice(0, 200) ?? null,
    groups: groupsOf(idp, claims),
  }
}

/** Some providers write booleans as texts; nothing else is true. */
const isTrue = (claim: unknown): boolean => claim === true || claim === 'true'

function groupsOf({ groupsClaim }: Idp, claims: Claims): ReadonlySet<string> | null {
  if (groupsClaim === null) return new Set()
  const groups = claims[groupsClaim]
  if (groups === undefined || groups === null) return null
  return new Set(Array.isArray(groups) ? groups.map(String) : typeof groups === 'string' ? [groups] : [])
}

/** Failures of the provider or the network are 503; invalid data sent to us is 401. */
function asRefusal(ctx: Ctx, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof oidc.AuthorizationResponseError) {
    const code = /^[a-z_]{1,40}$/.test(error.error) ? error.error : 'error'
    return rejected(`The identity provider returned "${code}".`, error)
  }
  ctx.log.warn({ err: error }, 'a login through the identity provider failed')
  const code = error instanceof oidc.ClientError ? error.code : undefined
  const network =
    error instanceof TypeError && error.cause !== undefined && /fetch failed|terminated/.test(error.message)
  const upstream = error instanceof oidc.ResponseBodyError && error.status >= 500
  if (
    network ||
    upstream ||
    ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR'].includes(
      code ?? '',
    )
  )
    return unavailable('The identity provider returned an unexpected response.', error)
  return rejected('The identity provider did not confirm this login.', error)
}

/** Fetches the discovery document anew, for the settings page. Throws conflict if no provider is configured. */
export async function testIdp(ctx: Ctx) {
  const idp = idpOf(await settingsInForce(ctx))
  if (!idp) throw new ServiceError('conflict', 'No identity provider is configured.')
  const { issuer, authorization_endpoint = '' } = await discover(ctx, idp, true)
  return { issuer, authorization_endpoint, redirect_uri: redirectUri(ctx) }
}
