import { type Ownership, ownerships } from '../../../../../contract/public-access.ts'
import { allow } from '../../../../context.ts'
import { findConfig, setConfig } from '../../../../storage/buckets/documents/config.ts'
import type { BucketConfig, PublicAccessBlock } from '../../../../storage/buckets/documents/kinds.ts'
import { allBlocked, isBlocked } from '../../../../storage/buckets/documents/public-access.ts'
import { answer } from '../../answers/answer.ts'
import { element, result } from '../../answers/xml.ts'
import { S3Error } from '../../errors.ts'
import { type Exchange, header } from '../../requests/exchange.ts'
import { assertCanBePublic } from '../../requests/public-access.ts'
import { child, childFlag, childText, type DocumentShape, malformedXml, readDocument } from '../../requests/read-xml.ts'

const MOST_BYTES = 65_536
export const OWNERSHIP: DocumentShape = {
  root: 'OwnershipControls',
  most: MOST_BYTES,
  elements: { Rule: { ObjectOwnership: 'text' } },
}

/** Whose objects are and whether there are ACLs, as a text says. Throws for any other. */
const ownershipOf = (text: string | undefined, error: () => Error): Ownership => {
  const found = ownerships.find((one) => one === text)
  if (!found) throw error()
  return found
}

/** The ownership that a new bucket is to have. Throws InvalidArgument. */
export function newOwnership(exchange: Exchange): BucketConfig['ownership'] | undefined {
  const asked = header(exchange, 'x-amz-object-ownership')
  if (asked !== undefined)
    return ownershipOf(asked, () => new S3Error('InvalidArgument', 'Invalid x-amz-object-ownership header'))
  const { defaultOwnership } = exchange.system.config.s3
  // What a bucket has about which nothing is said; S3 has no controls either where objects are their writers'.
  if (defaultOwnership === 'BucketOwnerEnforced') return undefined
  return defaultOwnership === 'ObjectWriter' ? 'none' : defaultOwnership
}

const noControls = () => new S3Error('OwnershipControlsNotFoundError', 'The bucket ownership controls were not found')

export async function ownershipDocument({ ctx, bucket }: Exchange): Promise<string> {
  const ownership = (await findConfig(ctx.db, bucket, 'ownership')) ?? 'BucketOwnerEnforced'
  if (ownership === 'none') throw noControls()
  return result('OwnershipControls', element('Rule', element('ObjectOwnership', ownership)))
}

/** `PutBucketOwnershipControls`: ends all ACLs only while the bucket's own grants nothing to others. */
export async function putBucketOwnership(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  allow(ctx.actor, 'manage', bucket)
  const document = await readDocument(exchange, OWNERSHIP)
  const rule = child(document, 'Rule')
  const ownership = ownershipOf(rule && childText(rule, 'ObjectOwnership')?.trim(), malformedXml)
  if (ownership === 'BucketOwnerEnforced' && (await findConfig(ctx.db, bucket, 'acl'))) throw aclInTheWay()
  await setConfig(ctx, bucket, 'ownership', ownership)
  await answer(exchange, 200, {})
}

export const aclInTheWay = () =>
  new S3Error(
    'InvalidBucketAclWithObjectOwnership',
    "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting",
  )

/** `DeleteBucketOwnershipControls`: objects are their writers', as in a bucket of which S3 knows nothing else. */
export async function deleteBucketOwnership(exchange: Exchange): Promise<void> {
  await setConfig(exchange.ctx, exchange.bucket, 'ownership', 'none')
  await answer(exchange, 204, {})
}

const FLAGS = {
  block_acls: 'BlockPublicAcls',
  ignore_acls: 'IgnorePublicAcls',
  block_policy: 'BlockPublicPolicy',
  restrict: 'RestrictPublicBuckets',
} as const satisfies { [flag in keyof PublicAccessBlock]: string }
const flags = Object.keys(FLAGS) as (keyof PublicAccessBlock)[]
export const PUBLIC_ACCESS_BLOCK: DocumentShape = {
  root: 'PublicAccessBlockConfiguration',
  most: MOST_BYTES,
  elements: Object.fromEntries(Object.values(FLAGS).map((name) => [name, 'text'])),
}

/** What is blocked of a bucket: everything, while nothing can be public. */
export async function publicAccessBlockDocument({ ctx, bucket, authenticated }: Exchange): Promise<string> {
  const block = authenticated.publicAccess ? await findConfig(ctx.db, bucket, 'public_access_block') : allBlocked
  if (!block)
    throw new S3Error('NoSuchPublicAccessBlockConfiguration', 'The public access block configuration was not found')
  return result('PublicAccessBlockConfiguration', ...flags.map((flag) => element(FLAGS[flag], block[flag])))
}

/** `PutPublicAccessBlock`: while nothing can be public, only what blocks everything. */
export async function putPublicAccessBlock(exchange: Exchange): Promise<void> {
  const { ctx, bucket, system } = exchange
  allow(ctx.actor, 'manage', bucket)
  const document = await readDocument(exchange, PUBLIC_ACCESS_BLOCK)
  const block: PublicAccessBlock = { ...allBlocked }
  for (const flag of flags) block[flag] = childFlag(document, FLAGS[flag])
  if (!isBlocked(block)) await assertCanBePublic(system)
  await setConfig(ctx, bucket, 'public_access_block', block)
  await answer(exchange, 200, {})
}

export async function deletePublicAccessBlock(exchange: Exchange): Promise<void> {
  const { ctx, bucket, system } = exchange
  allow(ctx.actor, 'manage', bucket)
  await assertCanBePublic(system)
  await setConfig(ctx, bucket, 'public_access_block', null)
  await answer(exchange, 204, {})
}
