import { perSystem } from '../../base/per-system.ts'
import { HOUR_MS } from '../../base/time.ts'
import type { Ctx, Origin } from '../../context.ts'
import type { Delivery } from '../../http/delivery.ts'

/** Maximum entries: requests may name any bucket, including ones that do not exist. */
const MOST = 20_000

export interface Traffic {
  uploaded_bytes: number
  downloaded_bytes: number
  requests: number
}
/** This process's traffic in one hour, for a bucket given by id or name, or for none. */
export interface Counts extends Traffic {
  /** Since the epoch. */
  hour: number
  id: string | null
  name: string | null
}
type Counting = Pick<Ctx, 'config' | 'now'>

const countedOf = perSystem(() => new Map<string, Counts>())
/** The bucket of requests whose path does not name it. */
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

/** Notes the bucket of a request whose path does not name it: a link, a signed URL. */
export const noteBucket = ({ actor }: Pick<Ctx, 'actor'>, bucket: string): void =>
  void bucketOf.set(actor.origin, bucket)

/** Counts a finished request for the bucket in its path, or else the one given to `noteBucket`. */
export function countRequest(ctx: Counting, origin: Origin | undefined, bucket: string | undefined): void {
  entry(ctx, null, bucket ?? (origin && bucketOf.get(origin)) ?? null).requests++
}

/** Counts content bytes received for a bucket. */
export function countUpload(ctx: Counting, bucketId: string, bytes: number): void {
  if (bytes > 0) entry(ctx, bucketId, null).uploaded_bytes += bytes
}

/** Counts the bytes actually sent of a response whose body is a bucket's contents. */
export function countDownload(ctx: Counting, bucketId: string, { status, bytes }: Delivery): void {
  if (status < 300 && bytes > 0) entry(ctx, bucketId, null).downloaded_bytes += bytes
}

/** Takes everything counted; a caller that cannot store it must put it back. */
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
