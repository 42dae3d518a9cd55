// The identity provider's discovery document, kept for an hour, and the client made from it.
import * as oidc from 'openid-client'
import { ServiceError } from '../../../contract/errors.ts'
import { perSystem } from '../../base/per-system.ts'
import { HOUR_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import type { Idp } from '../settings/idp.ts'

const TIMEOUT_SECONDS = 10
const KEPT_MS = HOUR_MS
const LONGEST_BACKOFF_MS = 30_000

interface Discovery {
  metadata?: oidc.ServerMetadata
  /** When `metadata` was requested. */
  at: number
  /** Consecutive failures, the latest at `failedAt`. */
  failures: number
  failedAt: number
  running?: Promise<oidc.ServerMetadata> | undefined
}

/** By issuer. */
const discoveriesOf = perSystem(() => new Map<string, Discovery>())
export const unavailable = (detail: string, cause?: unknown, retryAfter = 5): ServiceError =>
  new ServiceError('idp_unavailable', detail, { headers: { 'retry-after': String(retryAfter) }, cause })

const isLocal = (issuer: string): boolean => issuer.startsWith('http://')

/**
 * The provider's discovery document, fetched on first use and cached for an hour; while it fails, retries back off.
 * `fresh` fetches now. Throws idp_unavailable.
 */
export async function discover(ctx: Ctx, { issuer, clientId }: Idp, fresh = false): Promise<oidc.ServerMetadata> {
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
      const other = otherIssuer(cause)
      ctx.log.warn({ err: cause, issuer, found: other }, 'identity provider discovery failed')
      if (other !== undefined)
        throw unavailable(
          `The identity provider calls itself "${other}", and the configured issuer is "${issuer}": they must be the same, to the last slash.`,
          cause,
        )
      throw unavailable('The identity provider cannot be reached or is misconfigured.', cause)
    })
    .finally(() => {
      entry.running = undefined
    })
  return entry.running
}

/** The issuer that a discovery document names, where it is not the configured one. */
function otherIssuer(cause: unknown): string | undefined {
  const inner = (cause as { cause?: unknown } | undefined)?.cause
  const details = (inner instanceof Error ? inner.cause : inner) as { attribute?: unknown; body?: unknown } | undefined
  const { attribute, body } = details ?? {}
  const issuer = attribute === 'issuer' ? (body as { issuer?: unknown } | undefined)?.issuer : undefined
  return typeof issuer === 'string' ? issuer.replace(/[\p{Cc}"]/gu, '').slice(0, 300) : undefined
}

/**
 * A client for one login, new each time, so that the provider's keys are fetched again and a rotation takes effect at
 * once. The id_token's signature is verified although it comes from the token endpoint: otherwise whoever can alter
 * that response could log in as anyone.
 */
export async function clientFor(ctx: Ctx, idp: Idp): Promise<oidc.Configuration> {
  const metadata = await discover(ctx, idp)
  const { clientId, clientSecret } = idp
  // OpenID Connect Discovery 1.0 section 3: the default is client_secret_basic.
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
