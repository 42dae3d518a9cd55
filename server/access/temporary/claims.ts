// What conditions of policies can ask of a session: its tags, and what the identity provider's token said.
import { isOfService } from '../../iam/condition-keys.ts'
import type { Known } from '../../iam/conditions.ts'

/** The claims of a token, and the issuer that makes them. */
export interface TokenFacts {
  /** Without its scheme; null without a token. */
  issuerKey: string | null
  claims: { readonly [claim: string]: unknown }
}
/** Tags may have several values, where a token gives them. */
export type SessionTags = { readonly [name: string]: readonly string[] }

const PLAIN = new Set(['string', 'number', 'boolean'])

/** A claim as conditions compare it; undefined for one that is not there, or has parts of its own. */
function claimIn(claims: TokenFacts['claims'], name: string): Known {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  const values = Array.isArray(value) ? value : [value]
  return values.length > 0 && values.every((one) => PLAIN.has(typeof one)) ? values.map(String) : undefined
}

/**
 * The value of a key that names a claim: `jwt:sub`, or `idp.example.com/realms/x:sub` of that issuer. `app_id` is the
 * audience, unless there is a claim of that name.
 */
export function knownOfToken(key: string, { issuerKey, claims }: TokenFacts): Known {
  // No claim is a key of ours, whatever its issuer is called.
  if (isOfService(key)) return undefined
  const start = issuerKey === null ? undefined : `${issuerKey.toLowerCase()}:`
  const name = key.startsWith('jwt:')
    ? key.slice('jwt:'.length)
    : start && key.startsWith(start)
      ? key.slice(start.length)
      : ''
  if (name === '') return undefined
  return claimIn(claims, name) ?? (name === 'app_id' ? claimIn(claims, 'aud') : undefined)
}

/** The value of a key that names a tag, of one of these families: `aws:principaltag/Team`. */
export function knownOfTags(key: string, family: string, tags: SessionTags): Known {
  if (!key.startsWith(`${family}/`)) return undefined
  const name = key.slice(family.length + 1)
  return Object.hasOwn(tags, name) ? tags[name] : undefined
}
