import * as oidc from 'openid-client'
import { ServiceError } from '../../../contract/errors.ts'
import { perSystem } from '../../base/per-system.ts'
import { HOUR_MS } from '../../base/time.ts'
import { entraTenant } from '../../config/variables.ts'
import type { Ctx } from '../../context.ts'
import { settingsInForce } from '../settings/effective.ts'
import { type Idp, idpOf } from '../settings/idp.ts'

const TIMEOUT_SECONDS = 10
const KEPT_MS = HOUR_MS
const LONGEST_BACKOFF_MS = 30_000
const SCOPE = 'openid profile email'

interface Discovery {
  metadata?: oidc.ServerMetadata
  /** When `metadata` was asked for. */
  at: number
  /** In a row, the latest at `failedAt`. */
  failures: number
  failedAt: number
  running?: Promise<oidc.ServerMetadata> | undefined
}
/** By issuer. */
const discoveriesOf = perSystem(() => new Map<string, Discovery>())

const unavailable = (detail: string, cause?: unknown, retryAfter = 5): ServiceError =>
  new ServiceError('idp_unavailable', detail, { headers: { 'retry-after': String(retryAfter) }, cause })

const isLocal = (issuer: string): boolean => issuer.startsWith('http://')

/**
 * What the provider says of itself, asked for when it is first needed and kept for an hour; while it fails it is asked
 * less and less often (O10). `fresh` asks now. Throws idp_unavailable.
 */
async function discover(ctx: Ctx, { issuer, clientId }: Idp, fresh = false): Promise<oidc.ServerMetadata> {
  const discoveries = discoveriesOf(ctx.config)
  let known = discoveries.get(issuer)
  if (!known) {
    known = { at: 0, failures: 0, failedAt: 0 }
    discoveries.set(issuer, known)
  }
  const now = ctx.now().getTime()
  const age = now - known.at
  if (!fresh && known.metadata && age >= 0 && age < KEPT_MS) return known.metadata
  const pause = known.failures === 0 ? 0 : Math.min(1000 * 2 ** (known.failures - 1), LONGEST_BACKOFF_MS)
  const since = now - known.failedAt
  if (!fresh && known.failures > 0 && since >= 0 && since < pause)
    throw unavailable(
      'The identity provider could not be reached a moment ago.',
      undefined,
      Math.ceil((pause - since) / 1000),
    )
  const entry = known
  entry.running ??= oidc
    .discovery(new URL(issuer), clientId, undefined, oidc.None(), {
      timeout: TIMEOUT_SECONDS,
      execute: isLocal(issuer) ? [oidc.allowInsecureRequests] : [],
    })
    .then((found) => {
      entry.metadata = found.serverMetadata()
      entry.failures = 0
      entry.at = ctx.now().getTime()
      return entry.metadata
    })
    .catch((cause: unknown) => {
      entry.failures++
      entry.failedAt = ctx.now().getTime()
      ctx.log.warn({ err: cause, issuer }, 'the identity provider cannot be discovered')
      throw unavailable('The identity provider cannot be reached or is not set up right.', cause)
    })
    .finally(() => {
      entry.running = undefined
    })
  return entry.running
}

/**
 * A client for one login. It is new each time, so that the provider's keys are asked for again and a rotation is seen
 * at once. The id_token's signature is checked although it comes from the token endpoint: whoever can alter that answer
 * could otherwise be anyone (O4).
 */
async function clientFor(ctx: Ctx, idp: Idp): Promise<oidc.Configuration> {
  const metadata = await discover(ctx, idp)
  const { clientId, clientSecret } = idp
  // OpenID Connect Discovery 1.0 section 3: without the list it is client_secret_basic.
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const auth =
    clientSecret === null
      ? oidc.None()
      : methods.includes('client_secret_basic')
        ? oidc.ClientSecretBasic(clientSecret)
        : oidc.ClientSecretPost(clientSecret)
  const client = new oidc.Configuration(metadata, clientId, {}, auth)
  client.timeout = TIMEOUT_SECONDS
  oidc.enableNonRepudiationChecks(client)
  if (isLocal(idp.issuer)) oidc.allowInsecureRequests(client)
  return client
}

