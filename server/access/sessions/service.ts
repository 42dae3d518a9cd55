import type { Actor } from '../../context.ts'
import type { Db, Row } from '../../db/schema.ts'
import type { ActingAgent } from '../../iam/acting-agent.ts'
import { actorOf } from './caller.ts'
import * as store from './store.ts'

/**
 * Step: ends every session of a user; returns how many were live. Access tokens expire with the user's token_version.
 */
export const revokeSessionsOf = store.revokeSessionsOf

/** The agent that a row is of. */
export const actingAgent = ({
  id,
  name,
  budget,
  approval,
}: Pick<Row<'agents'>, 'id' | 'name' | 'budget' | 'approval'>): ActingAgent => ({
  id,
  name,
  budget: JSON.parse(budget),
  approval: JSON.parse(approval),
})

/** What a token or an agent is limited to that is still valid. */
async function findCredential(
  db: Db,
  id: string,
  now: Date,
): Promise<{ scope: string | null; agent?: ActingAgent } | undefined> {
  const token = await store.findLiveToken(db, id, now)
  if (token) return { scope: token.scope }
  const agent = await store.findLiveAgent(db, id, now)
  return agent && { scope: agent.scope, agent: actingAgent(agent) }
}

/**
 * A user as the actor of something they signed or started earlier, with their current permissions within the scope of
 * the token or the agent they used then; null if they are gone or disabled, or if that is no longer valid.
 */
export async function actorOfUser(
  { db, now, actor: { origin } }: { db: Db; now(): Date; actor: Pick<Actor, 'origin'> },
  userId: string,
  tokenId: string | null,
): Promise<Actor | null> {
  const [[first, ...rest], token] = await Promise.all([
    store.findUserRows(db, userId),
    tokenId === null ? { scope: null } : findCredential(db, tokenId, now()),
  ])
  if (!first || first.disabled_at !== null || !token) return null
  const credential = { auth_method: null, session_id: null, token_id: tokenId, ...token }
  return actorOf(db, [first, ...rest], credential, { origin, now })
}

/**
 * The same as an actor that can be renewed; throws `refusal()` if the user no longer qualifies. `as` says how their
 * actions are recorded.
 */
export function actorOnBehalf(
  ctx: { db: Db; now(): Date; actor: Pick<Actor, 'origin'> },
  { user, token, ...as }: { user: string; token: string | null } & Partial<Pick<Actor, 'auth_method' | 'session_id'>>,
  refusal: () => Error,
): Promise<Actor> {
  const renew = async (db: Db): Promise<Actor> => {
    const actor = await actorOfUser({ ...ctx, db }, user, token)
    if (!actor) throw refusal()
    return { ...actor, ...as, renew }
  }
  return renew(ctx.db)
}

/** Step: counts a session as opened with a second factor from now on. */
export const markSecondFactor = store.markSecondFactor

/** Step: deletes sessions and refresh tokens that nothing can use any more. */
export const deleteExpiredSessions = store.deleteExpired
