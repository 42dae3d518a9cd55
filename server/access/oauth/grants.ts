// From a code to tokens, from tokens to others, and to the end (RFC 6749, 7009 and 7636).
import { hash } from 'node:crypto'
import type { AgentEnd } from '../../../contract/actions.ts'
import type { ServiceError } from '../../../contract/errors.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import type { Config } from '../../config/config.ts'
import type { Ctx, Step } from '../../context.ts'
import { randomToken } from '../../secrets/random.ts'
import { hashSecret, readClaims, signClaims } from '../../secrets/sign.ts'
import { endAgent, lockAgent } from '../agents/service.ts'
import type { AgentRow } from '../agents/store.ts'
import { isTokenValue, MCP_TOKEN_START, newTokenValue } from '../tokens/value.ts'
import { findUser } from '../users/store.ts'
import { oauthRefusal } from './refusal.ts'
import { type AuthorizationRequest, assertResource } from './requests.ts'
import { SCOPE } from './server.ts'
import * as store from './store.ts'

const PURPOSE = 'oauth-refresh'
const CODE_MS = MINUTE_MS
const ACCESS_MS = 30 * MINUTE_MS
/** How long a client may stay away before a user has to connect it again. */
const IDLE_MS = 30 * DAY_MS
/** Within which a replaced refresh token gets its successor again: the answer may have been lost. */
const AGAIN_MS = 30_000
const MOST_AT_ONCE = 100

/** What a refresh token says; whoever has SECRET_KEY can make it, so that it need not be stored. */
interface RefreshClaims {
  agent: string
  /** How many there were before it. */
  number: number
}

/** Step: lets whoever asked for this have the agent, with a code. Returns the code. */
export async function grantAgent(step: Step, request: AuthorizationRequest, agentId: string): Promise<string> {
  const code = randomToken()
  await store.insertGrant(step.tx, {
    agent_id: agentId,
    client_id: request.client_id,
    client_name: request.client_name,
    redirect_uri: request.redirect_uri,
    code_challenge: request.code_challenge,
    code_hash: hashSecret(code),
    code_expires_at: new Date(step.now().getTime() + CODE_MS).toISOString(),
    code_used_at: null,
    access_hash: null,
    access_expires_at: null,
    refreshes: 0,
    refreshed_at: null,
    refresh_expires_at: null,
  })
  await store.keepClient(step.tx, request.client_id)
  return code
}

/** The form of the token endpoint. */
export interface TokenForm {
  grant_type?: string | undefined
  client_id?: string | undefined
  code?: string | undefined
  code_verifier?: string | undefined
  redirect_uri?: string | undefined
  refresh_token?: string | undefined
  resource?: string | undefined
}

/** The answer of RFC 6749 section 5.1. */
export interface Tokens {
  access_token: string
  token_type: 'Bearer'
  /** Seconds. */
  expires_in: number
  refresh_token: string
  scope: string
}
type Outcome = Tokens | ServiceError

const invalidGrant = (detail: string): ServiceError => oauthRefusal('invalid_grant', detail)

/** Answers a client's request for tokens. Throws `invalid_oauth_request`; a code or token used twice revokes the agent. */
export async function exchangeToken(ctx: Ctx, form: TokenForm): Promise<Tokens> {
  const { grant_type, client_id, code, refresh_token } = form
  if (grant_type !== 'authorization_code' && grant_type !== 'refresh_token')
    throw oauthRefusal(
      grant_type ? 'unsupported_grant_type' : 'invalid_request',
      'grant_type must be "authorization_code" or "refresh_token".',
    )
  if (!client_id) throw oauthRefusal('invalid_request', 'client_id is required.')
  assertResource(ctx.config, form.resource)
  const given = grant_type === 'authorization_code' ? code : refresh_token
  if (!given)
    throw oauthRefusal('invalid_request', `${grant_type === 'refresh_token' ? grant_type : 'code'} is required.`)
  const outcome = await (grant_type === 'authorization_code'
    ? exchangeCode(ctx, { ...form, client_id, code: given })
    : refresh(ctx, client_id, given))
  if (outcome instanceof Error) throw outcome
  return outcome
}

/** Whether a verifier is the one that the challenge was made of. */
const isVerified = (verifier: string | undefined, challenge: string): boolean =>
  verifier !== undefined && /^[\w.~-]{43,128}$/.test(verifier) && hash('sha256', verifier, 'base64url') === challenge

/** Step: whether an agent can be used: it is not over, and its maker is not disabled. */
const isLive = async (
  { tx, now }: Pick<Step, 'tx' | 'now'>,
  { revoked_at, expires_at, user_id }: AgentRow,
): Promise<boolean> =>
  revoked_at === null &&
  (expires_at === null || Date.parse(expires_at) > now().getTime()) &&
  (await findUser(tx, user_id))?.disabled_at === null

