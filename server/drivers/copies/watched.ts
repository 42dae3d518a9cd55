import { within } from '../../base/deadline.ts'
import type { RecyclingSource } from '../../base/recycling-source.ts'

/** A source whose reader is watched. */
export interface Watched {
  source: RecyclingSource
  /** Resolves when the source has been read to its end. */
  over: Promise<void>
  /** Ends the watching; to be called whatever happens. */
  end(): void
}

/**
 * The same chunks; `onStall` is called once their reader has not come back for the next within `limitMs`. How long it takes after
 * the last is not watched.
 */
export function watched(source: RecyclingSource, limitMs: number, onStall: (error: Error) => void): Watched {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  /** Since when the reader has been working on a chunk; undefined while it waits for one, and after the last. */
  let since: number | undefined = performance.now()
  async function* passing() {
    since = undefined
    for await (const chunk of source) {
      since = performance.now()
      yield chunk
      since = undefined
    }
    resolve()
  }
  const timer = setInterval(() => {
    if (since === undefined || performance.now() - since <= limitMs) return
    clearInterval(timer)
    onStall(new Error(`The place of a copy has made no progress within ${limitMs} ms`))
  }, limitMs / 4)
  const { recycle } = source
  const passed = recycle ? Object.assign(passing(), { recycle }) : passing()
  return { source: passed, over, end: () => clearInterval(timer) }
}

/** How many times the limit the last step of a copy may take, in which an engine joins what it was sent, or a disk syncs it. */
const LAST_STEP = 4

/** Resolves as a copy does that has been given all of its source, or rejects if that takes much longer than `limitMs`. */
export const lastStep = <T>(limitMs: number, copying: Promise<T>): Promise<T> => within(LAST_STEP * limitMs, copying)

/** Resolves as `copy` does, or rejects once that has made no progress for so long. */
export async function whileItMoves<T>(
  source: RecyclingSource,
  limitMs: number,
  copy: (source: RecyclingSource) => Promise<T>,
): Promise<T> {
  const { promise: stalled, reject } = Promise.withResolvers<never>()
  const watch = watched(source, limitMs, reject)
  const copying = copy(watch.source)
  copying.catch(() => undefined)
  try {
    return await Promise.race([copying, stalled, watch.over.then(() => lastStep(limitMs, copying))])
  } finally {
    watch.end()
  }
}
