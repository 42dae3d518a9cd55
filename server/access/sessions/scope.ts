import type { ScopeEntry } from '../../../contract/permissions.ts'
import type { NewScope } from '../../../contract/tokens.ts'

/** A scope as rows keep it; null for everything that the owner may do. */
export const scopeText = (scope: NewScope | null): string | null =>
  scope && JSON.stringify(scope.map(({ bucket, prefix = '', actions }): ScopeEntry => ({ bucket, prefix, actions })))

/** What a credential is limited to, from its row; null without a scope. */
export const scopeOf = (text: string | null): ScopeEntry[] | null => (text === null ? null : JSON.parse(text))

/** The same as the API lists it. */
export const describeScope = (scope: readonly ScopeEntry[] | null) =>
  scope?.map((entry) => ({ ...entry, actions: [...entry.actions] })) ?? null
