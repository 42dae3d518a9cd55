// Policies of users, groups and roles, as the API shows and changes them.
import { ServiceError } from '../../../contract/errors.ts'
import type {
  IdentityPolicy,
  IdentityPolicyDetail,
  OwnerKind,
  operations,
} from '../../../contract/identity-policies.ts'
import type { Input, Reply } from '../../../contract/route.ts'
import { findGroupsByIds } from '../../access/groups/store.ts'
import { allowIam } from '../../access/identity-policies/allow-iam.ts'
import * as attached from '../../access/identity-policies/attached.ts'
import * as inline from '../../access/identity-policies/inline.ts'
import * as managed from '../../access/identity-policies/managed.ts'
import type { Owner } from '../../access/identity-policies/store.ts'
import { findRolesByIds } from '../../access/roles/store.ts'
import { findUsers } from '../../access/users/store.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import type { Ctx } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { policyArn, userNameOf } from '../../iam/names.ts'
import { inField } from '../permissions/describe.ts'
import { findOwner } from './owners.ts'
import { EVERYTHING, resourceOfArn } from './resources.ts'

/** Whose policies, as the API names them. */
interface Named {
  kind: OwnerKind
  owner: string
}
const MOST_OWNERS = 100
/** More than the inline policies of one owner can be, by their limit of characters. */
const MOST_INLINE = 1000

const describe = (policy: managed.ManagedPolicy): Omit<IdentityPolicy, 'attachments'> => ({
  id: policy.key,
  name: policy.name,
  path: policy.path,
  arn: policy.arn,
  description: policy.description,
  builtin: policy.isBuiltIn,
  version: policy.version,
  updated_at: policy.updated_at,
})

async function withAttachments(db: Db, policies: readonly managed.ManagedPolicy[]): Promise<IdentityPolicy[]> {
  const keys = policies.map(({ key }) => key)
  const counts = await attached.countAttachments(db, keys)
  return policies.map((one) => ({ ...describe(one), attachments: counts.get(one.key) ?? 0 }))
}

