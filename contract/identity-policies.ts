import Type from 'typebox'
import { PolicyDocument } from './access-policies.ts'
import { IamPath } from './roles.ts'
import { route } from './route.ts'
import { Cursor, Exactly, Limit, Nullable, Page, Timestamp } from './shapes.ts'
import { Lines } from './texts.ts'

/** A policy with a name of its own, which can be attached to many. */
export const IdentityPolicy = Type.Object({
  id: Type.String({ description: 'A UUIDv7; of a built-in one, `aws:` and its name.' }),
  name: Type.String(),
  path: Type.String(),
  arn: Type.String(),
  description: Type.String(),
  builtin: Type.Boolean({ description: 'Built in: it can be attached, but neither changed nor deleted.' }),
  version: Type.Integer({ description: 'Which of its versions is in force.' }),
  attachments: Type.Integer({ description: 'To how many it is attached.' }),
  updated_at: Nullable(Timestamp),
})
export type IdentityPolicy = Type.Static<typeof IdentityPolicy>

/** Who can have policies. */
export const ownerKinds = ['user', 'group', 'role'] as const
export type OwnerKind = (typeof ownerKinds)[number]
const OwnerKindName = Type.Enum([...ownerKinds])

export const IdentityPolicyDetail = Type.Object({
  ...IdentityPolicy.properties,
  versions: Type.Array(
    Type.Object({
      version: Type.Integer(),
      document: Type.String(),
      in_force: Type.Boolean(),
      created_at: Nullable(Timestamp),
    }),
    { description: 'Latest first; five at most.' },
  ),
  attached_to: Type.Array(Type.Object({ kind: OwnerKindName, id: Type.String(), name: Type.String() }), {
    description: 'The first hundred.',
  }),
})
export type IdentityPolicyDetail = Type.Static<typeof IdentityPolicyDetail>

/** What a policy is called. */
export const PolicyName = Type.String({ pattern: '^[\\w+=,.@-]{1,128}$', examples: ['site'] })
const PolicyId = Type.String({ pattern: '^[\\w:+=,.@-]{1,132}$', description: 'Its `id`.' })

const managed = { tag: 'identity-policies', access: 'signed_in', ofAccount: true } as const
const one = { ...managed, url: '/identity-policies/{policy}', params: Type.Object({ policy: PolicyId }) } as const
const Owner = {
  kind: OwnerKindName,
  owner: Type.String({
    pattern: '^[\\w+=,.@-]{1,64}$',
    description: 'The id of the user or group, or the name of the role.',
  }),
}
const inline = {
  ...managed,
  url: '/policies-of/{kind}/{owner}/inline/{name}',
  params: Type.Object({ ...Owner, name: PolicyName }),
} as const
const attached = {
  ...managed,
  url: '/policies-of/{kind}/{owner}/attached/{policy}',
  params: Type.Object({ ...Owner, policy: PolicyId }),
} as const
const needs = (...actions: string[]) =>
  `Needs an administrator, or a policy that allows ${actions.map((action) => `\`iam:${action}\``).join(', ')}.`

export const operations = {
  listIdentityPolicies: route({
    ...managed,
    method: 'GET',
    url: '/identity-policies',
    summary: 'List the policies that can be attached, the built-in ones first',
    description: needs('ListPolicies'),
    status: 200,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(IdentityPolicy),
  }),

  createIdentityPolicy: route({
    ...managed,
    method: 'POST',
    url: '/identity-policies',
    summary: 'Create a policy that can be attached to users, groups and roles',
    description: needs('CreatePolicy'),
    status: 201,
    body: Exactly({
      name: PolicyName,
      path: Type.Optional(IamPath),
      description: Type.Optional(Lines(1000)),
      document: PolicyDocument,
    }),
    reply: IdentityPolicy,
    errors: ['already_exists', 'invalid_request', 'limit_reached'],
    records: ['identity_policy_create'],
  }),

  getIdentityPolicy: route({
    ...one,
    method: 'GET',
    summary: 'Get a policy with its versions, and to whom it is attached',
    description: needs('GetPolicy', 'GetPolicyVersion', 'ListEntitiesForPolicy'),
    status: 200,
    reply: IdentityPolicyDetail,
    errors: ['not_found'],
  }),

  updateIdentityPolicy: route({
    ...one,
    method: 'PATCH',
    summary: 'Change a policy: to a new document, or back to one of its versions',
    description: `Takes effect on the next request of everyone whom it is attached to. A new document is a new version; of five, the oldest that is not in force goes. ${needs('CreatePolicyVersion', 'SetDefaultPolicyVersion')}`,
    status: 200,
    body: Type.Union([
      Exactly({ document: PolicyDocument }),
      Exactly({ version: Type.Integer({ minimum: 1, maximum: 999_999_999 }) }),
    ]),
    reply: IdentityPolicy,
    errors: ['not_found', 'invalid_request'],
    records: ['identity_policy_update'],
  }),

  deleteIdentityPolicy: route({
    ...one,
    method: 'DELETE',
    summary: 'Delete a policy that is attached to nobody, with all its versions',
    description: needs('DeletePolicy', 'DeletePolicyVersion'),
    status: 204,
    errors: ['not_found', 'not_empty'],
    records: ['identity_policy_delete'],
  }),

  getPoliciesOf: route({
    ...managed,
    method: 'GET',
    url: '/policies-of/{kind}/{owner}',
    summary: 'Get the policies of a user, a group or a role: their own, and those that are attached',
    description: needs('ListUserPolicies', 'ListAttachedUserPolicies'),
    status: 200,
    params: Type.Object(Owner),
    reply: Type.Object({
      name: Type.String({ description: 'Whose they are.' }),
      inline: Type.Array(Type.String(), { description: 'The names of their own.' }),
      attached: Type.Array(Type.Omit(IdentityPolicy, ['attachments'])),
    }),
    errors: ['not_found'],
  }),

  getInlinePolicy: route({
    ...inline,
    method: 'GET',
    summary: 'Get a policy of a user’s, a group’s or a role’s own',
    description: needs('GetUserPolicy'),
    status: 200,
    reply: Type.Object({ document: Type.String() }),
    errors: ['not_found'],
  }),

  putInlinePolicy: route({
    ...inline,
    method: 'PUT',
    summary: 'Give a user, a group or a role a policy of their own',
    description: `In place of one of the same name. Takes effect on the next request. ${needs('PutUserPolicy')}`,
    status: 200,
    body: Exactly({ document: PolicyDocument }),
    reply: Type.Object({ document: Type.String() }),
    errors: ['not_found', 'invalid_request', 'limit_reached'],
    records: ['identity_policy_create', 'identity_policy_update'],
  }),

  deleteInlinePolicy: route({
    ...inline,
    method: 'DELETE',
    summary: 'Delete a policy of a user’s, a group’s or a role’s own',
    description: needs('DeleteUserPolicy'),
    status: 204,
    errors: ['not_found'],
    records: ['identity_policy_delete'],
  }),

  attachPolicy: route({
    ...attached,
    method: 'PUT',
    summary: 'Attach a policy to a user, a group or a role',
    description: needs('AttachUserPolicy'),
    status: 204,
    errors: ['not_found', 'limit_reached'],
    records: ['identity_policy_attach'],
  }),

  detachPolicy: route({
    ...attached,
    method: 'DELETE',
    summary: 'Detach a policy from a user, a group or a role',
    description: needs('DetachUserPolicy'),
    status: 204,
    errors: ['not_found'],
    records: ['identity_policy_detach'],
  }),
}
