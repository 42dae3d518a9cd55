// Which objects a bulk change is about.
import { ServiceError } from '../../../contract/errors.ts'
import type { Ctx } from '../../context.ts'
import { listObjects } from '../../storage/objects/lists/browse.ts'
import { searchByQuery } from '../../storage/objects/lists/query-page.ts'

/** Objects that one plan can be about. */
export const MOST_PLANNED = 1000
/** Links that one plan can create: as many as a list has items, since all their URLs are in one answer. */
export const MOST_LINKED = 200
/** Pages of a search: each reads some of the keys, and can find nothing. */
const MOST_PAGES = 20

/** What a bulk change does, to which objects of a bucket. */
export interface Change {
  action: 'delete' | 'copy' | 'move' | 'share'
  bucket: string
  /** Exactly one of these three. */
  keys?: readonly string[] | undefined
  prefix?: string | undefined
  q?: string | undefined
  to_bucket?: string | undefined
  to_prefix?: string | undefined
  /** Whether a copy or move whose key is taken goes beside what has it; otherwise it is left out. */
  keep_both?: boolean | undefined
  /** What its links are limited to. Their password is none of it: plans are stored. */
  expires_in?: string | undefined
  max_downloads?: number | undefined
}

/** The keys that a change is about, in their order. Throws limit_reached for more than a plan can have. */
export async function selectKeys(ctx: Ctx, { action, bucket, keys, prefix, q }: Change): Promise<string[]> {
  const most = action === 'share' ? MOST_LINKED : MOST_PLANNED
  if (keys && keys.length <= most) return [...keys]
  if (keys) throw tooMany(most)
  const found: string[] = []
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const asked = { prefix: prefix ?? '', limit: most, cursor }
    const { items, next_cursor } = await (q === undefined
      ? listObjects(ctx, bucket, asked)
      : searchByQuery(ctx, bucket, { ...asked, q }))
    found.push(...items.map(({ key }) => key))
    if (next_cursor === null && found.length <= most) return found
    if (next_cursor === null || found.length >= most) break
    cursor = next_cursor
  }
  throw tooMany(most)
}

const tooMany = (most: number) =>
  new ServiceError(
    'limit_reached',
    `Such a plan can be about ${most} objects, and these are more. Plan a smaller folder or a narrower search, and the rest after that.`,
  )
