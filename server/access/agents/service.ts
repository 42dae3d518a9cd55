import type { AgentEnd, OauthClientDetails } from '../../../contract/actions.ts'
import {
  type Agent,
  type AgentApproval,
  type AgentBudget,
  type AgentUse,
  defaultApproval,
  defaultBudget,
  type NewAgent,
  type NewAgentScope,
} from '../../../contract/agents.ts'
import { ServiceError } from '../../../contract/errors.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { newId } from '../../base/id.ts'
import { invalid } from '../../base/invalid.ts'
import { redirectPlace } from '../../base/redirect-place.ts'
import type { Ctx, Step } from '../../context.ts'
import { hashSecret } from '../../secrets/sign.ts'
import { newSecret, resealSecret, sealSecret } from '../access-keys/secret.ts'
import { holdUses } from '../agent-limits/acting.ts'
import { hourOf, NOTHING } from '../agent-limits/budget.ts'
import { admitOwner } from '../credentials/issue.ts'
import { scopeText } from '../sessions/scope.ts'
import { AGENT_TOKEN_START, newTokenValue, prefixOf } from '../tokens/value.ts'
import { newAgentKeyId } from './key-id.ts'
import * as store from './store.ts'

/** What can be said of an agent. */
export interface AgentFields {
  name: string
  scope: NewAgentScope
  budget?: { [name in keyof AgentBudget]?: AgentBudget[name] | undefined } | undefined
  approval?: { [name in keyof AgentApproval]?: AgentApproval[name] | undefined } | undefined
  expires_at?: string | null | undefined
}

const agentMissing = () => new ServiceError('not_found', 'No such agent.')

/** When an agent ends. Throws invalid_request for a time that has passed. */
function readEnd(text: string | null, now: Date): string | null {
  if (text === null) return null
  const end = new Date(text)
  if (end.getTime() <= now.getTime()) throw invalid('body.expires_at', 'must be in the future')
  return end.toISOString()
}

const given = <T extends object>(fields: { [name in keyof T]?: T[name] | undefined } = {}): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>

/** Creates an agent of the caller; only this response contains its token and its secret. 409 if they have 50 valid ones. */
export const createAgent = (ctx: Ctx, fields: AgentFields): Promise<NewAgent> => ctx.act(prepareAgent(ctx, fields))

/** The step that creates an agent: for a fork, and for a client of OAuth. Throws invalid_request at once. */
export function prepareAgent(
  ctx: Pick<Ctx, 'now' | 'actor'>,
  fields: AgentFields,
  { fork = null, client }: { fork?: string | null; client?: OauthClientDetails | undefined } = {},
): (step: Step) => Promise<NewAgent> {
  const expires_at = readEnd(fields.expires_at ?? null, ctx.now())
  const token = newTokenValue(AGENT_TOKEN_START)
  const access_key_id = newAgentKeyId()
  const secret = newSecret()
  return async (step) => {
    const { tx, record, config } = step
    const user_id = await admitOwner(step, 'agents', ctx.actor.user_id)
    const row: store.AgentRow = {
      id: newId(),
      user_id,
      name: fields.name.trim(),
      scope: scopeText(fields.scope) ?? '[]',
      budget: JSON.stringify({ ...defaultBudget, ...given(fields.budget) }),
      approval: JSON.stringify({ ...defaultApproval, ...given(fields.approval) }),
      fork,
      token_prefix: prefixOf(token),
      token_hash: hashSecret(token),
      access_key_id,
      secret: sealSecret(config, access_key_id, secret),
      created_at: step.now().toISOString(),
      expires_at,
      revoked_at: null,
      last_used_at: null,
      last_used_ip: null,
    }
    await store.insertAgent(tx, row)
    await store.insertUse(tx, {
      agent_id: row.id,
      hour_from: null,
      this_hour: JSON.stringify(NOTHING),
      in_all: JSON.stringify(NOTHING),
    })
    const { scope, budget, approval } = limitsOf(row)
    record({
      name: 'agent_create',
      resource: { type: 'agent', id: row.id },
      details: {
        name: row.name,
        token_prefix: row.token_prefix,
        access_key_id,
        scope,
        budget,
        approval,
        expires_at,
        fork,
        ...(client && { client }),
      },
    })
    return { ...common({ ...row, email: ctx.actor.email ?? '' }), token, secret_access_key: secret }
  }
}

const limitsOf = (row: Pick<store.AgentRow, 'scope' | 'budget' | 'approval'>) => ({
  scope: JSON.parse(row.scope) as Agent['scope'],
  budget: JSON.parse(row.budget) as AgentBudget,
  approval: JSON.parse(row.approval) as AgentApproval,
})

const common = (row: store.AgentRow & { email: string }) => ({
  id: row.id,
  name: row.name,
  ...limitsOf(row),
  fork: row.fork,
  access_key_id: row.access_key_id,
  token_prefix: row.token_prefix,
  user_id: row.user_id,
  email: row.email,
  created_at: row.created_at,
  expires_at: row.expires_at,
})

function describe(row: store.ListedAgent, now: Date): Agent {
  const { use, ends } = hourOf(row, now)
  const isOver = row.expires_at !== null && Date.parse(row.expires_at) <= now.getTime()
  return {
    ...common(row),
    status: row.revoked_at !== null ? 'revoked' : isOver ? 'expired' : 'active',
    revoked_at: row.revoked_at,
    used_this_hour: use,
    renews_at: ends,
    used_in_all: JSON.parse(row.in_all) as AgentUse,
    waiting: Number(row.waiting),
    client:
      row.client_name === null || row.redirect_uri === null
        ? null
        : { name: row.client_name, ...redirectPlace(row.redirect_uri) },
  }
}

