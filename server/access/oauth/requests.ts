// What a client asks a user for. The console holds it meanwhile, signed: nothing is stored for those who only ask.
import { ServiceError } from '../../../contract/errors.ts'
import type { Authorization } from '../../../contract/oauth.ts'
import { redirectPlace } from '../../base/redirect-place.ts'
import { MINUTE_MS } from '../../base/time.ts'
import type { Config } from '../../config/config.ts'
import type { Ctx } from '../../context.ts'
import { readClaims, signClaims } from '../../secrets/sign.ts'
import { findClient } from './clients.ts'
import { faultOfRedirect, isSameRedirect } from './redirects.ts'
import { oauthRefusal } from './refusal.ts'
import { issuerOf, resourceOf } from './server.ts'

const PURPOSE = 'oauth-request'
/** Time for signing in, and for making up one's mind. */
const REQUEST_MS = 30 * MINUTE_MS
/** Longest signed request: it is part of a path that sign-in returns to. */
const MOST_CHARACTERS = 1900
/** SHA-256 in base64url (RFC 7636 section 4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

/** The parameters of the authorization endpoint. */
export interface Asked {
  response_type?: string | undefined
  client_id?: string | undefined
  redirect_uri?: string | undefined
  state?: string | undefined
  code_challenge?: string | undefined
  code_challenge_method?: string | undefined
  resource?: string | undefined
}

/** A request that was checked. */
export interface AuthorizationRequest {
  client_id: string
  client_name: string
  /** Of the client's document. */
  host: string | null
  redirect_uri: string
  state: string | null
  code_challenge: string
  /** Milliseconds since 1970. */
  ends: number
}

/** Checks what a client asks for, and signs it. Throws `invalid_oauth_request`, and rate_limited. */
export async function checkRequest(ctx: Ctx, asked: Asked): Promise<string> {
  const { client_id, redirect_uri, state = null, code_challenge = '' } = asked
  if (!client_id) throw oauthRefusal('invalid_request', 'client_id is required.')
  const client = await findClient(ctx, client_id)
  const [only] = client.redirectUris
  const given = redirect_uri ?? (client.redirectUris.length === 1 ? only : undefined)
  if (!given) throw oauthRefusal('invalid_request', 'redirect_uri is required.')
  if (!client.redirectUris.some((one) => isSameRedirect(one, given)) || faultOfRedirect(given) !== null)
    throw oauthRefusal('invalid_redirect_uri', 'The client has not registered this redirect_uri.')
  if (asked.response_type !== 'code') throw oauthRefusal('unsupported_response_type', 'response_type must be "code".')
  if (asked.code_challenge_method !== 'S256' || !CHALLENGE.test(code_challenge))
    throw oauthRefusal('invalid_request', 'PKCE with code_challenge_method "S256" is required.')
  assertResource(ctx.config, asked.resource)
  const request: AuthorizationRequest = {
    client_id,
    client_name: client.name,
    host: client.host,
    redirect_uri: given,
    state,
    code_challenge,
    ends: ctx.now().getTime() + REQUEST_MS,
  }
  const signed = signClaims(ctx.config, PURPOSE, request)
  if (signed.length > MOST_CHARACTERS) throw oauthRefusal('invalid_request', 'The request is too long.')
  return signed
}

/** Throws `invalid_target` for the name of another resource: a token is only for this one (RFC 8707). */
export function assertResource(config: Config, resource: string | undefined): void {
  if (resource === undefined || resource === resourceOf(config)) return
  throw oauthRefusal('invalid_target', `resource must be ${resourceOf(config)}.`)
}

/** What was signed. Throws gone once it is over, or if somebody else made it up. */
export function openRequest({ config, now }: Pick<Ctx, 'config' | 'now'>, signed: string): AuthorizationRequest {
  const request = readClaims<AuthorizationRequest>(config, PURPOSE, signed)
  if (request && request.ends > now().getTime()) return request
  throw new ServiceError('gone', 'This request of a client is over. Connect again from the client.')
}

/** Where the browser goes with an answer, which says whose it is (RFC 9207). */
export function answerUrl(
  config: Config,
  { redirect_uri, state }: AuthorizationRequest,
  answer: { code: string } | { error: 'access_denied' },
): string {
  const query = new URLSearchParams({ ...answer, ...(state === null ? {} : { state }), iss: issuerOf(config) })
  return `${redirect_uri}${redirect_uri.includes('?') ? '&' : '?'}${query}`
}

/** What to show a user of a request. Throws gone. */
export function describeRequest(ctx: Ctx, signed: string): Authorization {
  const request = openRequest(ctx, signed)
  const { client_name, host, redirect_uri, ends } = request
  return {
    client_name,
    client_host: host,
    ...redirectPlace(redirect_uri),
    refuse_url: answerUrl(ctx.config, request, { error: 'access_denied' }),
    expires_at: new Date(ends).toISOString(),
  }
}
