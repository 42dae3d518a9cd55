// IAM's actions on roles (https://docs.aws.amazon.com/IAM/latest/APIReference/API_Operations.html).
import { roleArn } from '../../../../access/roles/arn.ts'
import * as roles from '../../../../access/roles/service.ts'
import { type Element, element } from '../../answers/xml.ts'
import { IAM, type QueryAction, type QueryCall } from '../action.ts'
import { actionsOnPoliciesOf } from '../iam/owned-policies.ts'
import { PAGED } from '../iam/pages.ts'
import type { OwnerKind } from '../iam/subjects.ts'
import type { Parameters } from '../parameters.ts'
import { tagKeysIn, tagsElement, tagsIn } from '../tags.ts'

const WORD = /^[\w+=,.@-]+$/
const NAME = { most: 64, pattern: WORD }
const PATH = { most: 512, pattern: /^(\/|\/[\x21-\x7e]+\/)$/ }
const PATH_PREFIX = { most: 512, pattern: /^\/[\x21-\x7e]*$/ }
const DOCUMENT = { most: 131_072, pattern: /^[\t\n\r\x20-\xff]+$/ }
const DESCRIPTION = { least: 0, most: 1000, pattern: /^[\t\n\r\x20-\x7e\xa1-\xff]*$/ }
const SESSION = { least: 3600, most: 43_200 }
const MOST_ITEMS = 1000
const USUAL_ITEMS = 100

const nameIn = (parameters: Parameters): string => parameters.required('RoleName', NAME)
/** Policies are told in percent-encoding (RFC 3986). */
const document = (name: string, text: string): Element => element(name, encodeURIComponent(text))

const contentsOf = (role: roles.Role): Element[] => [
  element('Path', role.path),
  element('RoleName', role.name),
  element('RoleId', role.id),
  element('Arn', roleArn(role)),
  element('CreateDate', role.created_at),
  document('AssumeRolePolicyDocument', role.trust),
  ...(role.description === '' ? [] : [element('Description', role.description)]),
  element('MaxSessionDuration', String(role.max_session_seconds)),
]

/** A page of a list that is told in whole. */
const whole = (name: string, texts: readonly string[]): Element[] => [
  element(name, ...texts.map((text) => element('member', text))),
  element('IsTruncated', 'false'),
]

async function create({ ctx, parameters }: QueryCall): Promise<Element[]> {
  const role = await roles.createRole(ctx, {
    name: nameIn(parameters),
    path: parameters.optional('Path', PATH) ?? '/',
    description: parameters.optional('Description', DESCRIPTION) ?? '',
    trust: parameters.required('AssumeRolePolicyDocument', DOCUMENT),
    tags: tagsIn(parameters),
    max_session_seconds: parameters.number('MaxSessionDuration', SESSION) ?? SESSION.least,
  })
  return [element('Role', ...contentsOf(role), ...(role.tags.length === 0 ? [] : [tagsElement(role.tags)]))]
}

async function get({ ctx, parameters }: QueryCall): Promise<Element[]> {
  const role = await roles.getRole(ctx, nameIn(parameters))
  return [element('Role', ...contentsOf(role), tagsElement(role.tags))]
}

async function list({ ctx, parameters }: QueryCall): Promise<Element[]> {
  const { items, next } = await roles.listRoles(ctx, {
    path: parameters.optional('PathPrefix', PATH_PREFIX) ?? '/',
    after: parameters.optional('Marker', { most: 320, pattern: WORD }),
    limit: parameters.number('MaxItems', { least: 1, most: MOST_ITEMS }) ?? USUAL_ITEMS,
  })
  return [
    element('Roles', ...items.map((role) => element('member', ...contentsOf(role)))),
    element('IsTruncated', String(next !== null)),
    ...(next === null ? [] : [element('Marker', next)]),
  ]
}

async function update({ ctx, parameters }: QueryCall): Promise<Element[]> {
  const description = parameters.optional('Description', DESCRIPTION)
  const seconds = parameters.number('MaxSessionDuration', SESSION)
  const change = {
    ...(description === undefined ? {} : { description }),
    ...(seconds === undefined ? {} : { max_session_seconds: seconds }),
  }
  await roles.updateRole(ctx, nameIn(parameters), change, 'iam:UpdateRole')
  return []
}