/** The caller's agents, or as an administrator everyone's; latest first. */
export async function listAgents(
  ctx: Ctx,
  { limit = 100, cursor }: { limit?: number | undefined; cursor?: string | undefined },
) {
  const [before] = decodeCursor(cursor, 1) ?? []
  const userId = isAdmin(ctx.actor.groups) ? null : (ctx.actor.user_id ?? '')
  const rows = await store.listAgents(ctx.db, { userId, now: ctx.now(), before, limit: limit + 1 })
  const { page, next_cursor } = pageOf(rows, limit, ({ id }) => [id])
  return { items: page.map((row) => describe(row, ctx.now())), next_cursor }
}

const isOver = ({ actor }: Pick<Ctx, 'actor'>, { user_id }: Pick<store.AgentRow, 'user_id'>): boolean =>
  user_id === actor.user_id || isAdmin(actor.groups)

/** An agent of the caller, or as an administrator anyone's. Throws not_found. */
export async function getAgent(ctx: Ctx, id: string): Promise<Agent> {
  const row = await store.findListed(ctx.db, id, ctx.now())
  if (!row || !isOver(ctx, row)) throw agentMissing()
  return describe(row, ctx.now())
}

/** The agent that asks. Throws not_found for everyone else. */
export async function getOwnAgent(ctx: Ctx): Promise<Agent> {
  const { agent } = ctx.actor
  const row = agent && (await store.findListed(ctx.db, agent.id, ctx.now()))
  if (!row) throw new ServiceError('not_found', 'You are no agent.')
  return describe(row, ctx.now())
}

/**
 * Step: an agent of the caller, or as an administrator anyone's, that is not revoked, once nothing is counted for it: what it does
 * comes before the change, or meets it. Throws not_found.
 */
async function lockOwn(step: Step, id: string): Promise<store.AgentRow> {
  const row = await store.lockAgent(step.tx, id)
  if (!row || row.revoked_at !== null || !isOver(step, row)) throw agentMissing()
  await holdUses(step, id)
  return row
}

/**
 * Changes an agent. Throws not_found, and conflict for the scope of one that works on a fork; `moveEnd` is a step that has its
 * fork end when it does.
 */
export async function updateAgent(
  ctx: Ctx,
  id: string,
  fields: Partial<AgentFields>,
  moveEnd: (step: Step, fork: string, end: string | null) => Promise<void>,
): Promise<Agent> {
  const { name, scope, budget, approval, expires_at } = fields
  const end = expires_at === undefined ? undefined : readEnd(expires_at, ctx.now())
  await ctx.act(async (step) => {
    const row = await lockOwn(step, id)
    if (scope !== undefined && row.fork !== null)
      throw new ServiceError('conflict', 'The agent works on a fork: its scope cannot be changed.')
    const before = limitsOf(row)
    const change = {
      ...(name === undefined ? {} : { name: name.trim() }),
      ...(scope === undefined ? {} : { scope: scopeText(scope) ?? '[]' }),
      ...(budget === undefined ? {} : { budget: JSON.stringify({ ...before.budget, ...given(budget) }) }),
      ...(approval === undefined ? {} : { approval: JSON.stringify({ ...before.approval, ...given(approval) }) }),
      ...(end === undefined ? {} : { expires_at: end }),
    }
    await store.updateAgent(step.tx, id, change)
    if (row.fork !== null && end !== undefined) await moveEnd(step, row.fork, end)
    const side = (one: store.AgentRow) => {
      const all: { [field: string]: unknown } = { ...one, ...limitsOf(one) }
      return Object.fromEntries(Object.keys(change).map((field) => [field, all[field]]))
    }
    step.record({
      name: 'agent_update',
      resource: { type: 'agent', id },
      details: { name: row.name, user_id: row.user_id, before: side(row), after: side({ ...row, ...change }) },
    })
  })
  return getAgent(ctx, id)
}

/** Revokes an agent, from its next request on. Throws not_found if it is revoked already. */
export const revokeAgent = (ctx: Ctx, id: string): Promise<undefined> =>
  ctx.act(async (step) => {
    await endAgent(step, await lockOwn(step, id))
    return undefined
  })

/** Step: an agent, locked, whoever asks; undefined if there is none. */
export const lockAgent = ({ tx }: Pick<Step, 'tx'>, id: string): Promise<store.AgentRow | undefined> =>
  store.lockAgent(tx, id)

/** Step: revokes an agent that is locked, whoever asks; `reason` if it is nobody signed in. */
export async function endAgent(step: Step, row: store.AgentRow, reason?: AgentEnd): Promise<void> {
  const { id, name, token_prefix, user_id } = row
  if (reason) await holdUses(step, id)
  await store.updateAgent(step.tx, id, { revoked_at: step.now().toISOString() })
  step.record({
    name: 'agent_revoke',
    resource: { type: 'agent', id },
    details: { name, token_prefix, user_id, ...(reason && { reason }) },
  })
}

/** Re-encrypts secrets that still use a previous SECRET_KEY; returns how many. */
export const resealAgents = (ctx: Ctx): Promise<number> =>
  ctx.upkeep(async ({ tx, config }) => {
    let count = 0
    for (const { id, access_key_id, secret } of await store.lockAll(tx)) {
      const resealed = resealSecret(config, access_key_id, secret)
      if (resealed === secret) continue
      await store.updateAgent(tx, id, { secret: resealed })
      count++
    }
    return count
  })
