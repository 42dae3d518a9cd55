import { ServiceError } from '../../../../../contract/errors.ts'
import { allow } from '../../../../context.ts'
import { actionsIn } from '../../../../iam/decide.ts'
import {
  type Acl,
  type AclGrant,
  aclOf,
  aclText,
  cannedAcls,
  isGroup,
  isPublicAcl,
  privateAcl,
} from '../../../../storage/buckets/documents/acl.ts'
import { setConfig } from '../../../../storage/buckets/documents/config.ts'
import { findAccess, hasAcls } from '../../../../storage/buckets/documents/public-access.ts'
import { bucketMissing } from '../../../../storage/buckets/service.ts'
import { findBucket } from '../../../../storage/buckets/store.ts'
import { setAcl } from '../../../../storage/versions/acl.ts'
import { answer, answerXml } from '../../answers/answer.ts'
import { element, result, typedElement, type Xml } from '../../answers/xml.ts'
import { S3Error } from '../../errors.ts'
import { type Exchange, header, headersWith } from '../../requests/exchange.ts'
import { assertCanBePublic } from '../../requests/public-access.ts'
import { versionIn } from '../../requests/version-id.ts'
import { getChangeable, getVisible } from '../existence.ts'
import { ownersOf } from '../owner.ts'
import { aclInHeaders, GROUPS, type Owned, wantedAcl } from './acl-request.ts'
import { aclInTheWay } from './ownership.ts'

type Access = ReturnType<Awaited<ReturnType<typeof findAccess>>['of']>

/**
 * Throws unless a bucket or an object may have this ACL: AccessControlListNotSupported where there are none, but for what
 * is so anyway, AccessDenied where nothing may be public.
 */
async function assertAllowed(exchange: Exchange, acl: Acl, access: Access): Promise<void> {
  if (!hasAcls(access)) {
    const isSo = acl.every(
      ({ to, permission }) => to === 'bucket_owner' || (to === 'owner' && permission === 'FULL_CONTROL'),
    )
    const isNamed = header(exchange, 'x-amz-acl') !== undefined
    // Clients send `private` unasked: it is refused only where someone said that there are to be no ACLs.
    const isRefused = access.ownership !== undefined && isNamed && acl !== cannedAcls['bucket-owner-full-control']
    if (!isSo || isRefused) throw new S3Error('AccessControlListNotSupported', 'The bucket does not allow ACLs')
  }
  if (!isPublicAcl(acl)) return
  await assertCanBePublic(exchange.system)
  if (access.public_access_block?.block_acls)
    throw new S3Error('AccessDenied', 'Public ACLs are prevented by the BlockPublicAcls setting of this bucket.')
}

/** Whether a request says anything of an ACL in its headers. */
const asksForAcl = (exchange: Exchange): boolean =>
  header(exchange, 'x-amz-acl') !== undefined || headersWith(exchange, 'x-amz-grant-').length > 0

/** The ACL of the object that a request writes, as its row has it; needs `write`. */
export async function newObjectAcl(exchange: Exchange): Promise<string | null> {
  if (!asksForAcl(exchange)) return null
  const { ctx, bucket, key } = exchange
  allow(ctx.actor, 'write', bucket, key)
  const [row, { of }] = await Promise.all([findBucket(ctx.db, bucket), findAccess(ctx.db, [bucket])])
  const acl = aclInHeaders(exchange, { owner: ctx.actor.user_id, bucketOwner: row?.created_by ?? null }) ?? privateAcl
  await assertAllowed(exchange, acl, of(bucket))
  const text = aclText(acl)
  if (text !== null && ctx.actor.agent)
    throw new ServiceError('forbidden', `Agents change no ACL: key "${key}" of bucket "${bucket}".`)
  return hasAcls(of(bucket)) ? text : null
}

/** The ACL that a new bucket is to have; undefined for its owner's alone. Throws where it cannot have it. */
export async function newBucketAcl(exchange: Exchange, access: Pick<Access, 'ownership'>): Promise<Acl | undefined> {
  const { user_id } = exchange.ctx.actor
  const acl = aclInHeaders(exchange, { owner: user_id, bucketOwner: user_id })
  if (!acl || !isPublicAcl(acl)) return undefined
  if (!hasAcls(access)) throw aclInTheWay()
  await assertAllowed(exchange, acl, access)
  return acl
}

/** A bucket's ACL in force. */
const aclOfBucket = (access: Access): Acl => (hasAcls(access) ? (access.acl ?? privateAcl) : privateAcl)

