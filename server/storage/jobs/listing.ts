import { afterKey, afterPrefix, compareKeys } from '../../../contract/permissions.ts'
import { decodeCursor, encodeCursor } from '../../base/cursor.ts'
import type { Upkeep } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import { isReached, type Reach, reachOf } from '../../iam/decide.ts'
import { type AnyVersion, listEarlier, listVersions } from '../history/store.ts'
import { prepareIn } from '../objects/lists/in-bucket.ts'
import { findKeys } from '../objects/lists/search.ts'
import { termsOf } from '../objects/query/ask.ts'
import { hasKeyIn } from '../objects/store.ts'
import type { CreateJob } from './request.ts'

const KEYS_A_STEP = 2000

/**
 * Step: lists the next keys for a job to work on, continuing where the last step stopped; `next` is null when all are
 * listed. Keys are stored before any work is done, so that what the job itself creates is never taken for work.
 */
export async function listStep(
  step: Upkeep,
  bucketId: string,
  request: CreateJob,
  listedTo: string | null,
): Promise<{ keys: string[]; next: string | null }> {
  const { tx } = step
  const { prefix = '', search = null, exclude = [], keys } = request
  const isExcluded = excluder(exclude, prefix)
  const { rung, down } = ladderOf(request)
  const [levelText = '0', after] = listedTo === null ? [] : (decodeCursor(listedTo, 2) ?? [])
  if (keys) {
    const from = after ? Number(after) : 0
    const next = inOrder(keys, prefix, rung, down).slice(from, from + KEYS_A_STEP)
    const more = from + KEYS_A_STEP < keys.length
    return {
      keys: next.filter((key) => !isExcluded(key)),
      next: more ? encodeCursor(['0', String(from + KEYS_A_STEP)]) : null,
    }
  }
  const first = async () => (down ? await deepestLevel(tx, bucketId, prefix, rung) : 0)
  const level = listedTo === null ? await first() : Number(levelText)
  const top = prefix + rung.repeat(level)
  const below = rung === '' ? null : top + rung
  const ranges = visibleRanges(step, request, top).flatMap((range) =>
    below === null ? [range] : without(range, below),
  )
  const found =
    request.query === undefined
      ? await findKeys(tx, bucketId, ranges, { prefix, search, after: after || undefined, limit: KEYS_A_STEP })
      : await findByQuery(step, bucketId, { request, query: request.query, ranges, after: after || undefined })
  const left = found.keys.filter((key) => !isExcluded(key) && isReached(ranges, key))
  if (found.next !== null) return { keys: left, next: encodeCursor([String(level), found.next]) }
  if (down) return { keys: left, next: level > 0 ? encodeCursor([String(level - 1), '']) : null }
  const deeper = below !== null && (await hasKeyIn(tx, bucketId, { from: below, to: afterPrefix(below) }))
  return { keys: left, next: deeper ? encodeCursor([String(level + 1), '']) : null }
}

/** Step: the next keys that the job's query finds. */
async function findByQuery(
  step: Upkeep,
  bucketId: string,
  {
    request: { source_bucket, prefix = '', asked_at },
    query,
    ranges,
    after,
  }: { request: CreateJob; query: string; ranges: readonly Reach[]; after: string | undefined },
): Promise<{ keys: string[]; next: string | null }> {
  const { tx, actor, now } = step
  const asker = { db: tx, actor, now: () => (asked_at === undefined ? now() : new Date(asked_at)), past: null }
  const asked = { bucketId, ranges, terms: termsOf(query, 'body.query'), prefix }
  const search = await prepareIn(asker, source_bucket, asked)
  const page = { order: 'asc', after, limit: KEYS_A_STEP } as const
  const found = await search.find(page, { keys: KEYS_A_STEP, rows: KEYS_A_STEP, until: Number.POSITIVE_INFINITY })
  return { keys: found.rows.map(({ key }) => key), next: found.next }
}

/**
 * Step: lists the next versions and delete markers of a bucket that is to be emptied, current or not, of each key the
 * latest first; `next` is null when all are listed.
 */
