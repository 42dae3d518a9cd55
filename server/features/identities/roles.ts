// Roles, and the identity providers whose tokens open them, as the API shows and changes them.
import type { OidcProvider, operations, Role } from '../../../contract/roles.ts'
import type { Input } from '../../../contract/route.ts'
import { allowIam } from '../../access/identity-policies/allow-iam.ts'
import * as providers from '../../access/oidc-providers/providers.ts'
import { providerArn, providerResource, roleArn } from '../../access/roles/arn.ts'
import * as roles from '../../access/roles/service.ts'
import { endSessions } from '../../access/session-ends/revoke.ts'
import { decodeCursor, encodeCursor } from '../../base/cursor.ts'
import type { Ctx } from '../../context.ts'
import { inField } from '../permissions/describe.ts'

type Body<O extends 'createRole' | 'updateRole' | 'createOidcProvider' | 'updateOidcProvider'> = Input<
  (typeof operations)[O]
>['body']

const USUAL_SECONDS = 3600

const describe = ({ tags, ...role }: roles.Role): Role => ({
  ...role,
  arn: roleArn(role),
  tags: Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value])),
})

const tagsIn = (tags: { [key: string]: string }): roles.Tag[] =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))

/** A page of roles, by name. Throws forbidden. */
export async function listRoles(
  ctx: Ctx,
  { limit = 100, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Promise<{ items: Role[]; next_cursor: string | null }> {
  const [after] = decodeCursor(cursor, 1) ?? []
  const { items, next } = await roles.listRoles(ctx, { path: '/', after, limit })
  return { items: items.map(describe), next_cursor: next === null ? null : encodeCursor([next]) }
}

/** A role. Throws forbidden and not_found. */
export const getRole = async (ctx: Ctx, name: string): Promise<Role> => describe(await roles.getRole(ctx, name))

/** Creates a role. Throws forbidden, already_exists, limit_reached, and invalid_request for what is no trust policy. */
export async function createRole(
  ctx: Ctx,
  { path = '/', description = '', tags = {}, max_session_seconds = USUAL_SECONDS, ...role }: Body<'createRole'>,
): Promise<Role> {
  const made = { ...role, path, description, tags: tagsIn(tags), max_session_seconds }
  return describe(await inField('body.trust', role.trust, () => roles.createRole(ctx, made)))
}

/** Changes a role. Throws forbidden, not_found, and invalid_request for what is no trust policy. */
export async function updateRole(ctx: Ctx, name: string, { tags, ...body }: Body<'updateRole'>): Promise<Role> {
  const { trust, description, max_session_seconds } = body
  const actions = [
    ...(description === undefined && max_session_seconds === undefined ? [] : ['iam:UpdateRole']),
    ...(trust === undefined ? [] : ['iam:UpdateAssumeRolePolicy']),
    ...(tags === undefined ? [] : ['iam:TagRole', 'iam:UntagRole']),
  ]
  const change = { ...body, ...(tags === undefined ? {} : { tags: tagsIn(tags) }) }
  await inField('body.trust', trust ?? '', () => roles.updateRole(ctx, name, change, ...actions))
  return describe(await roles.getRole(ctx, name, actions[0]))
}

/** Deletes a role with its policies; its sessions end. Throws forbidden and not_found. */
export async function deleteRole(ctx: Ctx, name: string): Promise<undefined> {
  await roles.deleteRoleWhole(ctx, name)
  return undefined
}

const describeProvider = ({ issuer, key, audiences, own, created_at }: providers.Provider): OidcProvider => ({
  issuer,
  key,
  arn: providerArn(key),
  audiences: [...audiences],
  own: own !== null,
  created_at,
})

/** All identity providers, the service's own with them. Throws forbidden. */
export async function listProviders(ctx: Ctx): Promise<{ items: OidcProvider[] }> {
  const all = await providers.listProviders(ctx)
  for (const { key } of all) allowIam(ctx.actor, 'iam:GetOpenIDConnectProvider', providerResource(key))
  return { items: all.map(describeProvider) }
}

/** Registers an identity provider. Throws forbidden, already_exists and limit_reached. */
export async function createProvider(
  ctx: Ctx,
  { issuer, audiences = [] }: Body<'createOidcProvider'>,
): Promise<OidcProvider> {
  return describeProvider(await providers.createProvider(ctx, { issuer, audiences, thumbprints: [], tags: [] }))
}

/** Sets for which clients tokens of a registered provider count. Throws forbidden and not_found. */
export async function updateProvider(
  ctx: Ctx,
  { issuer, audiences }: Body<'updateOidcProvider'>,
): Promise<OidcProvider> {
  const key = providers.issuerKeyOf(issuer)
  const change = { audiences: () => audiences }
  await providers.updateProvider(
    ctx,
    key,
    change,
    'iam:AddClientIDToOpenIDConnectProvider',
    'iam:RemoveClientIDFromOpenIDConnectProvider',
  )
  return describeProvider(await providers.getProvider(ctx, key, 'iam:AddClientIDToOpenIDConnectProvider'))
}

/** Removes a registered provider, and ends the sessions that its tokens have opened. Throws forbidden and not_found. */
export async function deleteProvider(ctx: Ctx, issuer: string): Promise<undefined> {
  await removeProvider(ctx, providers.issuerKeyOf(issuer))
  return undefined
}

/** The same, by the issuer without its scheme. */
export const removeProvider = (ctx: Ctx, key: string): Promise<void> =>
  providers.deleteProvider(ctx, key, async (step) => (await endSessions(step, { issuerKey: key })).open)