/** Where the provider sends browsers back to: from the configuration, never from a Host header (O5). */
const redirectUri = (ctx: Ctx): string => `${ctx.config.publicBaseUrl}/api/v1/auth/callback`

/** The secrets of one login (O1). */
export const newChecks = () => ({
  state: oidc.randomState(),
  nonce: oidc.randomNonce(),
  verifier: oidc.randomPKCECodeVerifier(),
})

/** The provider's page to send the browser to. */
export async function authorizationUrl(
  ctx: Ctx,
  idp: Idp,
  { state, nonce, verifier }: ReturnType<typeof newChecks>,
): Promise<string> {
  const client = await clientFor(ctx, idp)
  return oidc.buildAuthorizationUrl(client, {
    redirect_uri: redirectUri(ctx),
    scope: SCOPE,
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).href
}

/** Who the provider says it is. */
export interface Identity {
  subject: string
  email: string | null
  displayName: string | null
  /** The values of the groups claim; null where the provider left them out for being too many (Entra: over 200). */
  groups: ReadonlySet<string> | null
}

const rejected = (detail: string, cause?: unknown) => new ServiceError('idp_rejected', detail, { cause })

/**
 * Exchanges the code of a callback (its raw query, without `?`) and checks everything about the id_token (O4). Throws
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
    return identityOf(idp, answer.claims() ?? {})
  } catch (error) {
    throw asRefusal(ctx, error)
  }
}

function identityOf(idp: Idp, claims: { [claim: string]: unknown }): Identity {
  const tenant = entraTenant(idp.issuer)
  // Entra's keys are common to all tenants (O13).
  if (tenant !== null && claims.tid !== tenant) throw rejected('The login is of another tenant.')
  const subject = claims[idp.subjectClaim]
  if (typeof subject !== 'string' || subject === '' || subject.length > 255 || /\p{Cc}/u.test(subject))
    throw rejected(`The identity provider gave no usable claim "${idp.subjectClaim}".`)
  const text = (claim: unknown): string | null =>
    typeof claim === 'string' ? claim.replace(/\p{Cc}+/gu, ' ').trim() || null : null
  const addresses = [text(claims.email), text(claims.preferred_username)]
  return {
    subject,
    email: addresses.find((one) => one !== null && /^[^\s@]+@[^\s@]+$/.test(one) && one.length <= 320) ?? null,
    displayName: text(claims.name)?.slice(0, 200) ?? null,
    groups: groupsOf(idp, claims),
  }
}

function groupsOf({ groupsClaim }: Idp, claims: { [claim: string]: unknown }): ReadonlySet<string> | null {
  if (groupsClaim === null) return new Set()
  const elsewhere = claims._claim_names as { [claim: string]: unknown } | undefined
  if (claims[groupsClaim] === undefined && elsewhere?.[groupsClaim] !== undefined) return null
  const groups = claims[groupsClaim]
  return new Set(Array.isArray(groups) ? groups.map(String) : typeof groups === 'string' ? [groups] : [])
}

/** Failures that are the provider's or the network's are 503; whatever was sent to us and does not fit is 401. */
function asRefusal(ctx: Ctx, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof oidc.AuthorizationResponseError) {
    const code = /^[a-z_]{1,40}$/.test(error.error) ? error.error : 'error'
    return rejected(`The identity provider answered "${code}".`, error)
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
    return unavailable('The identity provider did not answer as it should.', error)
  return rejected('The identity provider did not confirm this login.', error)
}

/** Asks the provider anew; what the settings page shows. Throws conflict when none is set up. */
export async function testIdp(ctx: Ctx) {
  const idp = idpOf(await settingsInForce(ctx))
  if (!idp) throw new ServiceError('conflict', 'No identity provider is set up.')
  const { issuer, authorization_endpoint = '' } = await discover(ctx, idp, true)
  return { issuer, authorization_endpoint, redirect_uri: redirectUri(ctx) }
}
