import { findNames } from '../../../access/users/store.ts'
import { canonicalId } from '../../../base/canonical-id.ts'
import { findBucket } from '../../../storage/buckets/store.ts'
import { type Element, element, typedElement } from '../answers/xml.ts'
import { S3Error } from '../errors.ts'
import { type Exchange, header } from '../requests/exchange.ts'

type Role = 'Owner' | 'Initiator' | 'Grantee'

/** Writes who a user is, for one of the users that it was made for. */
export type Owners = (userId: string | null, role?: Role) => Element

/** Finds the display names of users, null for nobody, and writes them with their ids. */
export async function ownersOf({ ctx }: Exchange, userIds: Iterable<string | null>): Promise<Owners> {
  const known = [...new Set(userIds)].filter((id) => id !== null)
  // Strangers are not told the names of people.
  const names = ctx.actor.type === 'public' ? new Map<string, string>() : await findNames(ctx.db, known)
  return (userId, role) => ownerElement(userId, names.get(userId ?? ''), role)
}

/** A user's id and display name. */
export const ownerElement = (
  userId: string | null,
  displayName: string | null | undefined,
  role: Role = 'Owner',
): Element => {
  const contents = [element('ID', canonicalId(userId)), element('DisplayName', displayName)]
  return role === 'Grantee' ? typedElement(role, 'CanonicalUser', ...contents) : element(role, ...contents)
}

/** Throws AccessDenied if a header names another owner of a bucket than it has. */
export async function assertOwner(
  exchange: Exchange,
  name: 'x-amz-expected-bucket-owner' | 'x-amz-source-expected-bucket-owner',
  bucket: string,
): Promise<void> {
  const expected = header(exchange, name)
  if (expected === undefined || bucket === '') return
  const row = await findBucket(exchange.ctx.db, bucket)
  if (row && canonicalId(row.created_by) !== expected) throw new S3Error('AccessDenied', 'Access Denied')
}
