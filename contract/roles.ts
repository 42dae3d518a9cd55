import Type from 'typebox'
import { PolicyDocument, RoleName } from './access-policies.ts'
import { route } from './route.ts'
import { BucketTags, Cursor, Exactly, Limit, Nullable, Page, Timestamp } from './shapes.ts'
import { Lines, Opaque } from './texts.ts'

/** How long sessions of a role may last: from that of the shortest session on, which IAM's own calls do not allow. */
export const MaxSessionSeconds = Type.Integer({
  minimum: 900,
  maximum: 43_200,
  description: 'How long a session lasts at most, and by default if that is less than an hour.',
})
/** What groups names of IAM: `/` or `/ci/`. */
export const IamPath = Type.String({ maxLength: 512, pattern: '^(/|/[!-~]+/)$', examples: ['/ci/'] })

export const Role = Type.Object({
  id: Type.String(),
  name: Type.String(),
  path: Type.String(),
  arn: Type.String({ description: 'What programs name it by.' }),
  description: Type.String(),
  trust: Type.String({ description: 'The policy that says who may take it on.' }),
  max_session_seconds: Type.Integer(),
  tags: Type.Record(Type.String(), Type.String()),
  created_at: Timestamp,
})
export type Role = Type.Static<typeof Role>

const byName = Type.Object({ role: RoleName })
const one = { url: '/roles/{role}', tag: 'roles', access: 'signed_in', ofAccount: true, params: byName } as const
const needs = (...actions: string[]) =>
  `Needs an administrator, or a policy that allows ${actions.map((action) => `\`iam:${action}\``).join(', ')}.`

export const OidcProvider = Type.Object({
  issuer: Type.String(),
  key: Type.String({ description: 'The issuer without its scheme, as policies and conditions name it.' }),
  arn: Type.String(),
  audiences: Type.Array(Type.String(), {
    description: 'The clients whose tokens count; of any where there are none.',
  }),
  own: Type.Boolean({ description: 'The service’s own, with which people sign in.' }),
  created_at: Nullable(Timestamp, { description: 'Null of the service’s own, unless it is registered as well.' }),
})
export type OidcProvider = Type.Static<typeof OidcProvider>

const Audiences = Type.Array(Opaque(255), { maxItems: 100, uniqueItems: true })
const Issuer = Type.String({ maxLength: 255, pattern: '^https?:///*[^\\s?#@/][^\\s?#@]*$' })
const providers = { url: '/oidc-providers', tag: 'roles', access: 'signed_in', ofAccount: true } as const

export const operations = {
  listRoles: route({
    method: 'GET',
    url: '/roles',
    tag: 'roles',
    summary: 'List roles by name',
    description: needs('ListRoles'),
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Page(Role),
  }),

  createRole: route({
    method: 'POST',
    url: '/roles',
    tag: 'roles',
    summary: 'Create a role, which programs take on with the token that they have',
    description: `Its trust policy says who may; its policies, which it is given next, what it may. ${needs('CreateRole')}`,
    access: 'signed_in',
    ofAccount: true,
    status: 201,
    body: Exactly({
      name: RoleName,
      path: Type.Optional(IamPath),
      description: Type.Optional(Lines(1000)),
      trust: PolicyDocument,
      max_session_seconds: Type.Optional(MaxSessionSeconds),
      tags: Type.Optional(BucketTags),
    }),
    reply: Role,
    errors: ['already_exists', 'invalid_request', 'limit_reached'],
    records: ['role_create'],
  }),

  getRole: route({
    ...one,
    method: 'GET',
    summary: 'Get a role',
    description: needs('GetRole'),
    status: 200,
    reply: Role,
    errors: ['not_found'],
  }),

  updateRole: route({
    ...one,
    method: 'PATCH',
    summary: 'Change a role',
    description: `Takes effect on the next request. ${needs('UpdateRole')} The trust policy needs \`iam:UpdateAssumeRolePolicy\`, tags \`iam:TagRole\` and \`iam:UntagRole\`.`,
    status: 200,
    body: Exactly(
      {
        description: Type.Optional(Lines(1000)),
        trust: Type.Optional(PolicyDocument),
        max_session_seconds: Type.Optional(MaxSessionSeconds),
        tags: Type.Optional(BucketTags),
      },
      { minProperties: 1 },
    ),
    reply: Role,
    errors: ['not_found', 'invalid_request'],
    records: ['role_update'],
  }),

  deleteRole: route({
    ...one,
    method: 'DELETE',
    summary: 'Delete a role with its policies, and end its sessions',
    description: needs('DeleteRole', 'DeleteRolePolicy', 'DetachRolePolicy'),
    status: 204,
    errors: ['not_found'],
    records: ['role_delete'],
  }),

  listOidcProviders: route({
    ...providers,
    method: 'GET',
    summary: 'List the identity providers whose tokens open sessions',
    description: `There are 100 at most. ${needs('ListOpenIDConnectProviders', 'GetOpenIDConnectProvider')}`,
    status: 200,
    reply: Type.Object({ items: Type.Array(OidcProvider) }),
  }),

  createOidcProvider: route({
    ...providers,
    method: 'POST',
    summary: 'Register an identity provider: of a cluster, GitHub, GitLab',
    description: `Its keys are found by discovery. ${needs('CreateOpenIDConnectProvider')}`,
    status: 201,
    body: Exactly({ issuer: Issuer, audiences: Type.Optional(Audiences) }),
    reply: OidcProvider,
    errors: ['already_exists', 'invalid_request', 'limit_reached'],
    records: ['oidc_provider_create'],
  }),

  updateOidcProvider: route({
    ...providers,
    method: 'PATCH',
    summary: 'Set for which clients tokens of an identity provider count',
    description: needs('AddClientIDToOpenIDConnectProvider', 'RemoveClientIDFromOpenIDConnectProvider'),
    status: 200,
    body: Exactly({ issuer: Issuer, audiences: Audiences }),
    reply: OidcProvider,
    errors: ['not_found', 'invalid_request'],
    records: ['oidc_provider_update'],
  }),

  deleteOidcProvider: route({
    ...providers,
    method: 'DELETE',
    summary: 'Remove an identity provider, and end the sessions that its tokens opened',
    description: needs('DeleteOpenIDConnectProvider'),
    status: 204,
    query: Exactly({ issuer: Issuer }),
    errors: ['not_found'],
    records: ['oidc_provider_delete'],
  }),
}
