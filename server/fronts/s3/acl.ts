import { canonicalId } from '../../base/canonical-id.ts'
import { allow } from '../../context.ts'
import { hasBody } from '../../http/body.ts'
import { findBucket } from '../../storage/buckets/store.ts'
import { S3Error } from './errors.ts'
import { answer, answerXml, bodyOf, type Exchange, header, headersWith } from './exchange.ts'
import { ownersOf } from './owner.ts'
import { readXml, type XmlNode } from './read-xml.ts'
import { getSeen } from './unseen.ts'
import { element, result } from './xml.ts'

// There are no ACLs here: rights are the grants of groups. Clients that ask are told that the owner has full control,
// and those that set just that succeed.

const MOST_BYTES = 65_536
const OWNED = new Set(['private', 'bucket-owner-full-control', 'bucket-owner-read'])

const notSupported = () => new S3Error('AccessControlListNotSupported', 'The bucket does not allow ACLs')

/** Throws unless the ACL asked for in headers is the one that everything here has. */
export function refuseAcl(exchange: Exchange): void {
  if (!OWNED.has(header(exchange, 'x-amz-acl') ?? 'private') || headersWith(exchange, 'x-amz-grant-').length > 0)
    throw notSupported()
}

/** The owner's full control, as a document. */
export async function ownedAcl(exchange: Exchange, owner: string | null): Promise<string> {
  const owners = await ownersOf(exchange, [owner])
  return result(
    'AccessControlPolicy',
    owners(owner),
    element('AccessControlList', element('Grant', owners(owner, 'Grantee'), element('Permission', 'FULL_CONTROL'))),
  )
}

/** Throws unless a document grants nothing but full control to the owner. */
function assertOwned(document: XmlNode, owner: string | null): void {
  const find = (node: XmlNode, name: string) => node.children.filter((child) => child.name === name)
  const grants = find(document, 'AccessControlList').flatMap((list) => find(list, 'Grant'))
  const owned = grants.every(
    (grant) =>
      find(grant, 'Permission')[0]?.text === 'FULL_CONTROL' &&
      find(grant, 'Grantee').every((grantee) => find(grantee, 'ID')[0]?.text === canonicalId(owner)),
  )
  if (!owned) throw notSupported()
}

/** `PutBucketAcl` and `PutObjectAcl`: accepts what is already so. Needs `write` on the key, or `manage` on the bucket. */
export async function putAcl(exchange: Exchange): Promise<void> {
  const { ctx, bucket, key, request } = exchange
  const owner = key === '' ? await ownerOfBucket(exchange) : (await getSeen(exchange)).row.created_by
  allow(ctx.actor, key === '' ? 'manage' : 'write', bucket, key)
  refuseAcl(exchange)
  if (hasBody(request)) assertOwned(await readXml(bodyOf(exchange), 'AccessControlPolicy', MOST_BYTES), owner)
  await answer(exchange, 200, {})
}

async function ownerOfBucket({ ctx, bucket }: Exchange): Promise<string | null> {
  allow(ctx.actor, 'manage', bucket)
  return (await findBucket(ctx.db, bucket))?.created_by ?? null
}

export async function getObjectAcl(exchange: Exchange): Promise<void> {
  const { row } = await getSeen(exchange)
  await answerXml(exchange, await ownedAcl(exchange, row.created_by))
}
