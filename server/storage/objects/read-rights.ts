import type { ServiceError } from '../../../contract/errors.ts'
import { type Actor, refusal } from '../../context.ts'
import { aclOf, grantsTo } from '../buckets/documents/acl.ts'
import type { ObjectRow } from './store.ts'

/**
 * The error that refuses to read an object; null if a permission allows it or, where ACLs count, its ACL. Without `row`,
 * which has that, null if it could.
 */
export function readRefusal(
  actor: Actor,
  bucket: string,
  key: string,
  row?: Pick<ObjectRow, 'acl'>,
): ServiceError | null {
  const refused = refusal(actor, 'read', bucket, key)
  const { acls } = actor
  if (!refused || !acls?.buckets.has(bucket)) return refused
  return !row || grantsTo(aclOf(row.acl), acls.as, 'READ') ? null : refused
}
