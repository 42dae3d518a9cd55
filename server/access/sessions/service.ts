import type { Actor } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { actorOf } from './caller.ts'
import * as store from './store.ts'

/** Step: ends every session of a user; gives how many were live. Access tokens die with the user's token_version. */
export const revokeSessionsOf = store.revokeSessionsOf

/**
 * A user as the actor of something they signed or began earlier, with the rights they have now; null when they are gone
 * or disabled, or the token they did it with is not live any more.
 */
export async function actorOfUser(
  { db, now, actor: { origin } }: { db: Db; now(): Date; actor: Pick<Actor, 'origin'> },
  userId: string,
  tokenId: string | null,
): Promise<Actor | null> {
  const [first, ...rest] = await store.findUserRows(db, userId)
  if (!first || first.disabled_at !== null) return null
  if (tokenId !== null && !(await store.isTokenLive(db, tokenId, now()))) return null
  return actorOf([first, ...rest], { auth_method: null, session_id: null, token_id: tokenId }, origin)
}

/**
 * The same as someone who can be renewed; throws what `refusal` makes where there is nobody any more. `as` says what the
 * actions they do are recorded with.
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

/** Step: deletes sessions and refresh tokens that can have no effect any more. */
export const deleteExpiredSessions = store.deleteExpired