/** Whether a bucket has an ACL; undefined stands for its owner's alone. */
export async function hasAcl(exchange: Exchange, acl: Acl = privateAcl): Promise<boolean> {
  const { access } = await bucketWithAccess(exchange)
  return aclText(aclOfBucket(access)) === aclText(acl)
}

async function bucketWithAccess({ ctx, bucket }: Exchange) {
  const [row, { of }] = await Promise.all([findBucket(ctx.db, bucket), findAccess(ctx.db, [bucket])])
  if (!row) throw bucketMissing(bucket)
  return { row, access: of(bucket) }
}

/** `PutBucketAcl`: needs `manage`, but for who may see the bucket and puts what is already so. */
export async function putBucketAcl(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  if (actionsIn(ctx.actor, bucket).length === 0) allow(ctx.actor, 'manage', bucket)
  const { row, access } = await bucketWithAccess(exchange)
  const acl = await wantedAcl(exchange, { owner: row.created_by, bucketOwner: row.created_by })
  await assertAllowed(exchange, acl, access)
  const isSame = aclText(acl) === aclText(aclOfBucket(access))
  if (!isSame && hasAcls(access)) await setConfig(ctx, bucket, 'acl', aclText(acl) === null ? null : acl)
  else if (!isSame) allow(ctx.actor, 'manage', bucket)
  await answer(exchange, 200, {})
}

/** `PutObjectAcl`: needs `write` and `read`. */
export async function putObjectAcl(exchange: Exchange): Promise<void> {
  const { ctx, bucket, key } = exchange
  const { row: object } = await getChangeable(exchange)
  allow(ctx.actor, 'write', bucket, key)
  const { row, access } = await bucketWithAccess(exchange)
  const owner = ownerOf(object, row.created_by, access)
  const acl = await wantedAcl(exchange, { owner, bucketOwner: row.created_by })
  await assertAllowed(exchange, acl, access)
  if (hasAcls(access)) await setAcl(ctx, bucket, { key, version_id: versionIn(exchange) }, acl)
  await answer(exchange, 200, {})
}

/** Whose an object is: with ACLs its writer's, unless that gave it to the bucket's owner; without, the bucket's owner's. */
export function ownerOf(
  object: { created_by: string | null; acl: string | null },
  bucketOwner: string | null,
  access: Access,
): string | null {
  const isGiven = access.ownership === 'BucketOwnerPreferred' && grantsAll(aclOf(object.acl))
  return hasAcls(access) && !isGiven ? object.created_by : bucketOwner
}

/** Whose the objects of a request's bucket are. */
export async function findOwners(
  exchange: Exchange,
): Promise<(object: Parameters<typeof ownerOf>[0]) => string | null> {
  const { row, access } = await bucketWithAccess(exchange)
  return (object) => ownerOf(object, row.created_by, access)
}

const grantsAll = (acl: Acl): boolean =>
  acl.some(({ to, permission }) => to === 'bucket_owner' && permission === 'FULL_CONTROL')

/** An ACL as a document. */
async function aclDocument(exchange: Exchange, acl: Acl, { owner, bucketOwner }: Owned): Promise<string> {
  const owners = await ownersOf(exchange, [owner, bucketOwner])
  const granteeElement = (to: AclGrant['to']): Xml => {
    if (to === 'owner') return owners(owner, 'Grantee')
    if (to === 'bucket_owner') return owners(bucketOwner, 'Grantee')
    const [uri] = Object.entries(GROUPS).find(([, group]) => group === to) ?? []
    return typedElement('Grantee', 'Group', element('URI', uri))
  }
  // What the owner of the bucket has as the owner of the object is said once.
  const own = acl.filter(({ to }) => to === 'owner' || (to === 'bucket_owner' && owner !== bucketOwner))
  const grants = [...acl.filter(({ to }) => isGroup(to)), ...own]
  return result(
    'AccessControlPolicy',
    owners(owner),
    element(
      'AccessControlList',
      ...grants.map(({ to, permission }) => element('Grant', granteeElement(to), element('Permission', permission))),
    ),
  )
}

export async function bucketAclDocument(exchange: Exchange): Promise<string> {
  const { row, access } = await bucketWithAccess(exchange)
  return aclDocument(exchange, aclOfBucket(access), { owner: row.created_by, bucketOwner: row.created_by })
}

export async function getObjectAcl(exchange: Exchange): Promise<void> {
  const { row: object } = await getVisible(exchange)
  const { row, access } = await bucketWithAccess(exchange)
  const owned = { owner: ownerOf(object, row.created_by, access), bucketOwner: row.created_by }
  const acl = hasAcls(access) ? aclOf(object.acl) : privateAcl
  await answerXml(exchange, await aclDocument(exchange, acl, owned))
}
