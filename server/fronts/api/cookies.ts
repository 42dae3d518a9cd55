import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../contract/errors.ts'
import { DEVICE_SECONDS, deviceTicket } from '../../access/auth/device.ts'
import type { Entered } from '../../access/auth/second-step.ts'
import { isHostOnly } from '../../access/sessions/jwt.ts'
import type { Tokens } from '../../access/sessions/sessions.ts'
import type { Ctx } from '../../context.ts'

const WEEK_SECONDS = 7 * 24 * 3600
const TEN_MINUTES = 600

interface Kind {
  /** Without the prefix (`__Host-`) by which browsers enforce its attributes. */
  name: string
  /** Below the public base URL on plain http; on https the prefix `__Host-` requires `/`. */
  path: string
  sameSite: 'strict' | 'lax'
  maxAge: number
}
const refreshCookie: Kind = {
  name: 'strongroom_refresh',
  path: '/api/v1/auth',
  sameSite: 'strict',
  maxAge: WEEK_SECONDS,
}
/** Recognises a browser that logged in before. */
const deviceCookie: Kind = { name: 'strongroom_device', path: '/', sameSite: 'strict', maxAge: DEVICE_SECONDS }
/** Lax, because the provider's page redirects the browser back from another site. */
const loginCookie: Kind = { name: 'svc_oidc', path: '/', sameSite: 'lax', maxAge: TEN_MINUTES }

/** Browsers reject cookies with a prefix over plain http. */
const isSecure = (ctx: Ctx): boolean => ctx.config.publicBaseUrl.startsWith('https:')
/** With `__Host-`, no sibling subdomain can set a cookie that shadows ours. */
const nameOf = (ctx: Ctx, { name }: Kind): string => (isSecure(ctx) ? `__Host-${name}` : name)
const below = (ctx: Ctx, path: string): string => new URL(ctx.config.publicBaseUrl).pathname.replace(/\/$/, '') + path

function put(ctx: Ctx, reply: FastifyReply, kind: Kind, value: string): void {
  const { path, sameSite, maxAge } = kind
  const secure = isSecure(ctx)
  const at = secure || path === '/' ? '/' : below(ctx, path)
  const cookie = { name: nameOf(ctx, kind), value, maxAge, path: at, httpOnly: true, secure, sameSite }
  reply.header('set-cookie', stringifySetCookie(cookie))
}

const read = (ctx: Ctx, { headers }: FastifyRequest, kind: Kind): string | undefined =>
  parseCookie(headers.cookie ?? '')[nameOf(ctx, kind)]

/** The refresh cookie's former name on https. Accepted for its seven days of validity. */
const FORMER_NAME = '__Secure-strongroom_refresh'
const readFormer = (ctx: Ctx, { headers }: FastifyRequest): string | undefined => {
  const token = isSecure(ctx) ? parseCookie(headers.cookie ?? '')[FORMER_NAME] : undefined
  return token === undefined || isHostOnly(token) ? undefined : token
}
function clearFormer(ctx: Ctx, { request, reply }: Raw): void {
  if (readFormer(ctx, request) === undefined) return
  const path = below(ctx, refreshCookie.path)
  const cookie = { name: FORMER_NAME, value: '', maxAge: 0, path, httpOnly: true, secure: true } as const
  reply.header('set-cookie', stringifySetCookie({ ...cookie, sameSite: 'strict' }))
}

export const setLoginCookie = (ctx: Ctx, reply: FastifyReply, value: string): void =>
  put(ctx, reply, loginCookie, value)
export const readLoginCookie = (ctx: Ctx, request: FastifyRequest) => read(ctx, request, loginCookie)
export const clearLoginCookie = (ctx: Ctx, reply: FastifyReply): void =>
  put(ctx, reply, { ...loginCookie, maxAge: 0 }, '')

export const readDeviceCookie = (ctx: Ctx, request: FastifyRequest) => read(ctx, request, deviceCookie)

export interface Raw {
  request: FastifyRequest
  reply: FastifyReply
}

/**
 * Responds with the tokens that `obtain` gets, never cached (RFC 6749 section 5.1); with `session=cookie` the refresh token
 * is a cookie that scripts cannot read and other sites cannot send. Whoever may not have that is refused before anything is done.
 */
export async function answerTokens(ctx: Ctx, obtain: () => Promise<Tokens>, session: 'cookie' | undefined, raw: Raw) {
  if (session === 'cookie') assertSameOrigin(ctx, raw.request)
  return giveTokens(ctx, await obtain(), session, raw)
}

function giveTokens(ctx: Ctx, tokens: Tokens, session: 'cookie' | undefined, { request, reply }: Raw) {
  reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
  if (session !== 'cookie') return tokens
  const { refresh_token, ...visible } = tokens
  put(ctx, reply, refreshCookie, refresh_token)
  clearFormer(ctx, { request, reply })
  return visible
}

/** The refresh token that the browser sends along; throws `unauthenticated` when there is none. */
export function readRefreshCookie(ctx: Ctx, request: FastifyRequest): string {
  assertSameOrigin(ctx, request)
  const token = read(ctx, request, refreshCookie) || readFormer(ctx, request)
  if (!token) throw new ServiceError('unauthenticated', 'There is no refresh cookie: log in.')
  return token
}

/** Takes the cookie away where there is one. */
export function clearRefreshCookie(ctx: Ctx, { request, reply }: Raw): void {
  if (read(ctx, request, refreshCookie) !== undefined) put(ctx, reply, { ...refreshCookie, maxAge: 0 }, '')
  clearFormer(ctx, { request, reply })
}

/**
 * SameSite keeps other sites from using the cookie; other origins of our own site, and browsers that do not know
 * SameSite, are kept from it by what the browser says of where the request comes from.
 */
function assertSameOrigin(ctx: Ctx, { headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  const { origin } = headers
  const known = [new URL(ctx.config.publicBaseUrl).host, headers.host]
  const fromHere = origin === undefined || (URL.canParse(origin) && known.includes(new URL(origin).host))
  if ((site === undefined || site === 'same-origin') && fromHere) return
  throw new ServiceError('forbidden', 'Sessions with a cookie are only for pages of this very origin.')
}

/**
 * The same after a login with a password, with what `enter` gets besides; with `session=cookie`, the browser is recognised when
 * its user logs in again.
 */
export async function answerLogin<More extends object>(
  ctx: Ctx,
  enter: () => Promise<Entered & More>,
  session: 'cookie' | undefined,
  raw: Raw,
) {
  if (session === 'cookie') assertSameOrigin(ctx, raw.request)
  const { tokens, email, ...more } = await enter()
  const answer = giveTokens(ctx, tokens, session, raw)
  if (session === 'cookie') put(ctx, raw.reply, deviceCookie, deviceTicket(ctx, email))
  return { ...answer, ...more }
}
