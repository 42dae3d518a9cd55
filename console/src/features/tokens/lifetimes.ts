import { useMe } from '../../api/queries.ts'
import { type Expiry, lengthsUpTo } from '../../ui/ExpiryField.tsx'

/** Lifetimes that the API knows by name; others are sent in seconds. */
const NAMED = ['30d', '90d', '365d']
type Lifetime = '30d' | '90d' | '365d' | 'never' | number

/** How long a credential lasts, for the API. */
export const lifetimeOf = (length: string | number): Lifetime =>
  typeof length === 'number' || length === 'never' || NAMED.includes(length)
    ? (length as Lifetime)
    : Number.parseInt(length, 10) * 86_400

/** The lifetimes that users may give their credentials, and the usual one. */
export function useLifetimes() {
  const { token_max_lifetime_days: most } = useMe().limits
  const lengths = lengthsUpTo(most === null ? null : `${most}d`, NAMED)
  const usual: Expiry = { choice: lengths.includes('90d') ? '90d' : (lengths.at(-1) ?? '30d'), at: '' }
  return { most, lengths, usual }
}