export async function listVersionsStep(
  step: Upkeep,
  bucketId: string,
  request: CreateJob,
  listedTo: string | null,
): Promise<{ versions: AnyVersion[]; next: string | null }> {
  const { tx } = step
  const [key, seq] = decodeCursor(listedTo ?? undefined, 2) ?? []
  const versions: AnyVersion[] = []
  if (key !== undefined && seq !== undefined) {
    const before = seq === '' ? Number.MAX_SAFE_INTEGER : Number(seq)
    versions.push(...(await listEarlier(tx, bucketId, { key, before }, { limit: KEYS_A_STEP })))
  }
  const ranges = visibleRanges(step, request, '')
  for (const { from, to } of ranges) {
    const rest = KEYS_A_STEP - versions.length
    const start = key === undefined || compareKeys(from, key) > 0 ? from : afterKey(key)
    if (rest > 0 && (to === null || compareKeys(start, to) < 0))
      versions.push(...(await listVersions(tx, bucketId, { from: start, to }, { limit: rest })))
  }
  const last = versions.length < KEYS_A_STEP ? undefined : versions.at(-1)
  return {
    versions: versions.filter((version) => isReached(ranges, version.key)),
    next: last ? encodeCursor([last.key, last.seq === null ? '' : String(last.seq)]) : null,
  }
}

/**
 * Within one bucket a copy or move can lead into its own source. Going up (`a/` to nothing), `a/a/x` goes to `a/x`,
 * which must be done by then; going down (`a/` to `a/a/`), `a/x` goes to `a/a/x`, which must be done by then. So both
 * work level by level: keys under `a/` but not under `a/a/` are one level, keys under that but not under `a/a/a/` the
 * next. Up starts at the highest level, down at the lowest. `rung` is the prefix that makes a level, empty if there is
 * only one.
 */
function ladderOf(request: CreateJob): { rung: string; down: boolean } {
  const { source_bucket, dest_bucket, prefix = '', dest_prefix = '' } = request
  if (dest_bucket !== source_bucket) return { rung: '', down: false }
  if (prefix.startsWith(dest_prefix)) return { rung: prefix.slice(dest_prefix.length), down: false }
  if (dest_prefix.startsWith(prefix)) return { rung: dest_prefix.slice(prefix.length), down: true }
  return { rung: '', down: false }
}

async function deepestLevel(tx: Tx, bucketId: string, prefix: string, rung: string): Promise<number> {
  for (let level = 0; ; level++) {
    const below = prefix + rung.repeat(level + 1)
    if (!(await hasKeyIn(tx, bucketId, { from: below, to: afterPrefix(below) }))) return level
  }
}

/** Named keys in level order, or as given if there is only one level. */
function inOrder(keys: readonly string[], prefix: string, rung: string, down: boolean): readonly string[] {
  if (rung === '') return keys
  const levelOf = (key: string): number => {
    let level = 0
    for (let at = prefix.length; key.startsWith(prefix) && key.startsWith(rung, at); at += rung.length) level++
    return down ? -level : level
  }
  const levels = new Map(keys.map((key) => [key, levelOf(key)]))
  return keys.toSorted((a, b) => (levels.get(a) ?? 0) - (levels.get(b) ?? 0))
}

/** The ranges in which the creator sees objects; everything else stays invisible, even in errors. */
function visibleRanges({ actor }: Upkeep, { kind, source_bucket }: CreateJob, prefix: string): Reach[] {
  const listed = reachOf(actor, 'list', source_bucket, prefix)
  if (listed.length > 0) return listed
  const right = kind === 'copy' || kind === 'move' ? 'read' : kind === 'tag' ? 'write' : 'delete'
  return reachOf(actor, right, source_bucket, prefix)
}

/** A range without the keys under a prefix. */
function without({ from, to, only }: Reach, prefix: string): Reach[] {
  const end = afterPrefix(prefix)
  const before: Reach = { from, to: to === null || compareKeys(prefix, to) < 0 ? prefix : to }
  const rest = end === null ? [] : [{ from: compareKeys(end, from) > 0 ? end : from, to }]
  return [before, ...rest]
    .filter((range) => range.to === null || compareKeys(range.from, range.to) < 0)
    .map((range) => (only ? { ...range, only } : range))
}

/**
 * Returns a test for keys that are named or lie in a named folder; naming the prefix itself excludes only its marker.
 */
export function excluder(exclude: readonly string[], prefix: string): (key: string) => boolean {
  const named = new Set(exclude)
  const folders = new Set(exclude.filter((name) => name !== prefix))
  return (key) => {
    if (named.has(key)) return true
    for (let slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', slash + 1))
      if (folders.has(key.slice(0, slash + 1))) return true
    return false
  }
}
