import { createHash } from 'node:crypto'
import { ServiceError } from '../../../contract/errors.ts'
import { compareKeys } from '../../../contract/permissions.ts'
import type { ReplicationDifferences, ReplicationRule } from '../../../contract/replication.ts'
import { decodeCursor, encodeCursor } from '../../base/cursor.ts'
import { chunksOf } from '../../blobs/copy.ts'
import { openBlob } from '../../blobs/open.ts'
import type { Ctx } from '../../context.ts'
import { explain } from '../../drivers/explain.ts'
import type { ExternalSource, ListedObject } from '../../drivers/external.ts'
import { reasonOf } from './copy.ts'
import * as lookups from './lookups.ts'
import { readRules, ruleFor } from './rules.ts'
import { findForVerify } from './settings.ts'

type Difference = ReplicationDifferences['differences'][number]

/** Objects of ours that one call compares at most, and bytes that it reads of them: no request may take too long. */
const PAGE = 1000
const MOST_READ = 256 * 1024 ** 2

/**
 * Compares the next keys of a bucket with those of its replica; for administrators. What is queued is not compared: it is
 * about to change. Throws conflict if the place cannot be listed.
 */
export async function verifyReplication(
  ctx: Ctx,
  name: string,
  { cursor }: { cursor?: string | undefined },
): Promise<ReplicationDifferences> {
  const replica = await findForVerify(ctx, name)
  const { bucket_id, storage_id, prefix } = replica
  const rules = readRules(replica.rules)
  const [after = ''] = decodeCursor(cursor, 1) ?? []
  const unusable = (error: unknown): never => {
    if (error instanceof ServiceError) throw error
    throw new ServiceError('conflict', `The replica cannot be listed. ${explain(error)}`, { cause: error })
  }
  const source = await ctx.blobs.source(storage_id).catch(unusable)
  const page = await source.list(prefix, after === '' ? {} : { after: prefix + after }).catch(unusable)
  const last = page.objects.at(-1)
  if (page.next !== undefined && !last)
    throw new ServiceError('conflict', 'The replica cannot be listed: it has too many keys that no object can have.')
  const listedTo = page.next === undefined ? null : (last?.key ?? '').slice(prefix.length)
  const rows = await lookups.listComparable(ctx.db, bucket_id, { after, to: listedTo }, PAGE)
  // Where there are more of ours than a page has, the list counts as far as these go.
  const end = rows.length === PAGE ? (rows.at(-1)?.key ?? null) : listedTo
  const there = new Map(page.objects.map((object) => [object.key.slice(prefix.length), object]))
  const ours = new Map(rows.map((row) => [row.key, row]))
  const keys = [...new Set([...there.keys(), ...ours.keys()])]
    .filter((key) => end === null || compareKeys(key, end) <= 0)
    .sort(compareKeys)
  const queued = await lookups.findQueuedKeys(ctx.db, bucket_id, keys)
  const differences = page.refused.map(({ key, reason }): Difference => ({ key, kind: 'extra', detail: reason }))
  const found: ReplicationDifferences = { checked: 0, waiting: 0, differences, next_cursor: null }
  let read = 0
  for (const key of keys) {
    const pair = { key, row: ours.get(key), object: there.get(key) }
    if (isDue(rules, pair.row)) found.checked++
    if (queued.has(key)) {
      found.waiting++
      continue
    }
    const compared = await compare(ctx, { source, rules }, pair)
    read += compared.read
    if (compared.difference) differences.push(compared.difference)
    if (read > MOST_READ) return { ...found, next_cursor: encodeCursor([key]) }
  }
  return { ...found, next_cursor: end === null ? null : encodeCursor([end]) }
}

/** Whether an object has to be in the replica. */
const isDue = (rules: readonly ReplicationRule[], row: lookups.Comparable | undefined): row is lookups.Comparable =>
  row !== undefined && ruleFor(rules, row) !== undefined

interface Pair {
  key: string
  row: lookups.Comparable | undefined
  object: ListedObject | undefined
}

async function compare(
  ctx: Ctx,
  { source, rules }: { source: ExternalSource; rules: readonly ReplicationRule[] },
  { key, row, object }: Pair,
): Promise<{ difference?: Difference; read: number }> {
  const differs = (kind: Difference['kind'], detail: string, read = 0) => ({ difference: { key, kind, detail }, read })
  // What no rule asks for may be there from before.
  if (!row) return object ? differs('extra', 'It is only in the replica.') : { read: 0 }
  if (!isDue(rules, row)) return { read: 0 }
  if (!object) return differs('missing', 'It is not in the replica.')
  if (object.size !== row.size)
    return differs('different', `It has ${object.size} bytes in the replica instead of ${row.size}.`)
  const known = row.md5 ?? (row.encryption === null && isMd5(row.etag) ? row.etag : null)
  if (known !== null && object.etag === known) return { read: 0 }
  try {
    const ref = { ...object, version_id: null, modified_at: object.modified_at.toISOString() }
    const [here, replica] = [known ?? (await md5Of(await openBlob(ctx, row))), await md5Of(await source.get(ref))]
    return here === replica ? { read: row.size } : differs('different', 'Its bytes are other ones.', row.size)
  } catch (error) {
    return differs('unreadable', reasonOf(error), row.size)
  }
}

const isMd5 = (etag: string): boolean => /^[0-9a-f]{32}$/.test(etag)

async function md5Of(body: Parameters<typeof chunksOf>[0]): Promise<string> {
  const hash = createHash('md5')
  for await (const chunk of chunksOf(body)) hash.update(chunk)
  return hash.digest('hex')
}
