import { afterPrefix, allowedRanges, compareKeys, type KeyRange } from '../../contract/permissions.ts'
import type { Ctx } from '../context.ts'
import { decodeCursor, encodeCursor } from '../cursor.ts'
import type { Tx } from '../db/schema.ts'
import { findKeys } from '../objects/search.ts'
import { hasKeyIn } from '../objects/store.ts'
import type { CreateJob } from './service.ts'

const STEP = 2000

/**
 * Step: the next keys a job is to work on, after where the last step came to; `next` null when these are all. They are
 * written down before anything is done, so that what the job itself brings about is never taken for work.
 *
 * A move up (`a/` to nothing) can lead into its own source: `a/a/x` goes to `a/x`, which has to be gone by then. So it
 * goes level by level: first what is under `a/` but not under `a/a/`, then what is under that, and so on.
 */
export async function listStep(
  tx: Tx,
  ctx: Ctx,
  bucketId: string,
  request: CreateJob,
  listedTo: string | null,
): Promise<{ keys: string[]; next: string | null }> {
  const { prefix = '', search = null, exclude = [], keys } = request
  const [levelText = '0', after] = listedTo === null ? [] : (decodeCursor(listedTo, 2) ?? [])
  if (keys) {
    const from = after ? Number(after) : 0
    const step = keys.slice(from, from + STEP)
    return { keys: step, next: from + STEP < keys.length ? encodeCursor(['0', String(from + STEP)]) : null }
  }
  const level = Number(levelText)
  const up = climb(request)
  const top = prefix + up.repeat(level)
  const below = up === '' ? null : top + up
  const ranges = visibleRanges(ctx, request, top).flatMap((range) => (below === null ? [range] : without(range, below)))
  const found = await findKeys(tx, bucketId, ranges, { prefix, search, after: after || undefined, limit: STEP })
  const left = found.keys.filter((key) => !isExcluded(key, exclude))
  if (found.next !== null) return { keys: left, next: encodeCursor([levelText, found.next]) }
  const deeper =
    below !== null && (await hasKeyIn(tx, bucketId, { from: below, to: afterPrefix(below) })) && below.length <= 1024
  return { keys: left, next: deeper ? encodeCursor([String(level + 1), '']) : null }
}

/** What a move takes off the keys where it moves them up in their own bucket; else nothing. */
function climb({ kind, source_bucket, dest_bucket, prefix = '', dest_prefix = '' }: CreateJob): string {
  const upwards = kind === 'move' && dest_bucket === source_bucket && prefix.startsWith(dest_prefix)
  return upwards ? prefix.slice(dest_prefix.length) : ''
}

/** Where the creator sees objects: what else is there is none of theirs, not even as an error. */
function visibleRanges({ actor }: Ctx, { kind, source_bucket }: CreateJob, prefix: string): KeyRange[] {
  const listed = allowedRanges(actor.groups, 'list', source_bucket, prefix)
  if (listed.length > 0) return listed
  return allowedRanges(actor.groups, kind === 'copy' || kind === 'move' ? 'read' : 'delete', source_bucket, prefix)
}

/** A range without what is under a prefix. */
function without({ from, to }: KeyRange, prefix: string): KeyRange[] {
  const end = afterPrefix(prefix)
  const before: KeyRange = { from, to: to === null || compareKeys(prefix, to) < 0 ? prefix : to }
  const rest = end === null ? [] : [{ from: compareKeys(end, from) > 0 ? end : from, to }]
  return [before, ...rest].filter((range) => range.to === null || compareKeys(range.from, range.to) < 0)
}

const isExcluded = (key: string, exclude: readonly string[]): boolean =>
  exclude.some((one) => key === one || (one.endsWith('/') && key.startsWith(one)))
