import type { Ctx, Step } from '../../context.ts'
import * as store from './store.ts'

/** Which sessions are to end; all where nothing is said. */
export interface SessionChoice {
  /** The name of their role. */
  role?: { id: string; name: string } | undefined
  user_id?: string | undefined
  /** The provider whose tokens opened them, without its scheme. */
  issuerKey?: string | undefined
  /** Those that were opened until then; without it until now. */
  before?: string | undefined
}

/** Step: ends the sessions that are meant, and those that were opened with their credentials; returns how many. */
export async function endSessions({ tx, now }: Pick<Step, 'tx' | 'now'>, choice: SessionChoice): Promise<number> {
  const { role, user_id, issuerKey, before } = choice
  const filter = { roleId: role?.id, userId: user_id, issuerKey, until: before }
  const ended = await store.revokeMatching(tx, filter, now())
  for (let level = ended.slice(); level.length > 0; ended.push(...level))
    level = await store.revokeChildren(tx, level, now())
  return ended.length
}

/** Ends the sessions that are meant, from the next request on, in every process; returns how many. */
export const revokeSessions = (ctx: Ctx, choice: SessionChoice): Promise<number> =>
  ctx.act(async (step) => {
    const sessions = await endSessions(step, choice)
    if (sessions === 0) return step.nothing(0)
    const { role, user_id, issuerKey, before } = choice
    step.record({
      name: 'session_revoke',
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
