import type { Fault } from '../../../../contract/errors.ts'
import type { ScopeEntry } from '../../../../contract/permissions.ts'
import { unsealSecret } from '../../../access/access-keys/secret.ts'
import { importAccessKey, revokeAccessKey, updateAccessKey } from '../../../access/access-keys/service.ts'
import { findNamedKey, listNamedKeys, type NamedKey } from '../../../access/access-keys/store.ts'
import { keyPoliciesOf, keyPolicyOf } from '../../../access/identity-policies/of-key.ts'
import { scopeOf } from '../../../access/sessions/scope.ts'
import { emailKey } from '../../../access/users/service.ts'
import { findByEmailKey } from '../../../access/users/store.ts'
import type { Ctx } from '../../../context.ts'
import { type EntryOf, type Existing, inOrder, type Kind, required, unknownName } from '../kind.ts'
import { effectsOfDocument, faultsOfDocument, policyText } from './documents.ts'

type Entry = EntryOf<'access_keys'>

const PAGE = 500

export const accessKeys: Kind<Entry> = {
  kind: 'access_keys',
  named: 'access_key_id',
  sameName: (id) => id,
  fixed: { user: 'cannot be changed: give the other user a key with another ID' },
  defaults: { scope: null, expires_at: null, policy: null },
  normal: ({ scope, user, expires_at, ...entry }) => ({
    ...entry,
    ...(user === undefined ? {} : { user: emailKey(user) }),
    ...(scope === undefined ? {} : { scope: scope && normalScope(scope) }),
    ...(expires_at === undefined ? {} : { expires_at: expires_at && new Date(expires_at).toISOString() }),
  }),
  async check(ctx, entry, { before, references }): Promise<Fault[]> {
    const { user, policy } = entry
    return [
      ...(before ? [] : required(entry, 'user', 'secret_access_key')),
      ...(user === undefined || (await references.has('users', user)) ? [] : [unknownName('user', 'user', user)]),
      ...(policy ? await faultsOfDocument(ctx, policyText(policy), { of: 'identity', at: 'body.policy' }) : []),
    ]
  },
  async find(ctx, accessKeyId) {
    const row = await findNamedKey(ctx.db, accessKeyId)
    return row && existing(ctx, row, await keyPolicyOf(ctx.db, row.id))
  },
  async *list(ctx) {
    for (let after = ''; ; ) {
      const rows = await listNamedKeys(ctx.db, after, PAGE)
      const policies = await keyPoliciesOf(
        ctx.db,
        rows.map(({ id }) => id),
      )
      for (const row of rows) yield existing(ctx, row, policies.get(row.id) ?? null)
      after = rows.at(-1)?.id ?? after
      if (rows.length < PAGE) return
    }
  },
  async create(ctx, { access_key_id: accessKeyId, secret_access_key: secret = '', user = '', ...entry }) {
    const { name = accessKeyId, scope, policy, expires_at } = entry
    const owner = await findByEmailKey(ctx.db, emailKey(user))
    const limits = { scope, policy: policy && policyText(policy), expires_at }
    return importAccessKey(ctx, owner?.id ?? '', { name, accessKeyId, secret, ...limits })
  },
  effects: (ctx, { policy }) => effectsOfKeyPolicy(ctx, policy),
}

const normalScope = (scope: NonNullable<Entry['scope']> | readonly ScopeEntry[]) =>
  scope.map(({ bucket, prefix = '', actions }) => ({ bucket, prefix, actions: inOrder(actions) }))

async function effectsOfKeyPolicy(ctx: Ctx, policy: Entry['policy']): Promise<string[]> {
  if (policy === undefined) return []
  if (policy === null) return ['It is not limited by its policy any more.']
  const said = await effectsOfDocument(ctx, policyText(policy), { of: 'identity' })
  return said.map((one) => `Of what its user may do, no more than: ${one}`)
}

const existing = (ctx: Ctx, row: NamedKey, policy: string | null): Existing<Entry> => {
  const { id, access_key_id, name, email, expires_at } = row
  const scope = scopeOf(row.scope)
  return {
    name: access_key_id,
    fields: {
      access_key_id,
      name,
      user: emailKey(email),
      expires_at,
      scope: scope && normalScope(scope),
      policy: policy === null ? null : JSON.parse(policy),
    },
    ...(row.revoked_at === null ? {} : { fixed: 'is revoked, and cannot be used again: take another ID' }),
    hasSecret: (_field, value) => unsealSecret(ctx.config, access_key_id, row.secret) === value,
    effects: async ({ secret_access_key: secret, policy: wanted }) => [
      ...(secret === undefined ? [] : ['Requests that are signed with the old secret are refused.']),
      ...(await effectsOfKeyPolicy(ctx, wanted)),
    ],
    update: ({ secret_access_key: secret, policy: wanted, ...change }) =>
      updateAccessKey(ctx, id, {
        ...change,
        ...(secret === undefined ? {} : { secret }),
        ...(wanted === undefined ? {} : { policy: wanted && policyText(wanted) }),
      }),
    removal: async () => ({
      effects: [`It is revoked: what ${email} does with it is refused.`],
      remove: () => revokeAccessKey(ctx, id),
    }),
  }
}
