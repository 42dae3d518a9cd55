// The keys with which an identity provider signs: by discovery (OpenID Connect Discovery 1.0 section 4), kept for an hour.
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { perSystem } from '../../base/per-system.ts'
import { HOUR_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { getJson } from '../../outbound/get.ts'
import { routeOf } from '../../outbound/guarded.ts'
import { TokenRefused } from './refusal.ts'

const KEPT_MS = HOUR_MS
/** How long a provider is not asked again after it failed, or had no key of a name: anyone can send tokens. */
const PAUSE_MS = 30_000
/** Of the documents of providers. */
export const LIMITS = { mostBytes: 262_144, timeoutMs: 5000 }
const MOST_KEYS = 100

type Keys = ReturnType<typeof createLocalJWKSet>
interface Known {
  keys?: Keys
  /** When they were read. */
  at: number
  failedAt: number
  running?: Promise<Keys> | undefined
}
const knownOf = perSystem(() => new Map<string, Known>())

/** Where a provider says that its keys are, and how to read a document of it. */
export interface Place {
  issuer: string
  /** Of the provider's configuration, which names its keys. */
  discover(): Promise<{ issuer?: unknown; jwks_uri?: unknown }>
  read(url: URL): Promise<unknown>
}

type Needs = Pick<Ctx, 'config' | 'now' | 'log'>

/** A provider that an administrator has registered: each connection is checked as those of webhooks are. */
export function registeredPlace({ config }: Needs, issuer: string): Place {
  const route = routeOf(config)
  // Without TLS anyone in between could give keys of their own: only places that the configuration names.
  const read = (url: URL) =>
    getJson(url.protocol === 'https:' ? route : { ...route, proxy: null, allowedOnly: true }, url, LIMITS)
  const discover = async () =>
    (await read(new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`))) as { issuer?: unknown }
  return { issuer, discover, read }
}

/**
 * The key that has signed a token, as jose asks for it. A key of a name that is not known has the keys read again. Throws
 * TokenRefused `unreachable`.
 */
export function keyResolver(ctx: Needs, place: Place): JWTVerifyGetKey {
  return async (header, token) => {
    const keys = await keysOf(ctx, place, false)
    try {
      return await keys(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      return (await keysOf(ctx, place, true))(header, token)
    }
  }
}

async function keysOf(ctx: Needs, place: Place, again: boolean): Promise<Keys> {
  const all = knownOf(ctx.config)
  let known = all.get(place.issuer)
  if (!known) {
    known = { at: 0, failedAt: 0 }
    all.set(place.issuer, known)
  }
  const entry = known
  const now = ctx.now().getTime()
  const isWithin = (since: number, period: number) => now >= since && now - since < period
  if (entry.keys && isWithin(entry.at, again ? PAUSE_MS : KEPT_MS)) return entry.keys
  if (isWithin(entry.failedAt, PAUSE_MS)) {
    if (entry.keys && isWithin(entry.at, KEPT_MS)) return entry.keys
    throw unreachable()
  }
  entry.running ??= readKeys(place)
    .then((keys) => {
      entry.keys = keys
      entry.at = ctx.now().getTime()
      entry.failedAt = 0
      return keys
    })
    .catch((cause: unknown) => {
      entry.failedAt = ctx.now().getTime()
      ctx.log.warn({ err: cause, issuer: place.issuer }, 'the keys of an identity provider could not be read')
      throw unreachable(cause)
    })
    .finally(() => {
      entry.running = undefined
    })
  return entry.running
}

const unreachable = (cause?: unknown) =>
  new TokenRefused('unreachable', 'The keys of the identity provider could not be read. Try again later.', { cause })

async function readKeys({ issuer, discover, read }: Place): Promise<Keys> {
  const found = await discover()
  if (found.issuer !== issuer) throw new Error('The provider calls itself by another name than its issuer')
  const url = typeof found.jwks_uri === 'string' && URL.canParse(found.jwks_uri) ? new URL(found.jwks_uri) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== new URL(issuer).protocol)
    throw new Error('The provider does not say where its keys are')
  const set = (await read(url)) as JSONWebKeySet
  if (!Array.isArray(set?.keys) || set.keys.length > MOST_KEYS) throw new Error('The provider has no set of keys')
  return createLocalJWKSet(set)
}