const exchangeCode = (ctx: Ctx, form: TokenForm & { client_id: string; code: string }): Promise<Outcome> =>
  ctx.act(async (step) => {
    const { tx, now } = step
    const grant = await store.lockByCode(tx, hashSecret(form.code))
    const refuse = (detail: string) => step.nothing(invalidGrant(detail))
    if (!grant || grant.client_id !== form.client_id) return refuse('The code is invalid.')
    if (form.redirect_uri !== undefined && form.redirect_uri !== grant.redirect_uri)
      return refuse('redirect_uri is not the one that the code was sent to.')
    if (!isVerified(form.code_verifier, grant.code_challenge)) return refuse('code_verifier is wrong.')
    const agent = await lockAgent(step, grant.agent_id)
    if (!agent || !(await isLive(step, agent))) return refuse('The agent is no longer valid.')
    // Only who has the verifier gets here: others cannot end an agent with a code that they have seen.
    if (grant.code_used_at !== null) {
      await endAgent(step, agent, 'code_reuse')
      return invalidGrant('The code was used before. Its agent is revoked.')
    }
    if (Date.parse(grant.code_expires_at) <= now().getTime()) return refuse('The code has expired.')
    const { change, tokens } = nextTokens(step, grant.agent_id, { number: 1, end: agent.expires_at })
    await store.updateGrant(tx, grant.agent_id, { ...change, code_used_at: now().toISOString() })
    step.record({
      name: 'agent_connect',
      resource: { type: 'agent', id: agent.id },
      details: { name: agent.name, user_id: agent.user_id, client: clientOf(grant) },
    })
    return tokens
  })

const clientOf = ({ client_id, client_name, redirect_uri }: store.GrantRow) => ({
  client_id,
  client_name,
  redirect_uri,
})

/** New tokens, and what is stored of them: of the access token a hash, of the refresh token its number. */
function nextTokens(
  { config, now }: Pick<Step, 'config' | 'now'>,
  agentId: string,
  { number, end }: { number: number; end: string | null },
) {
  const at = now().getTime()
  const last = end === null ? Number.POSITIVE_INFINITY : Date.parse(end)
  const access = newTokenValue(MCP_TOKEN_START)
  const accessEnds = Math.min(at + ACCESS_MS, last)
  const claims: RefreshClaims = { agent: agentId, number }
  const tokens: Tokens = {
    access_token: access,
    token_type: 'Bearer',
    expires_in: Math.floor((accessEnds - at) / 1000),
    refresh_token: signClaims(config, PURPOSE, claims),
    scope: SCOPE,
  }
  const change = {
    access_hash: hashSecret(access),
    access_expires_at: new Date(accessEnds).toISOString(),
    refreshes: number,
    refreshed_at: now().toISOString(),
    refresh_expires_at: new Date(Math.min(at + IDLE_MS, last)).toISOString(),
  }
  return { change, tokens }
}

/** Rotates the refresh token, which users see nothing of; one that was used before ends the agent. */
async function refresh(ctx: Ctx, clientId: string, token: string): Promise<Outcome> {
  const claims = readRefresh(ctx.config, token)
  if (!claims) return invalidGrant('The refresh token is invalid.')
  const outcome = await ctx.upkeep(async (step): Promise<Outcome | 'reused'> => {
    const { tx, now } = step
    const grant = await store.lockByAgent(tx, claims.agent)
    const agent = grant && (await lockAgent(step, grant.agent_id))
    if (!agent || grant.client_id !== clientId || !(await isLive(step, agent)))
      return invalidGrant('The refresh token is invalid.')
    if (Date.parse(grant.refresh_expires_at ?? '') <= now().getTime())
      return invalidGrant('The refresh token has expired.')
    const { refreshes } = grant
    const since = now().getTime() - Date.parse(grant.refreshed_at ?? '')
    if (claims.number < refreshes - 1 || (claims.number === refreshes - 1 && since > AGAIN_MS)) return 'reused'
    const number = Math.max(refreshes, claims.number + 1)
    const { change, tokens } = nextTokens(step, grant.agent_id, { number, end: agent.expires_at })
    // The time within which the one before it is answered again does not start anew.
    const refreshed_at = number === refreshes ? grant.refreshed_at : change.refreshed_at
    await store.updateGrant(tx, grant.agent_id, { ...change, refreshed_at })
    return tokens
  })
  if (outcome !== 'reused') return outcome
  await endOnce(ctx, claims.agent, 'refresh_reuse')
  return invalidGrant('The refresh token was used before. Its agent is revoked.')
}

const readRefresh = (config: Config, token: string): RefreshClaims | null =>
  readClaims<RefreshClaims>(config, PURPOSE, token)

/** Revokes an agent unless it is revoked. */
async function endOnce(ctx: Ctx, agentId: string, reason: AgentEnd): Promise<void> {
  await ctx.act(async (step) => {
    const agent = await lockAgent(step, agentId)
    if (!agent || agent.revoked_at !== null) return step.nothing(undefined)
    return endAgent(step, agent, reason)
  })
}

/** Revokes the agent that a token is of (RFC 7009). Throws invalid_request; unknown tokens are none any more. */
export async function revokeToken(
  ctx: Ctx,
  { token, client_id }: { token?: string | undefined; client_id?: string | undefined },
): Promise<void> {
  if (!token || !client_id) throw oauthRefusal('invalid_request', 'token and client_id are required.')
  const claims = readRefresh(ctx.config, token)
  if (!claims && !isTokenValue(token)) return
  const agentId = await ctx.upkeep(async ({ tx }) => {
    const grant = claims ? await store.lockByAgent(tx, claims.agent) : await store.lockByAccess(tx, hashSecret(token))
    return grant?.client_id === client_id ? grant.agent_id : undefined
  })
  if (agentId !== undefined) await endOnce(ctx, agentId, 'requested_by_client')
}

/** Ends what nobody came for: registrations, and agents whose code was not exchanged. */
export const oauthExpiry = {
  name: 'oauth-expiry',
  every: HOUR_MS,
  async run(ctx: Ctx): Promise<void> {
    await ctx.upkeep(({ tx, now }) => store.deleteOverClients(tx, now()))
    const since = new Date(ctx.now().getTime() - HOUR_MS)
    for (const id of await store.agentsNotConnected(ctx.db, since, MOST_AT_ONCE))
      await endOnce(ctx, id, 'not_connected')
  },
}
