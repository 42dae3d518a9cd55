// Who may call what is about roles, identity providers and the policies of users, groups and roles: administrators, as nobody here
// has a policy. tests/iam/identities.test.ts has those whom a policy allows it.
import type { Client } from '../../client/derived.ts'
import { newId } from '../../server/base/id.ts'
import type { Entry, Made } from './access.ts'

const ALLOW = JSON.stringify({ Version: '2012-10-17', Statement: { Effect: 'Allow', Action: 's3:*', Resource: '*' } })
const TRUST = JSON.stringify({
  Version: '2012-10-17',
  Statement: { Effect: 'Allow', Principal: { AWS: '*' }, Action: 'sts:AssumeRole' },
})
const newRole = () => ({ name: `Role-${newId()}`, trust: TRUST })
const roleOf = async ({ admin }: Made) => ({ role: (await admin.createRole({ body: newRole() })).name })
const newProvider = () => ({ issuer: `https://${newId()}.example.com` })
const issuerOf = async ({ admin }: Made) => ({
  issuer: (await admin.createOidcProvider({ body: newProvider() })).issuer,
})
const newPolicy = () => ({ name: newId(), document: ALLOW })
const policyOf = async ({ admin }: Made) => ({
  policy: (await admin.createIdentityPolicy({ body: newPolicy() })).id,
})
const ownerOf = async (made: Made) => ({ kind: 'group' as const, owner: await made.group() })
const inlineOf = async (made: Made) => {
  const params = { ...(await ownerOf(made)), name: 'own' }
  await made.admin.putInlinePolicy({ params, body: { document: ALLOW } })
  return params
}
const call = (work: (client: Client, made: Made) => Promise<unknown>, status = 200): Entry => ({
  expect: [401, 403, 403, 403, 403, status],
  call: work,
})

export const identities = {
  listRoles: call((c) => c.listRoles()),
  createRole: call((c) => c.createRole({ body: newRole() }), 201),
  getRole: call(async (c, made) => c.getRole({ params: await roleOf(made) })),
  updateRole: call(async (c, made) => c.updateRole({ params: await roleOf(made), body: { description: 'x' } })),
  deleteRole: call(async (c, made) => c.deleteRole({ params: await roleOf(made) }), 204),
  listOidcProviders: call((c) => c.listOidcProviders()),
  createOidcProvider: call((c) => c.createOidcProvider({ body: newProvider() }), 201),
  updateOidcProvider: call(async (c, made) =>
    c.updateOidcProvider({ body: { ...(await issuerOf(made)), audiences: ['x'] } }),
  ),
  deleteOidcProvider: call(async (c, made) => c.deleteOidcProvider({ query: await issuerOf(made) }), 204),
  listIdentityPolicies: call((c) => c.listIdentityPolicies()),
  createIdentityPolicy: call((c) => c.createIdentityPolicy({ body: newPolicy() }), 201),
  getIdentityPolicy: call(async (c, made) => c.getIdentityPolicy({ params: await policyOf(made) })),
  updateIdentityPolicy: call(async (c, made) =>
    c.updateIdentityPolicy({ params: await policyOf(made), body: { document: ALLOW } }),
  ),
  deleteIdentityPolicy: call(async (c, made) => c.deleteIdentityPolicy({ params: await policyOf(made) }), 204),
  getPoliciesOf: call(async (c, made) => c.getPoliciesOf({ params: await ownerOf(made) })),
  getInlinePolicy: call(async (c, made) => c.getInlinePolicy({ params: await inlineOf(made) })),
  putInlinePolicy: call(async (c, made) =>
    c.putInlinePolicy({ params: { ...(await ownerOf(made)), name: 'own' }, body: { document: ALLOW } }),
  ),
  deleteInlinePolicy: call(async (c, made) => c.deleteInlinePolicy({ params: await inlineOf(made) }), 204),
  attachPolicy: call(
    async (c, made) => c.attachPolicy({ params: { ...(await ownerOf(made)), policy: 'aws:readonly' } }),
    204,
  ),
  detachPolicy: call(async (c, made) => {
    const params = { ...(await ownerOf(made)), policy: 'aws:readonly' }
    await made.admin.attachPolicy({ params })
    return c.detachPolicy({ params })
  }, 204),
} satisfies { [operation: string]: Entry }
