import type { ListedKind } from '../../../contract/configuration.ts'
import { type Section, sectionNames } from '../../access/settings/effective.ts'
import type { AnyEntry, Kind } from './kind.ts'
import { accessKeys } from './kinds/access-keys.ts'
import { buckets } from './kinds/buckets.ts'
import { groups } from './kinds/groups.ts'
import { identityPolicies } from './kinds/identity-policies.ts'
import { policies } from './kinds/policies.ts'
import { roles } from './kinds/roles.ts'
import { settingsSection } from './kinds/settings.ts'
import { storages } from './kinds/storages.ts'
import { users } from './kinds/users.ts'
import { webhooks } from './kinds/webhooks.ts'
import type { Asked, Found } from './read.ts'

export const kinds = {
  storages,
  identity_policies: identityPolicies,
  groups,
  users,
  roles,
  buckets,
  access_keys: accessKeys,
  webhooks,
  policies,
} as unknown as { readonly [K in ListedKind]: Kind<AnyEntry> }

/** Kinds in the order in which they are applied, each with what is asked of it: what others refer to comes first. */
export function phases(asked: Asked): { kind: Kind<AnyEntry>; found: readonly Found[] }[] {
  const listed = (kind: ListedKind) => ({ kind: kinds[kind], found: asked.listed.get(kind) ?? [] })
  const sections = (names: readonly Section[]) =>
    names.flatMap((name) => {
      const found = asked.sections.get(name)
      return found ? [{ kind: settingsSection(name), found: [found] }] : []
    })
  return [
    ...(['storages', 'identity_policies', 'groups'] as const).map(listed),
    ...sections(sectionNames.filter((name) => name !== 'auth')),
    ...(['users', 'roles', 'buckets', 'access_keys', 'webhooks', 'policies'] as const).map(listed),
    // Who may log in how is decided last, when those are there who are to.
    ...sections(['auth']),
  ]
}
