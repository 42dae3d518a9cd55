import type { Ctx, Step } from '../../context.ts'
import { isRegistered, issuerKeyOf } from '../oidc-providers/providers.ts'
import * as store from './store.ts'

/** Which sessions are to end; all where nothing is said. */
export interface SessionChoice {
  /** One session. */
  id?: string | undefined
  /** The name of their role. */
  role?: { id: string; name: string } | undefined
  user_id?: string | undefined
  /** The provider whose tokens opened them, without its scheme. */
  issuerKey?: string | undefined
  /** Only those that are of no role: of a user, or of what somebody may by their groups. */
  withoutRole?: boolean
  /** Those that were opened until then; without it until now. */
  before?: string | undefined
}

/**
 * Step: ends the sessions that are meant, and those that were opened with their credentials. Returns how many of them were still
 * open, and whether any was ended: of those that have expired, requests may be under way.
 */
export async function endSessions({ tx, now }: Pick<Step, 'tx' | 'now'>, choice: SessionChoice) {
  const { id, role, user_id, issuerKey, withoutRole, before } = choice
  const filter = { id, roleId: role?.id, userId: user_id, issuerKey, withoutRole, until: before }
  const ended = await store.revokeMatching(tx, filter, now())
  const idsOf = (level: readonly store.Ended[]) => level.map(({ id }) => id)
  for (let level = ended.slice(); level.length > 0; ended.push(...level))
    level = await store.revokeChildren(tx, idsOf(level), now())
  const open = ended.filter(({ expires_at }) => Date.parse(expires_at) > now().getTime()).length
  return { open, any: ended.length > 0 }
}

/**
 * Step: ends the sessions that tokens of the service's own provider have opened, once it is turned off or replaced. Where it is
 * registered as well, those of roles stay.
 */
export async function endSessionsOfOwnProvider(step: Pick<Step, 'tx' | 'now'>, issuer: string): Promise<void> {
  const issuerKey = issuerKeyOf(issuer)
  await endSessions(step, { issuerKey, withoutRole: await isRegistered(step.tx, issuerKey) })
}

/** Ends the sessions that are meant, from the next request on, in every process; returns how many. */
export const revokeSessions = (ctx: Ctx, choice: SessionChoice): Promise<number> =>
  ctx.act(async (step) => {
    const { open: sessions, any } = await endSessions(step, choice)
    if (!any) return step.nothing(0)
    const { id, role, user_id, issuerKey, before } = choice
    step.record({
      name: 'session_revoke',
      ...(id === undefined ? {} : { resource: { type: 'machine_session', id } }),
      details: {
        sessions,
        role: role?.name ?? null,
        user_id: user_id ?? null,
        issuer: issuerKey ?? null,
        before: before ?? null,
      },
    })
    return sessions
  })
