import { sortNaturally } from '../../../../contract/natural-order.ts'
import type { Ctx } from '../../../context.ts'
import * as store from '../store.ts'
import * as lists from './store.ts'
import type { Gap } from './stretches.ts'

/** Larger folders are listed in byte order: for each page, the names of the whole folder are sorted. */
export const MOST_NATURAL = 10_000

/** A page of a folder in natural order, without its folders: they are all known. */
export async function naturalPage(
  ctx: Pick<Ctx, 'db'>,
  walk: lists.Walk,
  stretches: readonly Gap[],
  { offset, limit }: lists.Slice,
): Promise<store.ObjectRow[]> {
  const keys: string[] = []
  for (const stretch of stretches) keys.push(...(await lists.keysOfStretch(ctx.db, walk.bucketId, stretch)))
  const page = inOrder(keys, walk.order).slice(offset, offset + limit)
  const rows = new Map((await store.findObjects(ctx.db, walk.bucketId, page)).map((row) => [row.key, row]))
  return page.flatMap((key) => rows.get(key) ?? [])
}

/** Keys and folders of one folder, in natural order or its reverse. */
export function inOrder(names: readonly string[], order: lists.Walk['order']): string[] {
  const sorted = sortNaturally(names, (name) => name)
  return order === 'asc' ? sorted : sorted.reverse()
}
