import type { BucketTags } from '../../../contract/shapes.ts'
import { allow, type Ctx } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import type { CorsRule } from './cors.ts'
import { bucketMissing } from './service.ts'
import * as store from './store.ts'

/** What can be configured of a bucket. */
export interface BucketConfig {
  cors: readonly CorsRule[]
  tagging: BucketTags
}

/** What is configured of a bucket; undefined without it. Whoever calls this decides who may know. */
export async function findConfig<Kind extends store.ConfigKind>(
  db: Db,
  bucket: string,
  kind: Kind,
): Promise<BucketConfig[Kind] | undefined> {
  const document = await store.findDocument(db, bucket, kind)
  return document === undefined ? undefined : (JSON.parse(document) as BucketConfig[Kind])
}

/** Configures a bucket, or with null takes a configuration away; needs `manage`. Throws not_found. */
export async function setConfig<Kind extends store.ConfigKind>(
  ctx: Ctx,
  bucket: string,
  kind: Kind,
  value: BucketConfig[Kind] | null,
): Promise<void> {
  allow(ctx.actor, 'manage', bucket)
  await ctx.act(async (step) => {
    const { tx, record } = step
    const row = await store.lockBucket(tx, bucket)
    if (!row) throw bucketMissing(bucket)
    const before = (await findConfig(tx, bucket, kind)) ?? null
    const document = JSON.stringify(value)
    if (JSON.stringify(before) === document) return step.nothing(undefined)
    if (value === null) await store.deleteDocument(tx, row.id, kind)
    else
      await store.putDocument(tx, {
        bucket_id: row.id,
        kind,
        document,
        updated_at: ctx.now().toISOString(),
        updated_by: ctx.actor.user_id,
      })
    record({ name: 'update_bucket', bucket, details: { before: { [kind]: before }, after: { [kind]: value } } })
  })
}
