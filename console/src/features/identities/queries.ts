import { readAll } from '../../api/pages.ts'
import { queries } from '../../api/queries.ts'
import { client } from '../../api/session.ts'

export const rolesQuery = {
  queryKey: ['roles'],
  queryFn: () => readAll((at) => client.listRoles({ query: { limit: 1000, ...at } })),
}
export const roleQuery = (role: string) => ({
  queryKey: ['roles', role],
  queryFn: () => client.getRole({ params: { role } }),
})
export const policiesQuery = {
  queryKey: ['identity-policies'],
  queryFn: () => readAll((at) => client.listIdentityPolicies({ query: { limit: 1000, ...at } })),
}
export const policyQuery = (policy: string) => ({
  queryKey: ['identity-policies', policy],
  queryFn: () => client.getIdentityPolicy({ params: { policy } }),
})
export const providersQuery = {
  queryKey: ['oidc-providers'],
  queryFn: async () => (await client.listOidcProviders()).items,
}

/** After a change of roles, of policies, or of what is attached to whom. */
export const refreshIdentities = () =>
  Promise.all(
    ['roles', 'identity-policies', 'policies-of', 'oidc-providers'].map((name) =>
      queries.invalidateQueries({ queryKey: [name] }),
    ),
  )
