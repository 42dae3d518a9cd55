import { afterPrefix } from '../../../contract/permissions.ts'
import { allowSomewhere, type Ctx } from '../../context.ts'
import { permits } from '../../iam/decide.ts'
import { bucketMissing } from '../buckets/service.ts'
import { findBucket } from '../buckets/store.ts'
import { isOver } from './receive.ts'
import * as store from './store.ts'

/** An open upload, or the common prefix of all whose keys begin with it. */
export type UploadEntry = { row: store.UploadRow; prefix?: undefined } | { prefix: string; row?: undefined }

export interface UploadQuery {
  prefix: string
  /** Any text; '' lists every upload. */
  delimiter: string
  /** The last entry seen: a common prefix, or a key with the upload of it; without an id all of the key's were seen. */
  after: { key: string; id: string | undefined } | undefined
  limit: number
  /** Whether the uploads of others are shown too, to callers who do not manage the bucket. */
  all: boolean
  /** Whether everyone may ask, also those who may write nothing. */
  open: boolean
}

/**
 * A bucket's open uploads in the order of keys and then of their beginning, and in place of those whose keys have the
 * delimiter after the prefix, each common prefix once. `more` says whether others follow. What is below a common prefix
 * is stepped over, from one page of rows to the next.
 */
export async function listUploadEntries(
  ctx: Ctx,
  name: string,
  { prefix, delimiter, after, limit, all, open }: UploadQuery,
): Promise<{ entries: UploadEntry[]; more: boolean }> {
  if (!open) allowSomewhere(ctx.actor, 'write', name)
  const bucket = await findBucket(ctx.db, name)
  if (!bucket) throw bucketMissing(name)
  const { user_id } = ctx.actor
  const isShown = (row: store.UploadRow): boolean =>
    !isOver(row, ctx.now()) &&
    permits(ctx.actor, 'write', name, row.key) &&
    (all || (user_id !== null && row.created_by === user_id) || permits(ctx.actor, 'manage', name, row.key))
  const folderOf = (key: string): string | undefined => {
    const at = delimiter === '' || !key.startsWith(prefix) ? -1 : key.indexOf(delimiter, prefix.length)
    return at < 0 ? undefined : key.slice(0, at + delimiter.length)
  }
  const found: UploadEntry[] = []
  const to = afterPrefix(prefix)
  let passed = after && folderOf(after.key)
  // No id comes after this one.
  let last: Pick<store.UploadRow, 'key' | 'id'> | undefined = after && { key: after.key, id: after.id ?? '~' }
  for (let from: string | null = prefix; limit > 0 && found.length <= limit; ) {
    if (passed !== undefined) [from, last] = [afterPrefix(passed), undefined]
    if (from === null) break
    const page: store.UploadRow[] = await store.listOpenFree(
      ctx.db,
      bucket.id,
      { from, to },
      { after: last, limit: limit + 1 },
    )
    for (const row of page) {
      const folder = folderOf(row.key)
      if ((folder !== undefined && folder === found.at(-1)?.prefix) || !isShown(row)) continue
      found.push(folder === undefined ? { row } : { prefix: folder })
    }
    if (page.length <= limit) break
    last = page.at(-1)
    const folder = last && folderOf(last.key)
    passed = folder === found.at(-1)?.prefix ? folder : undefined
  }
  return { entries: found.slice(0, limit), more: found.length > limit }
}
