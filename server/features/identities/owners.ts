// Whose policies can be changed, and by whom: the same for every front.
import { ServiceError } from '../../../contract/errors.ts'
import type { OwnerKind } from '../../../contract/identity-policies.ts'
import { type GrantingGroup, isAdmin } from '../../../contract/permissions.ts'
import { groupMissing } from '../../access/groups/members.ts'
import { getGroup, grantingGroupsOf } from '../../access/groups/service.ts'
import { findGroup } from '../../access/groups/store.ts'
import { hasAdministrator } from '../../access/identity-policies/administrators.ts'
import { allowIam } from '../../access/identity-policies/allow-iam.ts'
import type { NamedOwner } from '../../access/identity-policies/inline.ts'
import type { Owner } from '../../access/identity-policies/store.ts'
import { getRole } from '../../access/roles/service.ts'
import { lockAdministration } from '../../access/settings/administration.ts'
import { assertMayTouch, userMissing } from '../../access/users/service.ts'
import { findUser } from '../../access/users/store.ts'
import { type Ctx, currentActor, type Step } from '../../context.ts'
import { groupArn, userArn, userNameOf } from '../../iam/names.ts'
import { resourceOfArn } from './resources.ts'

/**
 * Step: a context as it is in a transaction: with the caller, and whoever is an administrator, as they are now and stay until
 * that ends.
 */
export async function ctxIn(ctx: Ctx, step: Step): Promise<Ctx> {
  await lockAdministration(step.tx)
  return { ...ctx, db: step.tx, actor: await currentActor(step) }
}

/** Throws forbidden for a change of policies that count for an administrator, unless the caller is one. */
export async function assertMayChangePolicies(ctx: Ctx, action: string, { kind, id }: Owner): Promise<void> {
  if (/^(Get|List)/.test(action) || kind === 'role') return
  assertMayTouch(ctx, kind === 'user' ? await grantingGroupsOf(ctx.db, id) : [await grantsOf(ctx, id)])
  if (kind === 'group' && !isAdmin(ctx.actor.groups) && (await hasAdministrator(ctx.db, id)))
    throw new ServiceError('forbidden', 'You need the "admin" permission: an administrator is in the group.')
}

const grantsOf = (ctx: Ctx, id: string): Promise<GrantingGroup> => getGroup(ctx.db, id)

const changed = () => new ServiceError('changed', 'Somebody else has changed it in the meantime. Try again.')

/** An owner that is looked at again, by the same rules, in the transaction that changes something of them. */
export async function confirmedOwner(
  ctx: Ctx,
  find: (ctx: Ctx) => Promise<Owner & { name: string }>,
): Promise<NamedOwner> {
  const owner = await find(ctx)
  return {
    ...owner,
    async confirm(step) {
      if ((await find(await ctxIn(ctx, step))).id !== owner.id) throw changed()
    },
  }
}

const WORDS = { user: 'User', group: 'Group', role: 'Role' } as const

/** What an action of IAM is called for a kind of owners: `Put?Policy`. */
export const actionOn = (kind: OwnerKind, action: string): string => action.split('?').join(WORDS[kind])

/** An owner as the API names them, if the caller may ask for some actions on them. Throws forbidden and not_found. */
export const findOwner = (
  ctx: Ctx,
  { kind, owner }: { kind: OwnerKind; owner: string },
  ...actions: readonly string[]
): Promise<NamedOwner> =>
  confirmedOwner(ctx, async (now) => {
    const found = await FINDERS[kind](
      now,
      owner,
      actions.map((action) => `iam:${actionOn(kind, action)}`),
    )
    for (const action of actions) await assertMayChangePolicies(now, action, found)
    return found
  })

type Find = (ctx: Ctx, owner: string, actions: readonly string[]) => Promise<Owner & { name: string }>

/** Refusals name what was asked for: who has an id is for those to know who may see them. */
const FINDERS: { readonly [kind in OwnerKind]: Find } = {
  async user(ctx, id, actions) {
    const row = await findUser(ctx.db, id)
    permit(ctx, actions, { arn: row ? userArn(row) : userArn({ email: id }), calledAs: userArn({ email: id }) })
    if (!row) throw userMissing()
    return { kind: 'user', id, name: userNameOf(row.email) }
  },
  async group(ctx, id, actions) {
    const row = await findGroup(ctx.db, id)
    const asked = groupArn({ name: id, path: '/' })
    permit(ctx, actions, { arn: row ? groupArn(row) : asked, calledAs: asked })
    if (!row) throw groupMissing()
    return { kind: 'group', id, name: row.name }
  },
  async role(ctx, name, actions) {
    const roles = await Promise.all(actions.map((action) => getRole(ctx, name, action)))
    const [role = await getRole(ctx, name)] = roles
    return { kind: 'role', id: role.id, name: role.name }
  },
}

function permit(
  { actor }: Ctx,
  actions: readonly string[],
  { arn, calledAs }: { arn: string; calledAs: string },
): void {
  for (const action of actions) allowIam(actor, action, { ...resourceOfArn(arn), calledAs })
}