async function describeAnew({ ctx, parameters }: QueryCall): Promise<Element[]> {
  const name = nameIn(parameters)
  const action = 'iam:UpdateRoleDescription'
  await roles.updateRole(ctx, name, { description: parameters.required('Description', DESCRIPTION) }, action)
  return [element('Role', ...contentsOf(await roles.getRole(ctx, name, action)))]
}

async function setTrust({ ctx, parameters }: QueryCall): Promise<undefined> {
  const trust = parameters.required('PolicyDocument', DOCUMENT)
  await roles.updateRole(ctx, nameIn(parameters), { trust }, 'iam:UpdateAssumeRolePolicy')
  return undefined
}

async function remove({ ctx, parameters }: QueryCall): Promise<undefined> {
  await roles.deleteRole(ctx, nameIn(parameters))
  return undefined
}

async function tag({ ctx, parameters }: QueryCall): Promise<undefined> {
  const [name, added] = [nameIn(parameters), tagsIn(parameters)]
  const set = new Set(added.map(({ Key }) => Key))
  await roles.changeTags(ctx, name, 'iam:TagRole', (tags) => [...tags.filter(({ Key }) => !set.has(Key)), ...added])
  return undefined
}

async function untag({ ctx, parameters }: QueryCall): Promise<undefined> {
  const keys = new Set(tagKeysIn(parameters))
  await roles.changeTags(ctx, nameIn(parameters), 'iam:UntagRole', (tags) => tags.filter(({ Key }) => !keys.has(Key)))
  return undefined
}

async function listTags({ ctx, parameters }: QueryCall): Promise<Element[]> {
  const { tags } = await roles.getRole(ctx, nameIn(parameters), 'iam:ListRoleTags')
  return [tagsElement(tags), element('IsTruncated', 'false')]
}

/** There are no instances: no role is in a profile of any. */
async function listProfiles({ ctx, parameters }: QueryCall): Promise<Element[]> {
  await roles.getRole(ctx, nameIn(parameters), 'iam:ListInstanceProfilesForRole')
  return whole('InstanceProfiles', [])
}

/** Roles as owners of policies. */
const ROLE: OwnerKind = {
  name: 'Role',
  parameter: 'RoleName',
  async find({ ctx, action, parameters }) {
    const { id, name } = await roles.getRole(ctx, nameIn(parameters), `iam:${action.name}`)
    return { kind: 'role', id, name }
  },
}

/** Every action on roles that is supported. */
export const roleActions: readonly QueryAction[] = [
  ...actionsOnPoliciesOf(ROLE),
  {
    name: 'CreateRole',
    api: IAM,
    accepts: ['RoleName', 'Path', 'Description', 'AssumeRolePolicyDocument', 'MaxSessionDuration', 'Tags'],
    run: create,
  },
  { name: 'GetRole', api: IAM, accepts: ['RoleName'], run: get },
  { name: 'ListRoles', api: IAM, accepts: ['PathPrefix', ...PAGED], run: list },
  { name: 'UpdateRole', api: IAM, accepts: ['RoleName', 'Description', 'MaxSessionDuration'], run: update },
  { name: 'UpdateRoleDescription', api: IAM, accepts: ['RoleName', 'Description'], run: describeAnew },
  { name: 'UpdateAssumeRolePolicy', api: IAM, accepts: ['RoleName', 'PolicyDocument'], run: setTrust },
  { name: 'DeleteRole', api: IAM, accepts: ['RoleName'], run: remove },
  { name: 'TagRole', api: IAM, accepts: ['RoleName', 'Tags'], run: tag },
  { name: 'UntagRole', api: IAM, accepts: ['RoleName', 'TagKeys'], run: untag },
  { name: 'ListRoleTags', api: IAM, accepts: ['RoleName', ...PAGED], run: listTags },
  { name: 'ListInstanceProfilesForRole', api: IAM, accepts: ['RoleName', ...PAGED], run: listProfiles },
]
