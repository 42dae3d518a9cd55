import { MOST_BUCKET_TAGS, type Tags } from '../../../../../contract/shapes.ts'
import { allow } from '../../../../context.ts'
import { hasBody } from '../../../../http/body.ts'
import { actionsIn } from '../../../../iam/decide.ts'
import { createBucket as create } from '../../../../storage/buckets/create.ts'
import { findBucket } from '../../../../storage/buckets/store.ts'
import { answer } from '../../answers/answer.ts'
import { S3Error } from '../../errors.ts'
import { type Exchange, flag } from '../../requests/exchange.ts'
import { child, childText, type DocumentShape, many, readDocument } from '../../requests/read-xml.ts'
import { assertBucketName } from '../../requests/target.ts'
import { hasAcl, newBucketAcl } from '../documents/acl.ts'
import { newOwnership } from '../documents/ownership.ts'
import { newBucketTags } from '../documents/tagging.ts'

const MOST_CONFIGURATION = 65_536
/** More tags than there may be, so that those are refused by name. */
export const CREATION: DocumentShape = {
  root: 'CreateBucketConfiguration',
  most: MOST_CONFIGURATION,
  elements: {
    LocationConstraint: 'text',
    // Those of directory buckets, which are of another kind.
    Location: 'refused',
    Bucket: 'refused',
    Tags: { Tag: many(2 * MOST_BUCKET_TAGS, { Key: 'text', Value: 'text' }) },
  },
}

/** Creates a bucket. One that exists is `BucketAlreadyOwnedByYou` to those with any right in it but `create`. */
export async function createBucket(exchange: Exchange): Promise<void> {
  const { ctx, bucket, system } = exchange
  assertBucketName(bucket)
  // Whoever has no right at all is told nothing of the name, and nothing else of the request is read.
  if (actionsIn(ctx.actor, bucket).length === 0) allow(ctx.actor, 'create', bucket)
  const { region, tags } = await configurationIn(exchange)
  if (region !== undefined && !/^[a-zA-Z0-9-]{1,64}$/.test(region))
    throw new S3Error('InvalidLocationConstraint', 'The specified location-constraint is not valid')
  const isLockable = flag(exchange, 'x-amz-bucket-object-lock-enabled')
  const ownership = newOwnership(exchange)
  const acl = await newBucketAcl(exchange, { ownership })
  const existing = await findBucket(ctx.db, bucket)
  const { user_id } = ctx.actor
  const isOwn = user_id !== null && existing?.created_by === user_id
  if (existing && isOwn && !(await hasAcl(exchange, acl))) throw nameTaken(bucket)
  // Creating one's own bucket again changes nothing.
  if (existing && !isOwn) {
    const isStranger = actionsIn(ctx.actor, bucket).every((action) => action === 'create')
    if (isStranger) throw nameTaken(bucket)
    throw new S3Error(
      'BucketAlreadyOwnedByYou',
      'Your previous request to create the named bucket succeeded and you already own it.',
      { fields: { BucketName: bucket } },
    )
  }
  if (!existing)
    await create(
      ctx,
      { name: bucket, ...(isLockable ? { object_lock: {} } : {}) },
      { ...(acl ? { acl } : {}), ...(ownership ? { ownership } : {}), ...(tags ? { tagging: tags } : {}) },
    )
  await answer(exchange, 200, {
    location: `/${bucket}`,
    'x-amz-bucket-arn': `arn:aws:s3:::${bucket}`,
    'x-amz-bucket-region': system.config.s3.region,
  })
}

const nameTaken = (bucket: string) =>
  new S3Error('BucketAlreadyExists', 'The requested bucket name is not available.', { fields: { BucketName: bucket } })

/** What a `<CreateBucketConfiguration>` asks for. Throws MalformedXML, InvalidTag or NotImplemented. */
async function configurationIn(exchange: Exchange): Promise<{ region?: string | undefined; tags?: Tags | undefined }> {
  if (!hasBody(exchange.request)) return {}
  const document = await readDocument(exchange, CREATION)
  const set = child(document, 'Tags')
  return {
    region: childText(document, 'LocationConstraint') || undefined,
    tags: set && set.children.length > 0 ? newBucketTags(set) : undefined,
  }
}
