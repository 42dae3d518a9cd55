import { perSystem } from '../../base/per-system.ts'
import { HOUR_MS } from '../../base/time.ts'
import type { Ctx, Origin } from '../../context.ts'
import type { Delivery } from '../../http/delivery.ts'

/** Entries of the map at most: names of buckets come with requests, also names of buckets that are not there. */
const MOST = 20_000

export interface Traffic {
  uploaded_bytes: number
  downloaded_bytes: number
  requests: number
}
/** What went through this process in one hour, of a bucket by its id or name, or of none. */
export interface Counts extends Traffic {
  /** Since the epoch. */
  hour: number
  id: string | null
  name: string | null
}
type Counting = Pick<Ctx, 'config' | 'now'>

const countedOf = perSystem(() => new Map<string, Counts>())
/** Of requests whose path does not name their bucket. */
const bucketOf = new WeakMap<Origin, string>()

function entry({ config, now }: Counting, id: string | null, name: string | null): Counts {
  const counts = countedOf(config)
  const hour = Math.floor(now().getTime() / HOUR_MS)
  const key = id === null ? `${hour}=${name ?? ''}` : `${hour}#${id}`
  const known = counts.get(key)
  if (known) return known
  if (counts.size >= MOST && (id ?? name) !== null) return entry({ config, now }, null, null)
  const fresh = { hour, id, name, uploaded_bytes: 0, downloaded_bytes: 0, requests: 0 }
  counts.set(key, fresh)
  return fresh
}

/** Says which bucket a request is about where its path does not: a link, a signed URL. */
export const noteBucket = ({ actor }: Pick<Ctx, 'actor'>, bucket: string): void =>
  void bucketOf.set(actor.origin, bucket)

/** Counts a request when it is over: of the bucket that its path names, else of the one that `noteBucket` said. */
export function countRequest(ctx: Counting, origin: Origin | undefined, bucket: string | undefined): void {
  entry(ctx, null, bucket ?? (origin && bucketOf.get(origin)) ?? null).requests++
}

/** Counts bytes of contents that were received for a bucket. */
export function countUpload(ctx: Counting, bucketId: string, bytes: number): void {
  if (bytes > 0) entry(ctx, bucketId, null).uploaded_bytes += bytes
}

/** Counts what was really sent of an answer whose body is contents of a bucket. */
export function countDownload(ctx: Counting, bucketId: string, { status, bytes }: Delivery): void {
  if (status < 300 && bytes > 0) entry(ctx, bucketId, null).downloaded_bytes += bytes
}

/** Takes all that was counted; who cannot write it down gives it back. */
export function takeCounts({ config }: Counting): Counts[] {
  const counted = countedOf(config)
  const counts = [...counted.values()]
  counted.clear()
  return counts
}

export function giveBack({ config }: Counting, counts: readonly Counts[]): void {
  for (const { hour, id, name, uploaded_bytes, downloaded_bytes, requests } of counts) {
    const own = entry({ config, now: () => new Date(hour * HOUR_MS) }, id, name)
    own.uploaded_bytes += uploaded_bytes
    own.downloaded_bytes += downloaded_bytes
    own.requests += requests
  }
}
