import type { Invitation, User } from '../../../contract/users.ts'
import { newId } from '../../base/id.ts'
import { invalid } from '../../base/invalid.ts'
import type { Ctx, Step } from '../../context.ts'
import type { Row } from '../../db/schema.ts'
import { assertSettable, hashPassword } from '../../secrets/passwords.ts'
import { joinGroups } from '../groups/members.ts'
import { settingsInForce } from '../settings/effective.ts'
import { describeUser } from './describe.ts'
import { assertMayLink, identityOf } from './identity.ts'
import { issueInvitation } from './invitations.ts'
import { addressTaken, insertUser } from './service.ts'

export interface CreateUser {
  email: string
  display_name: string
  password?: string | undefined
  /** They have to choose another password when they first log in with this one. */
  must_change_password?: boolean | undefined
  /** Invites them to choose a password themselves. */
  invite?: boolean | undefined
  group_ids?: readonly string[] | undefined
  /** False: they cannot log in yet. */
  is_active?: boolean | undefined
  /** Their identifier at the identity provider; for administrators. */
  idp_subject?: string | null | undefined
}

type FirstLogin = Pick<CreateUser, 'password' | 'must_change_password' | 'invite'>
/** Throws invalid_request unless someone new can first log in like this; paths are relative to `body`. */
export function assertFirstLogin({ password, must_change_password = false, invite = false }: FirstLogin): void {
  if (password !== undefined) assertSettable(password, 'body.password')
  if (invite && password !== undefined) throw invalid('body.invite', 'cannot be combined with a password')
  if (must_change_password && password === undefined) throw invalid('body.must_change_password', 'needs a password')
}

/**
 * Creates a user in the given groups, with the link of their invitation if one was asked for. Throws `already_exists` if
 * the address or the identity is in use, 422 on unknown groups, conflict if there is no identity provider for an identity,
 * or no login with a password for an invitation. `also` is part of the same change.
 */
export async function createUser(
  ctx: Ctx,
  input: CreateUser,
  also?: (step: Step, row: Row<'users'>) => Promise<unknown>,
): Promise<User & { invitation?: Invitation }> {
  const { email, display_name, password, group_ids = [], is_active = true, idp_subject = null } = input
  const { invite = false, must_change_password = false } = input
  if (idp_subject !== null) assertMayLink(ctx)
  assertFirstLogin(input)
  const hash = password === undefined ? null : await hashPassword(password, ctx.config.bcryptCost)
  return ctx.act(async (step) => {
    const { tx, record } = step
    const identity = idp_subject === null ? {} : await identityOf(step, idp_subject, await settingsInForce(step))
    const disabled_at = is_active ? null : ctx.now().toISOString()
    const login = { password_hash: hash, must_change_password: Number(must_change_password), disabled_at, ...identity }
    const row = await insertUser(tx, { id: newId(), email, display_name, ...login }, ctx.now())
    if (!row) throw addressTaken(email)
    await joinGroups(tx, ctx.actor, { userId: row.id, groupIds: group_ids, at: row.created_at })
    record({
      name: 'user_create',
      resource: { type: 'user', id: row.id },
      details: {
        email: row.email,
        display_name: row.display_name,
        group_ids: [...group_ids],
        ...(is_active ? {} : { is_active: false as const }),
        ...(idp_subject === null ? {} : { idp_subject }),
        ...(must_change_password ? { must_change_password: true as const } : {}),
      },
    })
    await also?.(step, row)
    const invitation = invite ? { invitation: await issueInvitation(step, row) } : {}
    return { ...(await describeUser(tx, row)), ...invitation }
  })
}
