import { allow, type Ctx, refuseDenied, type Step } from '../../../context.ts'
import { kept } from '../../../db/kept.ts'
import { prepared } from '../../../db/prepare.ts'
import type { Db } from '../../../db/schema.ts'
import { managing } from '../../../iam/names-of-rights.ts'
import { bucketMissing } from '../service.ts'
import * as store from '../store.ts'
import { assertWritable } from '../writable.ts'
import type { BucketConfig } from './kinds.ts'
import { setDocument } from './set-document.ts'
import type * as documentStore from './store.ts'

const ofLive = (db: Db, kind: documentStore.ConfigKind) =>
  db
    .selectFrom('bucket_config')
    .innerJoin('buckets', 'buckets.id', 'bucket_config.bucket_id')
    .where('deleted_at', 'is', null)
    .where('kind', '=', kind)

const byName = prepared((db: Db, { name, kind }: { name: string; kind: documentStore.ConfigKind }) =>
  ofLive(db, kind).select('document').where('name', '=', name),
)

/** What is configured of a bucket; undefined without it. Whoever calls this decides who may know. */
export async function findConfig<Kind extends documentStore.ConfigKind>(
  db: Db,
  bucket: string,
  kind: Kind,
): Promise<BucketConfig[Kind] | undefined> {
  return (await keptDocuments(db, `${kind} ${bucket}`))?.parsed as BucketConfig[Kind] | undefined
}
/** By kind and bucket. */
const keptDocuments = kept(async (db, named): Promise<{ parsed: unknown } | undefined> => {
  const at = named.indexOf(' ')
  const [row] = await byName(db, { name: named.slice(at + 1), kind: named.slice(0, at) as documentStore.ConfigKind })
  return row && { parsed: JSON.parse(row.document) }
})

/** The actions of S3 that set a document, and that take it away. */
const ACTIONS = {
  cors: 'PutBucketCORS',
  lifecycle: 'PutLifecycleConfiguration',
  tagging: 'PutBucketTagging',
  policy: 'PutBucketPolicy',
  acl: 'PutBucketAcl',
  ownership: 'PutBucketOwnershipControls',
  public_access_block: 'PutBucketPublicAccessBlock',
  website: 'PutBucketWebsite',
} as const satisfies { [kind in documentStore.ConfigKind]: string }
const REMOVALS = { ...ACTIONS, policy: 'DeleteBucketPolicy', website: 'DeleteBucketWebsite' } as const

const PAGE = 500

/** What is configured of buckets, page by page in the order of their ids. */
export async function* allConfigs<Kind extends documentStore.ConfigKind>(
  db: Db,
  kind: Kind,
): AsyncGenerator<{ bucket_id: string; config: BucketConfig[Kind] }> {
  for (let after = ''; ; ) {
    const page = await ofLive(db, kind)
      .select(['bucket_id', 'document'])
      .where('bucket_id', '>', after)
      .orderBy('bucket_id')
      .limit(PAGE)
      .execute()
    for (const { bucket_id, document } of page) yield { bucket_id, config: JSON.parse(document) as BucketConfig[Kind] }
    after = page.at(-1)?.bucket_id ?? ''
    if (page.length < PAGE) return
  }
}

/** Configures a bucket, or with null takes a configuration away; needs `manage`. Throws not_found. */
export async function setConfig<Kind extends documentStore.ConfigKind>(
  ctx: Ctx,
  bucket: string,
  kind: Kind,
  value: BucketConfig[Kind] | null,
): Promise<void> {
  allow(ctx.actor, 'manage', bucket)
  await ctx.act(async (step) => {
    const { changed } = await configureStep(step, bucket, kind, value)
    return changed ? undefined : step.nothing(undefined)
  })
}

/** Step: configures a bucket, if that changes anything; the caller's right was checked before. Throws not_found. */
export async function configureStep<Kind extends documentStore.ConfigKind>(
  step: Step,
  bucket: string,
  kind: Kind,
  value: BucketConfig[Kind] | null,
): Promise<{ bucket_id: string; changed: boolean }> {
  const { tx, record } = step
  const row = await store.lockBucket(tx, bucket)
  if (!row) throw bucketMissing(bucket)
  refuseDenied(step.actor, managing(value === null ? REMOVALS[kind] : ACTIONS[kind]), bucket)
  if (kind === 'lifecycle' && value !== null) assertWritable(row)
  const before = (await findConfig(tx, bucket, kind)) ?? null
  if (JSON.stringify(before) === JSON.stringify(value)) return { bucket_id: row.id, changed: false }
  await setDocument(step, row.id, kind, value)
  record({ name: 'update_bucket', bucket, details: { before: { [kind]: before }, after: { [kind]: value } } })
  return { bucket_id: row.id, changed: true }
}
