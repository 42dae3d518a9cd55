// Roles: who may take one on, and what it may (https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles.html).
import { ServiceError } from '../../../contract/errors.ts'
import { pageOf } from '../../base/cursor.ts'
import type { Ctx, Step } from '../../context.ts'
import { readPolicy } from '../../iam/document.ts'
import { malformed } from '../../iam/malformed.ts'
import { randomText } from '../../secrets/random.ts'
import { allowIam } from '../identity-policies/allow-iam.ts'
import { deletePoliciesOf } from '../identity-policies/inline.ts'
import { hasPolicies, type Owner } from '../identity-policies/store.ts'
import { fullRoleArn, GROUPS_ROLE, roleResource } from './arn.ts'
import { keepTrust, trustText } from './documents.ts'
import * as store from './store.ts'

export interface Tag {
  Key: string
  Value: string
}

/** What a new role is to have; all of the form that AWS asks for. */
export interface NewRole {
  name: string
  path: string
  description: string
  /** The text of its trust policy. */
  trust: string
  tags: readonly Tag[]
  max_session_seconds: number
}

/** A role as clients see it. */
export interface Role extends NewRole {
  id: string
  created_at: string
}

const MOST_ROLES = 1000
const MOST_TAGS = 50

export const describe = (row: store.RoleRow): Role => ({
  id: row.id,
  name: row.name,
  path: row.path,
  description: row.description,
  trust: trustText(row.trust),
  tags: JSON.parse(row.tags) as Tag[],
  max_session_seconds: row.max_session_seconds,
  created_at: row.created_at,
})

const keyOf = (name: string): string => name.toLowerCase()

const roleMissing = (name: string) => new ServiceError('not_found', `The role with name ${name} cannot be found.`)

/** Creates a role. Throws already_exists, limit_reached or MalformedPolicy. `also` is part of the same change. */
export async function createRole(
  ctx: Ctx,
  role: NewRole,
  also?: (step: Step, id: string) => Promise<unknown>,
): Promise<Role> {
  allowIam(ctx.actor, 'iam:CreateRole', roleResource(role))
  const taken = () => new ServiceError('already_exists', `Role with name ${role.name} already exists.`)
  if (keyOf(role.name) === GROUPS_ROLE) throw taken()
  return ctx.act(async (step) => {
    const { tx, record, now } = step
    if ((await store.countRoles(tx)) >= MOST_ROLES)
      throw new ServiceError('limit_reached', `There are ${MOST_ROLES} roles, the maximum.`)
    const row: store.RoleRow = {
      id: `AROA${randomText('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 17)}`,
      name: role.name,
      name_key: keyOf(role.name),
      path: role.path,
      description: role.description,
      trust: await keepTrust(tx, role.trust),
      tags: JSON.stringify(role.tags),
      max_session_seconds: role.max_session_seconds,
      created_at: now().toISOString(),
    }
    if (!(await store.insertRole(tx, row))) throw taken()
    const { name, path, description, trust, max_session_seconds } = role
    record({
      name: 'role_create',
      resource: { type: 'role', id: row.id },
      details: { name, path, description, trust, max_session_seconds },
    })
    await also?.(step, row.id)
    return describe(row)
  })
}

/** A role. Throws not_found. */
export async function getRole(ctx: Ctx, name: string, action = 'iam:GetRole'): Promise<Role> {
  return describe(await roleFor(ctx, name, action))
}

/** Roles below a path, by name. Throws not_found for nothing. */
export async function listRoles(
  ctx: Ctx,
  { path, after = '', limit }: { path: string; after?: string | undefined; limit: number },
): Promise<{ items: Role[]; next: string | null }> {
  allowIam(ctx.actor, 'iam:ListRoles', roleResource({ path: '/', name: '' }))
  const rows = await store.listRoles(ctx.db, { path, after, limit: limit + 1 })
  const { page } = pageOf(rows, limit, ({ name_key }) => [name_key])
  return { items: page.map(describe), next: rows.length > limit ? (page.at(-1)?.name_key ?? null) : null }
}

async function roleFor(ctx: Ctx, name: string, action: string): Promise<store.RoleRow> {
  const row = await store.findRole(ctx.db, keyOf(name))
  const asked = { path: '/', name }
  allowIam(ctx.actor, action, { ...roleResource(row ?? asked), calledAs: fullRoleArn(asked) })
  if (!row) throw roleMissing(name)
  return row
}

/** What can be changed of a role. */
export type RoleChange = Partial<Pick<NewRole, 'description' | 'max_session_seconds' | 'trust' | 'tags'>>

