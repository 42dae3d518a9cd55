import type { ServiceError } from '../../../contract/errors.ts'
import type { Actor } from '../../context.ts'
import { rule } from '../../iam/decide.ts'
import { READ_VERSION } from '../../iam/names-of-rights.ts'
import { refusedBy } from '../../iam/refusal.ts'
import { aclOf, grantsTo } from '../buckets/documents/acl.ts'
import { withTags } from './describe.ts'
import type { ObjectRow } from './store.ts'

/** What of an object decides who may read it. */
type Readable = Pick<ObjectRow, 'acl' | 'tags' | 'created_by'>

/**
 * The error that refuses to read an object; null if a permission allows it or, where ACLs count, its ACL. Without `row`,
 * which has that and its tags, null if it could.
 */
export function readRefusal(
  actor: Actor,
  bucket: string,
  key: string,
  { row, version = false }: { row?: Readable | undefined; version?: boolean } = {},
): ServiceError | null {
  const asked = version ? READ_VERSION : 'read'
  const ruling = rule(actor, asked, bucket, row ? withTags({ key, tags: row.tags }) : key)
  if (ruling.allowed || (!row && ruling.depends)) return null
  const { acls } = actor
  const refused = refusedBy(ruling, asked, bucket, key)
  // What the policy of a session does not allow, nothing else does.
  if (ruling.denied || ruling.depends || ruling.outside || !acls?.buckets.has(bucket)) return refused
  // Where there are ACLs, whoever wrote an object owns it, and may read it with a key that is not limited.
  const isOwn = row?.created_by != null && row.created_by === actor.user_id && actor.scope === undefined
  return !row || isOwn || grantsTo(aclOf(row.acl), acls.as, 'READ') ? null : refused
}
