import { api } from '../../../../contract/index.ts'
import * as roles from '../../../features/identities/roles.ts'
import { handle } from '../handle.ts'

export const roleRoutes = [
  handle(api.listRoles, (ctx, { query }) => roles.listRoles(ctx, query)),
  handle(api.createRole, (ctx, { body }) => roles.createRole(ctx, body)),
  handle(api.getRole, (ctx, { params }) => roles.getRole(ctx, params.role)),
  handle(api.updateRole, (ctx, { params, body }) => roles.updateRole(ctx, params.role, body)),
  handle(api.deleteRole, (ctx, { params }) => roles.deleteRole(ctx, params.role)),
  handle(api.listOidcProviders, (ctx) => roles.listProviders(ctx)),
  handle(api.createOidcProvider, (ctx, { body }) => roles.createProvider(ctx, body)),
  handle(api.updateOidcProvider, (ctx, { body }) => roles.updateProvider(ctx, body)),
  handle(api.deleteOidcProvider, (ctx, { query }) => roles.deleteProvider(ctx, query.issuer)),
]
