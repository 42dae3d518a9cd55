import { QueryObserver } from '@tanstack/react-query'
import { bucketQuery, roomIn, totalsOf } from '../../api/buckets.ts'
import { queries } from '../../api/queries.ts'
import type { Engine } from './engine/engine.ts'

/** How often a bucket is asked for room while files wait for it. */
const LOOK_MS = 15_000
const LONGEST_MS = 5 * 60_000

/**
 * Continues what waits for room in a bucket once its figures show some. They may not be all that the server goes by, so a
 * bucket that refuses again is tried ever less often. Returns what to call when a file has arrived in a bucket.
 */
export function watchRoom(engine: Engine): (bucket: string) => void {
  const watched = new Map<string, () => void>()
  const refusals = new Map<string, number>()
  /** When something was last sent there: earlier figures are out of date. */
  const sentAt = new Map<string, number>()
  const watch = (bucket: string) => {
    const observer = new QueryObserver(queries, {
      ...bucketQuery(bucket),
      // Whoever sees only parts of the bucket learns nothing of its room.
      refetchInterval: ({ state }) => (state.data && totalsOf(state.data) === null ? false : LOOK_MS),
      refetchIntervalInBackground: true,
    })
    return observer.subscribe(({ data, dataUpdatedAt }) => {
      const refused = refusals.get(bucket) ?? 0
      const wait = refused === 0 ? 0 : Math.min(LONGEST_MS, LOOK_MS * 2 ** (refused - 1))
      if (!data || totalsOf(data) === null || dataUpdatedAt <= (sentAt.get(bucket) ?? 0) + wait) return
      if (engine.fill(bucket, roomIn(data) ?? Number.POSITIVE_INFINITY) === 0) return
      refusals.set(bucket, refused + 1)
      sentAt.set(bucket, Date.now())
    })
  }
  engine.store.subscribe(() => {
    const { full } = engine.store.snapshot()
    for (const bucket of full.keys())
      if (!watched.has(bucket)) {
        sentAt.set(bucket, Date.now())
        watched.set(bucket, watch(bucket))
      }
    for (const [bucket, stop] of watched)
      if (!full.has(bucket)) {
        stop()
        watched.delete(bucket)
      }
  })
  return (bucket) => {
    refusals.delete(bucket)
    sentAt.set(bucket, Date.now())
  }
}
