import { decide, type KeyRange } from '../../../contract/permissions.ts'
import { allowSomewhere, type Ctx } from '../../context.ts'
import { bucketMissing } from '../buckets/service.ts'
import { findBucket } from '../buckets/store.ts'
import { isOver } from './received.ts'
import * as store from './store.ts'

/**
 * A bucket's open uploads of keys in a range, in the order of keys and then of their beginning, after a key and, within
 * that key, after an upload. Of a caller who does not manage the bucket only their own, unless `all`.
 */
export async function listOpenUploads(
  ctx: Ctx,
  name: string,
  range: KeyRange,
  { after, limit, all }: { after: { key: string; id: string } | undefined; limit: number; all: boolean },
): Promise<store.UploadRow[]> {
  allowSomewhere(ctx.actor, 'write', name)
  const bucket = await findBucket(ctx.db, name)
  if (!bucket) throw bucketMissing(name)
  const { user_id, groups } = ctx.actor
  const found: store.UploadRow[] = []
  for (let from = after; found.length < limit; ) {
    const page = await store.listOpenFree(ctx.db, bucket.id, range, { after: from, limit })
    for (const row of page)
      if (
        !isOver(row, ctx.now()) &&
        decide(groups, 'write', name, row.key).allowed &&
        (all || row.created_by === user_id || decide(groups, 'manage', name, row.key).allowed)
      )
        found.push(row)
    from = page.at(-1)
    if (page.length < limit) break
  }
  return found.slice(0, limit)
}
