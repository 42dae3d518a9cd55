// The sessions that somebody opens who has a credential here: AssumeRole and GetSessionToken
// (https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html).
import { ServiceError } from '../../../contract/errors.ts'
import type { Ctx } from '../../context.ts'
import { currentActor } from '../../context.ts'
import { policiesSay } from '../../iam/decide-iam.ts'
import { principalOf } from '../policies/in-force.ts'
import { roleNameIn, sessionArn } from '../roles/arn.ts'
import { assertSessionPolicy, findRole } from '../roles/service.ts'
import type { RoleRow } from '../roles/store.ts'
import { userIdOf } from './actor.ts'
import type { SessionTags } from './claims.ts'
import { openSession, type TemporaryCredentials } from './open.ts'
import { assertTrusted, knownOfCaller } from './trust.ts'

export const LEAST_SECONDS = 900
export const MOST_SECONDS = 43_200
/** Unless a request says how long. */
export const USUAL_SECONDS = 3600

/** What is wrong with a request about a session, in AWS' words: ValidationError. */
export class BadSession extends Error {}

/** What a session of a role is to be. */
export interface RoleSession {
  /** The role's ARN. */
  role: string
  session_name: string
  seconds?: number | undefined
  /** The text of its policy, which only narrows. */
  policy?: string | undefined
}

/** A session of a role that was opened. */
export interface OpenedSession {
  credentials: TemporaryCredentials
  /** Of the session. */
  arn: string
  id: string
}

/** How long a session of a role is to last. */
export const secondsOf = ({ max_session_seconds }: RoleRow, asked: number | undefined): number =>
  asked ?? Math.min(USUAL_SECONDS, max_session_seconds)

/** Throws BadSession for longer than the role allows; asked once it trusts the caller, as only they may know that there is one. */
export function assertSeconds({ max_session_seconds }: RoleRow, seconds: number): void {
  if (seconds > max_session_seconds)
    throw new BadSession('The requested DurationSeconds exceeds the MaxSessionDuration set for this role.')
}

/** The role of an ARN. Throws forbidden, in the same words as for one that does not trust the caller. */
export async function roleOf(ctx: Ctx, arn: string, action: string): Promise<RoleRow> {
  const name = roleNameIn(arn)
  const role = name === undefined ? undefined : await findRole(ctx, name)
  if (role) return role
  throw new ServiceError('forbidden', `Not authorized to perform ${action} on resource: ${arn}`)
}

/** Opens a session of a role for the caller. Throws forbidden, BadSession or MalformedPolicy. */
export async function assumeRole(
  ctx: Ctx,
  asked: RoleSession & { source_identity?: string | undefined; external_id?: string | undefined; tags: SessionTags },
): Promise<OpenedSession> {
  const { policy, session_name, source_identity, external_id, tags } = asked
  refuseAgents(ctx)
  if (policy !== undefined) assertSessionPolicy(policy)
  const action = 'sts:AssumeRole'
  const open = await ctx.act(async (step) => {
    const actor = await currentActor(step)
    const current: Ctx = { ...ctx, db: step.tx, actor }
    const role = await roleOf(current, asked.role, action)
    const seconds = secondsOf(role, asked.seconds)
    assertTrusted(current, {
      role,
      arn: asked.role,
      action,
      principal: actor.policies?.principal ?? principalOf(actor),
      session_name,
      seconds,
      source_identity,
      external_id,
      tags,
      known: knownOfCaller(current),
    })
    assertSeconds(role, seconds)
    const credentials = await openSession(
      { ...step, actor },
      {
        kind: 'role',
        role: role.name,
        role_id: role.id,
        user_id: actor.user_id ?? actor.session?.user_id ?? null,
        session_name,
        seconds,
        policy,
        source_identity,
        tags,
      },
    )
    return { credentials, role }
  })
  return described(open.credentials, open.role, session_name)
}

/** A session as its opener is told. */
export const described = (
  credentials: TemporaryCredentials,
  role: Pick<RoleRow, 'name'> & { id: string | null },
  session_name: string,
): OpenedSession => ({
  credentials,
  arn: sessionArn(role.name, session_name),
  id: userIdOf({ role_id: role.id, session_name }),
})

/** Throws forbidden to agents: a session would have neither their budgets nor their approvals, and outlive them. */
function refuseAgents({ actor }: Pick<Ctx, 'actor'>): void {
  if (actor.agent) throw new ServiceError('forbidden', 'Agents cannot open sessions.')
}

/** Gives the caller credentials that expire and may what they may themselves. Throws forbidden to those that have such already. */
export async function getSessionToken(ctx: Ctx, seconds: number = MOST_SECONDS): Promise<TemporaryCredentials> {
  refuseAgents(ctx)
  return ctx.act(async (step) => {
    const actor = await currentActor(step)
    const { user_id, email } = actor
    if (actor.session || user_id === null)
      throw new ServiceError('forbidden', 'Cannot call GetSessionToken with session credentials')
    if (policiesSay(actor, 'sts:GetSessionToken', { arns: ['*'] }) === 'deny')
      throw new ServiceError('forbidden', 'Not authorized to perform sts:GetSessionToken')
    const session_name = email ?? user_id
    return openSession({ ...step, actor }, { kind: 'user', role: null, user_id, session_name, seconds })
  })
}
