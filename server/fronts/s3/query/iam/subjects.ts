// Whom and what requests to IAM are about, once the caller is permitted to ask about it.
import { findGroupNamed } from '../../../../access/groups/by-path.ts'
import { allowIam } from '../../../../access/identity-policies/allow-iam.ts'
import type { NamedOwner } from '../../../../access/identity-policies/inline.ts'
import { findPolicy, type ManagedPolicy, policyMissing } from '../../../../access/identity-policies/managed.ts'
import type { Owner } from '../../../../access/identity-policies/store.ts'
import { CANONICAL_ID, findUserNamed } from '../../../../access/users/service-accounts.ts'
import { findUser } from '../../../../access/users/store.ts'
import type { Step } from '../../../../context.ts'
import type { Row } from '../../../../db/schema.ts'
import { assertMayChangePolicies, confirmedOwner, ctxIn } from '../../../../features/identities/owners.ts'
import { resourceOfArn } from '../../../../features/identities/resources.ts'
import type { IamResource } from '../../../../iam/decide-iam.ts'
import { groupArn, userArn, userNameOf } from '../../../../iam/names.ts'
import { type Element, element, xmlTime } from '../../answers/xml.ts'
import type { QueryCall } from '../action.ts'
import { QueryError } from '../query-error.ts'
import { NAMED, POLICY_ARN } from './rules.ts'

/**
 * Throws forbidden unless the caller may ask for the request's action on something. The refusal names what was asked for,
 * `calledAs`: what was found tells more, such as the address of an id.
 */
export const permit = ({ ctx, action }: QueryCall, resource: IamResource, calledAs?: string): void =>
  allowIam(ctx.actor, `iam:${action.name}`, calledAs === undefined ? resource : { ...resource, calledAs })

const userMissing = (name: string) => new QueryError('NoSuchEntity', `The user with name ${name} cannot be found.`)
const groupMissing = (name: string) => new QueryError('NoSuchEntity', `The group with name ${name} cannot be found.`)

/** The user whom a request names by name, id or canonical id, or else the caller. Throws forbidden and NoSuchEntity. */
export async function userIn(call: QueryCall): Promise<Row<'users'>> {
  const { ctx, parameters } = call
  const name = parameters.optional('UserName', NAMED)
  if (name === undefined) return callerAsUser(call)
  const given = userArn({ email: name })
  // Finding a canonical id takes reading every user's.
  if (CANONICAL_ID.test(name)) permit(call, resourceOfArn(given))
  const row = await findUserNamed(ctx.db, name)
  permit(call, resourceOfArn(row ? userArn(row) : given, row && userNameOf(row.email) !== name ? [given] : []), given)
  if (!row) throw userMissing(name)
  return row
}

async function callerAsUser(call: QueryCall): Promise<Row<'users'>> {
  const { user_id } = call.ctx.actor
  const row = user_id === null ? undefined : await findUser(call.ctx.db, user_id)
  if (!row) throw new QueryError('ValidationError', 'Must specify userName when calling with non-User credentials')
  permit(call, resourceOfArn(userArn(row)))
  return row
}

/** The group that a request names by name or id. Throws forbidden and NoSuchEntity. */
export async function groupIn(call: QueryCall): Promise<Row<'groups'>> {
  const name = call.parameters.required('GroupName', NAMED)
  const row = await findGroupNamed(call.ctx.db, name)
  const given = groupArn({ name, path: '/' })
  permit(call, resourceOfArn(row ? groupArn(row) : given), given)
  if (!row) throw groupMissing(name)
  return row
}

/** The policy that a request names by its ARN. Throws forbidden and NoSuchEntity. */
export async function policyIn(call: QueryCall): Promise<ManagedPolicy> {
  const arn = call.parameters.required('PolicyArn', POLICY_ARN)
  permit(call, resourceOfArn(arn))
  const policy = await findPolicy(call.ctx.db, arn)
  if (!policy) throw policyMissing(arn)
  return policy
}

/** Who can have policies: how requests name them, and what IAM's actions about them are called after. */
export interface OwnerKind {
  name: 'User' | 'Group' | 'Role'
  parameter: 'UserName' | 'GroupName' | 'RoleName'
  /** Whom a request names. Throws unless the caller may do to them what it asks for. */
  find(call: QueryCall): Promise<Owner & { name: string }>
}

/** Step: a call as it is in a transaction, with the caller as they are now. */
export const callIn = async (call: QueryCall, step: Step): Promise<QueryCall> => ({
  ...call,
  ctx: await ctxIn(call.ctx, step),
})

/** Whom a request names, which is looked at again in the transaction that changes something of them. */
export const ownerIn = (call: QueryCall, find: OwnerKind['find']): Promise<NamedOwner> =>
  confirmedOwner(call.ctx, (ctx) => find({ ...call, ctx }))

export const OWNERS: readonly OwnerKind[] = [
  {
    name: 'User',
    parameter: 'UserName',
    async find(call) {
      call.parameters.required('UserName', NAMED)
      const { id, email } = await userIn(call)
      await assertMayChangePolicies(call.ctx, call.action.name, { kind: 'user', id })
      return { kind: 'user', id, name: userNameOf(email) }
    },
  },
  {
    name: 'Group',
    parameter: 'GroupName',
    async find(call) {
      const { id, name } = await groupIn(call)
      await assertMayChangePolicies(call.ctx, call.action.name, { kind: 'group', id })
      return { kind: 'group', id, name }
    },
  },
]

/** What IAM says of a user. */
export const userFields = (row: Row<'users'>, arn = userArn(row)): Element[] => [
  element('Path', row.path),
  element('UserName', userNameOf(row.email)),
  element('UserId', row.id),
  element('Arn', arn),
  element('CreateDate', xmlTime(row.created_at)),
]

/** What IAM says of a group. */
export const groupFields = (row: Row<'groups'>): Element[] => [
  element('Path', row.path),
  element('GroupName', row.name),
  element('GroupId', row.id),
  element('Arn', groupArn(row)),
  element('CreateDate', xmlTime(row.created_at)),
]
