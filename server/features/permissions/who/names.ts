import { findUsers } from '../../../access/users/store.ts'
import type { Db } from '../../../db/schema.ts'
import type { Policy } from '../../../iam/document.ts'
import { userNameOf } from '../../../iam/names.ts'
import type { NamesOfUsers } from '../../../iam/sentences/parts.ts'

/** What the users are called whom a policy names. */
export async function namesIn(db: Db, policy: Policy | undefined): Promise<NamesOfUsers> {
  const entries = policy?.statements.flatMap(({ principal }) => principal?.entries ?? []) ?? []
  const ids = new Set(entries.flatMap((one) => (one.kind === 'user' && one.id !== null ? [one.id] : [])))
  return new Map((await findUsers(db, [...ids])).map(({ id, email }) => [id, userNameOf(email)]))
}
