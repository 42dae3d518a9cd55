// The documents of roles: who may take one on, and what it may.
import type { Db } from '../../db/schema.ts'
import { MOST_BYTES, type Policy, readPolicy, usersNamedIn } from '../../iam/document.ts'
import type { KeptPolicy } from '../policies/book.ts'
import { findUserIds } from '../policies/named-users.ts'

/** A trust policy as it is kept: with the ids of the users that it names. Throws MalformedPolicy. */
export async function keepTrust(db: Db, text: string): Promise<string> {
  const users = await findUserIds(db, usersNamedIn(text, MOST_BYTES.role))
  readPolicy(text, { of: 'role', users })
  const kept: KeptPolicy = { text, users }
  return JSON.stringify(kept)
}

/** The text of a kept trust policy. */
export const trustText = (kept: string): string => (JSON.parse(kept) as KeptPolicy).text

/** A kept trust policy, compiled. Throws MalformedPolicy for what can no longer be read: nobody may take on that role. */
export function trustOf(kept: string): Policy {
  const { text, users = {} } = JSON.parse(kept) as KeptPolicy
  return readPolicy(text, { of: 'role', users }, true)
}