/** Changes a role; `actions` are what the caller has to be allowed. Throws not_found or MalformedPolicy. */
export async function updateRole(ctx: Ctx, name: string, change: RoleChange, ...actions: readonly string[]) {
  for (const action of actions) await roleFor(ctx, name, action)
  await ctx.act(async (step) => ((await changeRoleStep(step, name, change)) ? undefined : step.nothing(undefined)))
}

/** Step: the same for whoever may; false where everything is as it was. */
export async function changeRoleStep(step: Step, name: string, change: RoleChange): Promise<boolean> {
  const row = await lockRole(step, name)
  const { trust, tags, ...plain } = change
  const next = {
    ...row,
    ...plain,
    ...(trust === undefined ? {} : { trust: await keepTrust(step.tx, trust) }),
    ...(tags === undefined ? {} : { tags: JSON.stringify(tags) }),
  }
  const side = (one: store.RoleRow) => {
    const all = describe(one)
    return Object.fromEntries(Object.keys(change).map((field) => [field, all[field as keyof RoleChange]]))
  }
  return changed(step, row, { next, before: side(row), after: side(next) })
}

/** Changes a role's tags; `action` is what the caller has to be allowed. Throws not_found, and limit_reached for over 50. */
export async function changeTags(
  ctx: Ctx,
  name: string,
  action: string,
  change: (tags: readonly Tag[]) => readonly Tag[],
): Promise<void> {
  await roleFor(ctx, name, action)
  await ctx.act(async (step) => {
    const row = await lockRole(step, name)
    const { tags } = describe(row)
    const next = change(tags)
    if (next.length > MOST_TAGS) throw new ServiceError('limit_reached', `A role has ${MOST_TAGS} tags at most.`)
    const sides = { next: { ...row, tags: JSON.stringify(next) }, before: { tags }, after: { tags: next } }
    return (await changed(step, row, sides)) ? undefined : step.nothing(undefined)
  })
}

/** Step: saves what has changed of a role, and records it; false for nothing. */
async function changed(
  step: Step,
  row: store.RoleRow,
  { next, before, after }: { next: store.RoleRow; before: object; after: object },
): Promise<boolean> {
  const { tx, record } = step
  const { description, max_session_seconds, trust, tags } = next
  if (JSON.stringify(row) === JSON.stringify(next)) return false
  await store.updateRole(tx, row.id, { description, max_session_seconds, trust, tags })
  record({ name: 'role_update', resource: { type: 'role', id: row.id }, details: { name: row.name, before, after } })
  return true
}

async function lockRole({ tx }: Step, name: string): Promise<store.RoleRow> {
  const row = await store.lockRole(tx, keyOf(name))
  if (!row) throw roleMissing(name)
  return row
}

/** Deletes a role and ends its sessions. Throws not_found, and not_empty while it has policies. */
export const deleteRole = (ctx: Ctx, name: string): Promise<void> =>
  removeRole(ctx, name, async ({ tx }, owner) => {
    if (await hasPolicies(tx, owner))
      throw new ServiceError('not_empty', 'Cannot delete entity, must delete policies first.')
  })

/** Deletes a role with its policies, and ends its sessions. Throws not_found. */
export async function deleteRoleWhole(ctx: Ctx, name: string): Promise<void> {
  for (const action of ['iam:DeleteRolePolicy', 'iam:DetachRolePolicy']) await roleFor(ctx, name, action)
  await removeRole(ctx, name, ({ tx }, owner) => deletePoliciesOf(tx, owner))
}

async function removeRole(ctx: Ctx, name: string, first: (step: Step, owner: Owner) => Promise<void>): Promise<void> {
  await roleFor(ctx, name, 'iam:DeleteRole')
  await ctx.act(async (step) => {
    const row = await lockRole(step, name)
    await first(step, { kind: 'role', id: row.id })
    await store.deleteRole(step.tx, row.id)
    step.record({
      name: 'role_delete',
      resource: { type: 'role', id: row.id },
      details: { name: row.name, path: row.path },
    })
  })
}

/** The role that somebody wants to take on; undefined if there is none of this name. */
export const findRole = (ctx: Pick<Ctx, 'db'>, name: string): Promise<store.RoleRow | undefined> =>
  store.findRole(ctx.db, keyOf(name))

/** Throws MalformedPolicy for a policy of a session that is none, or too long. */
export function assertSessionPolicy(text: string): void {
  if (text.length > 2048) throw malformed('The policy of a session has 2048 characters at most')
  readPolicy(text, { of: 'identity' })
}