/** A page of the policies that can be attached. Throws forbidden. */
export async function listPolicies(
  { actor, db }: Ctx,
  { limit = 100, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Promise<{ items: IdentityPolicy[]; next_cursor: string | null }> {
  allowIam(actor, 'iam:ListPolicies', EVERYTHING)
  const [part = 'builtin', after = ''] = decodeCursor(cursor, 2) ?? []
  const builtIn = part === 'builtin' ? managed.listBuiltIn().filter(({ name }) => name.toLowerCase() > after) : []
  const wanted = limit + 1 - builtIn.length
  const created = wanted > 0 ? await managed.listCreated(db, '/', part === 'builtin' ? '' : after, wanted) : []
  const { page, next_cursor } = pageOf([...builtIn, ...created], limit, ({ isBuiltIn, name }) => [
    isBuiltIn ? 'builtin' : 'created',
    name.toLowerCase(),
  ])
  return { items: await withAttachments(db, page), next_cursor }
}

const policyMissing = () => new ServiceError('not_found', 'No such policy.')

/** A policy by its id, if the caller may ask for some actions on it. Throws forbidden and not_found. */
async function policyFor({ actor, db }: Ctx, id: string, ...actions: readonly string[]) {
  const [policy] = await managed.findByKeys(db, [id])
  const asked = policyArn({ name: id, path: '/' })
  const resource = { ...resourceOfArn(policy?.arn ?? asked), calledAs: asked }
  for (const action of actions) allowIam(actor, `iam:${action}`, resource)
  if (!policy) throw policyMissing()
  return policy
}

async function summary(ctx: Ctx, policy: managed.ManagedPolicy | undefined): Promise<IdentityPolicy> {
  const [described] = policy ? await withAttachments(ctx.db, [policy]) : []
  if (!described) throw policyMissing()
  return described
}

/** Creates a policy. Throws forbidden, already_exists, limit_reached, and invalid_request for what is none. */
export async function createPolicy(
  ctx: Ctx,
  { name, path = '/', description = '', document }: Input<(typeof operations)['createIdentityPolicy']>['body'],
): Promise<IdentityPolicy> {
  allowIam(ctx.actor, 'iam:CreatePolicy', resourceOfArn(policyArn({ name, path })))
  const made = await inField('body.document', document, () =>
    managed.createPolicy(ctx, { name, path, description, document }),
  )
  return summary(ctx, made)
}

/** A policy with its versions, and to whom it is attached. Throws forbidden and not_found. */
export async function getPolicy(ctx: Ctx, id: string): Promise<IdentityPolicyDetail> {
  const policy = await policyFor(ctx, id, 'GetPolicy', 'GetPolicyVersion', 'ListEntitiesForPolicy')
  const versions = await managed.listVersions(ctx.db, policy)
  return {
    ...(await summary(ctx, policy)),
    versions: versions.map(({ isDefault, ...version }) => ({ ...version, in_force: isDefault })),
    attached_to: await namesOf(ctx.db, await attached.listOwners(ctx.db, policy.key, undefined, MOST_OWNERS)),
  }
}

/** Owners as the API names them: roles by name. */
async function namesOf(db: Db, owners: readonly Owner[]): Promise<IdentityPolicyDetail['attached_to']> {
  const idsOf = (kind: OwnerKind) => owners.filter((one) => one.kind === kind).map(({ id }) => id)
  const users = await findUsers(db, idsOf('user'))
  const groups = await findGroupsByIds(db, idsOf('group'))
  const roles = await findRolesByIds(db, idsOf('role'))
  return [
    ...groups.map(({ id, name }) => ({ kind: 'group' as const, id, name })),
    ...roles.map(({ name }) => ({ kind: 'role' as const, id: name, name })),
    ...users.map(({ id, email }) => ({ kind: 'user' as const, id, name: userNameOf(email) })),
  ]
}

/** Puts a new document in force, or a version that there is. Throws forbidden, not_found, and invalid_request for what is no policy. */
export async function updatePolicy(
  ctx: Ctx,
  id: string,
  change: { document: string } | { version: number },
): Promise<IdentityPolicy> {
  const isNew = 'document' in change
  const actions = isNew ? ['CreatePolicyVersion', 'SetDefaultPolicyVersion'] : ['SetDefaultPolicyVersion']
  const { arn, key } = await policyFor(ctx, id, ...actions)
  if (isNew) {
    const { document } = change
    const version = { document, isDefault: true, dropOldest: true }
    await inField('body.document', document, () => managed.createVersion(ctx, arn, version))
  } else await managed.setDefaultVersion(ctx, arn, change.version)
  const [policy] = await managed.findByKeys(ctx.db, [key])
  return summary(ctx, policy)
}

/** Deletes a policy with its versions. Throws forbidden, not_found, and not_empty while it is attached. */
export async function deletePolicy(ctx: Ctx, id: string): Promise<undefined> {
  const { arn } = await policyFor(ctx, id, 'DeletePolicy', 'DeletePolicyVersion')
  return managed.deletePolicy(ctx, arn, true)
}

/** The policies of an owner. Throws forbidden and not_found. */
export async function getPoliciesOf(ctx: Ctx, named: Named): Promise<Reply<(typeof operations)['getPoliciesOf']>> {
  const owner = await findOwner(ctx, named, 'List?Policies', 'ListAttached?Policies')
  return {
    name: owner.name,
    inline: await inline.listInlinePolicies(ctx.db, owner, '', MOST_INLINE),
    attached: (await attached.listAttachedPolicies(ctx.db, owner, '', attached.MOST_ATTACHED)).map(describe),
  }
}

/** A policy of an owner's own. Throws forbidden and not_found. */
export async function getInline(ctx: Ctx, { name, ...named }: Named & { name: string }): Promise<{ document: string }> {
  const owner = await findOwner(ctx, named, 'Get?Policy')
  return { document: await inline.getInlinePolicy(ctx.db, owner, name) }
}

/** Gives an owner a policy of their own. Throws forbidden, not_found, limit_reached, and invalid_request for what is no policy. */
export async function putInline(
  ctx: Ctx,
  { name, ...named }: Named & { name: string },
  document: string,
): Promise<{ document: string }> {
  const owner = await findOwner(ctx, named, 'Put?Policy')
  await inField('body.document', document, () => inline.putInlinePolicy(ctx, owner, name, document))
  return { document }
}

/** Deletes a policy of an owner's own. Throws forbidden and not_found. */
export async function deleteInline(ctx: Ctx, { name, ...named }: Named & { name: string }): Promise<undefined> {
  return inline.deleteInlinePolicy(ctx, await findOwner(ctx, named, 'Delete?Policy'), name)
}

/** The ARN of a policy that is to be attached or detached; whether there is one is for those who may. */
async function arnOf({ db }: Ctx, id: string): Promise<string> {
  const [policy] = await managed.findByKeys(db, [id])
  if (!policy) throw policyMissing()
  return policy.arn
}

/** Attaches a policy. Throws forbidden, not_found and limit_reached. */
export async function attach(ctx: Ctx, { policy, ...named }: Named & { policy: string }): Promise<undefined> {
  const owner = await findOwner(ctx, named, 'Attach?Policy')
  return attached.attachPolicy(ctx, owner, await arnOf(ctx, policy))
}

/** Detaches a policy. Throws forbidden and not_found. */
export async function detach(ctx: Ctx, { policy, ...named }: Named & { policy: string }): Promise<undefined> {
  const owner = await findOwner(ctx, named, 'Detach?Policy')
  return attached.detachPolicy(ctx, owner, await arnOf(ctx, policy))
}
