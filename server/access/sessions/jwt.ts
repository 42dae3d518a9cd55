import { decodeJwt, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { ServiceError } from '../../../contract/errors.ts'
import { setWithin } from '../../base/bounded.ts'
import type { Config } from '../../config/config.ts'
import { derivedKeysOf, keyId, secretKeysOf } from '../../secrets/derive.ts'

const ISSUER = 'strongroom'
const ACCESS_SECONDS = 30 * 60
const REFRESH_SECONDS = 7 * 24 * 3600
export const accessSeconds = ACCESS_SECONDS
export const refreshSeconds = REFRESH_SECONDS

/** The claims of access and refresh tokens. */
export interface Claims {
  /** User id. */
  sub: string
  /** Session id: the refresh family. */
  sid: string
  jti: string
  /** The user's token_version when it was issued. */
  ver: number
  /** Subject at the identity provider, for logins through one. */
  oid?: string
  /** Seconds since the epoch. */
  iat: number
  exp: number
  /** In refresh tokens that are only valid in a cookie with the prefix `__Host-`; those of earlier releases lack it. */
  host?: true
}
type Kind = 'at+jwt' | 'rt+jwt'

const seconds = (time: Date): number => Math.floor(time.getTime() / 1000)

/** A session's access token, valid for 30 minutes from `now`. */
export const signAccess = (config: Config, claims: Omit<Claims, 'iat' | 'exp'>, now: Date): Promise<string> =>
  sign(config, 'at+jwt', { ...claims, iat: seconds(now), exp: seconds(now) + ACCESS_SECONDS })

/** The refresh token of a row. HS256 is deterministic: the same row always gives the same token. */
export const signRefresh = (
  config: Config,
  claims: Omit<Claims, 'iat' | 'exp'>,
  row: { issued_at: string; expires_at: string },
): Promise<string> =>
  sign(config, 'rt+jwt', {
    ...claims,
    host: true,
    iat: seconds(new Date(row.issued_at)),
    exp: seconds(new Date(row.expires_at)),
  })

/** Whether a token, whoever signed it, claims to be valid only in a cookie with the prefix `__Host-`. */
export function isHostOnly(token: string): boolean {
  try {
    return decodeJwt<Claims>(token).host === true
  } catch {
    return false
  }
}

function sign(config: Config, typ: Kind, { sub, sid, jti, ver, oid, host, iat, exp }: Claims): Promise<string> {
  return new SignJWT({ sid, ver, ...(oid === undefined ? {} : { oid }), ...(host ? { host } : {}) })
    .setProtectedHeader({ alg: 'HS256', typ, kid: derivedKeysOf(config).current.id })
    .setIssuer(ISSUER)
    .setAudience(ISSUER)
    .setSubject(sub)
    .setJti(jti)
    .setIssuedAt(iat)
    .setExpirationTime(exp)
    .sign(new TextEncoder().encode(config.secretKey))
}

export const invalidToken = (detail: string): ServiceError =>
  new ServiceError('unauthenticated', detail, { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } })

/**
 * Verifiers of both kinds of token for one configuration. Valid signatures are remembered (the latest 10,000), because
 * verifying one takes 115 µs, as much as the rest of a small request. Expiry is checked each time; everything that can
 * be revoked is in the database and checked there each time.
 */
export function createVerifier(config: Config) {
  const keys = new Map(secretKeysOf(config).map((key) => [keyId(key), new TextEncoder().encode(key)]))
  const current = new TextEncoder().encode(config.secretKey)
  const known: Record<Kind, Map<string, Claims>> = { 'at+jwt': new Map(), 'rt+jwt': new Map() }

  async function check(token: string, typ: Kind, now: Date): Promise<Claims> {
    try {
      const { payload } = await jwtVerify(
        token,
        ({ kid }) => {
          const key = kid === undefined ? current : keys.get(kid)
          if (!key) throw new Error('unknown kid')
          return key
        },
        {
          algorithms: ['HS256'],
          typ,
          issuer: ISSUER,
          audience: ISSUER,
          requiredClaims: ['sub', 'sid', 'jti', 'ver', 'iat', 'exp'],
          currentDate: now,
        },
      )
      assertTypes(payload)
      return payload as unknown as Claims
    } catch (cause) {
      throw invalidTokenBecause(cause)
    }
  }

  return async (token: string, typ: Kind, now: Date): Promise<Claims> => {
    const cache = known[typ]
    let claims = cache.get(token)
    if (!claims) {
      claims = await check(token, typ, now)
      setWithin(cache, token, claims, 10_000)
    }
    if (claims.exp <= seconds(now)) throw invalidToken('The token has expired.')
    return claims
  }
}

/** Whoever has the key can sign anything: ids of a wrong type would cause a database error instead of a token error. */
function assertTypes({ sub, sid, jti, ver, oid }: JWTPayload): void {
  if (![sub, sid, jti].every((id) => typeof id === 'string' && /^[0-9a-f-]{36}$/.test(id))) throw new Error('ids')
  if (typeof ver !== 'number' || !['string', 'undefined'].includes(typeof oid)) throw new Error('ver or oid')
}

const invalidTokenBecause = (cause: unknown): ServiceError =>
  invalidToken(
    cause instanceof Error && 'code' in cause && cause.code === 'ERR_JWT_EXPIRED'
      ? 'The token has expired.'
      : 'The token is invalid.',
  )
