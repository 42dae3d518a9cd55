import type { Actor } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { actorOf } from './caller.ts'
import * as store from './store.ts'

/**
 * Step: ends every session of a user; returns how many were live. Access tokens expire with the user's token_version.
 */
export const revokeSessionsOf = store.revokeSessionsOf

/**
 * A user as the actor of something they signed or started earlier, with their current permissions within the scope of
 * the token they used then; null if they are gone or disabled, or if that token is no longer valid.
 */
export async function actorOfUser(
  { db, now, actor: { origin } }: { db: Db; now(): Date; actor: Pick<Actor, 'origin'> },
  userId: string,
  tokenId: string | null,
): Promise<Actor | null> {
  const [[first, ...rest], token] = await Promise.all([
    store.findUserRows(db, userId),
    tokenId === null ? { scope: null } : store.findLiveToken(db, tokenId, now()),
  ])
  if (!first || first.disabled_at !== null || !token) return null
  const credential = { auth_method: null, session_id: null, token_id: tokenId, scope: token.scope }
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
