import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../../contract/errors.ts'
import { type GlobalRight, isAdmin, mayManageUsers } from '../../../contract/permissions.ts'
import { pathTemplate, type RouteSpec } from '../../../contract/route.ts'
import { publicActor } from '../../access/actors.ts'
import { authenticateAgent } from '../../access/agents/authenticate.ts'
import { authenticateClient } from '../../access/oauth/authenticate.ts'
import { challengeOf } from '../../access/oauth/server.ts'
import { authenticateToken } from '../../access/sessions/sessions.ts'
import { authenticatePat } from '../../access/tokens/authenticate.ts'
import { AGENT_TOKEN_START, MCP_TOKEN_START, TOKEN_START } from '../../access/tokens/value.ts'
import type { Actor, Origin, System } from '../../context.ts'
import type { Known } from '../../iam/conditions.ts'
import { mayWatch } from './watch.ts'

/** Where a request comes from; `route` is its template. */
export const originOf = ({ id, ip, headers, method, protocol }: FastifyRequest, route: string): Origin => ({
  request_id: id,
  ip,
  user_agent: headers['user-agent'] ?? null,
  method,
  route,
  asks: { names: {}, known: (key) => known(key, { referer: headers.referer, protocol }) },
})

/** What policies can know of a request besides. */
function known(key: string, { referer, protocol }: { referer: string | undefined; protocol: string }): Known {
  if (key === 'aws:securetransport') return [String(protocol === 'https')]
  return key === 'aws:referer' && referer !== undefined ? [referer] : undefined
}

/**
 * Identifies the caller and checks that they may call this route at all. Credentials count only in the Authorization
 * header: URLs end up in logs and browser histories. Throws 401 if the credential is missing or invalid, 403 if the
 * caller lacks the permission for this route.
 */
export async function authenticate(system: System, route: RouteSpec, request: FastifyRequest): Promise<Actor> {
  const origin = originOf(request, pathTemplate(route))
  if (route.access === 'public') return publicActor(origin)
  if (route.access === 'monitor' && mayWatch(system.config, request)) return publicActor(origin)
  const actor = await (route.oauth ? holderByOauth : holderOf)(system, request, origin)
  if (route.ofAccount && actor.scope) throw new RouteRefused(actor, 'A token with a scope is not for your account.')
  if ((route.access === 'admin' || route.access === 'monitor') && !isAdmin(actor.groups))
    throw new RouteRefused(actor, needs('admin'))
  if (route.access === 'user_manager' && !mayManageUsers(actor.groups))
    throw new RouteRefused(actor, needs('users.manage'))
  return actor
}

/** Who the Bearer credential of a request is of. Throws 401. */
async function holderOf(system: System, { headers }: FastifyRequest, origin: Origin): Promise<Actor> {
  const credential = bearer(headers.authorization)
  if (credential.startsWith(TOKEN_START)) return authenticatePat(system, credential, origin)
  if (credential.startsWith(AGENT_TOKEN_START)) return authenticateAgent(system, credential, origin)
  return authenticateToken({ config: system.config, db: system.database.db, now: system.now }, credential, origin)
}

/** The same where clients can come by OAuth: their access tokens count as well, and a refusal says where to get one. */
async function holderByOauth(system: System, request: FastifyRequest, origin: Origin): Promise<Actor> {
  const { authorization } = request.headers
  try {
    const token = authorization === undefined ? '' : bearer(authorization)
    if (token.startsWith(MCP_TOKEN_START)) return await authenticateClient(system, token, origin)
    return await holderOf(system, request, origin)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'unauthenticated') throw error
    const challenge = challengeOf(system.config, authorization === undefined ? null : 'invalid_token')
    throw new ServiceError(error.code, error.message, { headers: { 'www-authenticate': challenge }, cause: error })
  }
}

const needs = (right: GlobalRight): string => `You need the "${right}" permission.`

/** A refusal that knows its caller, so that the attempt can be audited. */
export class RouteRefused extends ServiceError {
  readonly actor: Actor
  constructor(actor: Actor, detail: string) {
    super('forbidden', detail)
    this.actor = actor
  }
}

function bearer(header: string | undefined): string {
  if (header === undefined) throw new ServiceError('unauthenticated', 'Send an Authorization: Bearer header.')
  const match = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(header)
  if (!match?.[1] || header.length > 8192)
    throw new ServiceError('unauthenticated', 'The Authorization header is not a Bearer credential.', {
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    })
  return match[1]
}
