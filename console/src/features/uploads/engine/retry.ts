import { ProblemError } from '../../../../../client/derived.ts'
import { pause } from '../../../../../client/pause.ts'
import { untilReachable } from '../../../api/reach.ts'
import { Unreachable } from './send.ts'

const TRIES = 5
const FIRST_MS = 500
const LONGEST_MS = 30_000

/** The file on disk has changed since it was chosen. */
export class Unreadable extends Error {}

/** Settles with a shared promise, unless the signal aborts this wait. */
export const unlessAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })

/** Waits until the server responds; returns whether it was unreachable. */
export const whenReachable = (signal: AbortSignal): Promise<boolean> => unlessAborted(untilReachable(), signal)

/** Whether a retry may succeed. */
const passes = (error: unknown): boolean =>
  error instanceof ProblemError && (error.response.status >= 500 || [408, 425, 429].includes(error.response.status))
/** `fetch` throws TypeError when there is no response. */
const isLost = (error: unknown): boolean => error instanceof Unreachable || error instanceof TypeError

function delay(failures: number, error: unknown): number {
  const asked = error instanceof ProblemError ? Number(error.response.headers.get('retry-after') ?? 0) * 1000 : 0
  const grown = Math.min(LONGEST_MS, FIRST_MS * 2 ** failures)
  return Math.max(asked || 0, grown * (0.5 + Math.random() / 2))
}

export interface Circumstances {
  signal: AbortSignal
  /** The file being read. */
  file?: Blob
  /** Waits until the server responds; returns whether it was unreachable. */
  reach(signal: AbortSignal): Promise<boolean>
  /** Called if a request may have succeeded without a response. */
  lost?: () => void
}

/**
 * Runs it until it succeeds. Temporary failures are retried five times with growing delays; failures because the server
 * is unreachable are retried once it is back, and not counted.
 */
export async function persistently<T>(
  { signal, file, reach, lost }: Circumstances,
  work: () => Promise<T>,
): Promise<T> {
  for (let failures = 0; ; ) {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (!isLost(error) && !passes(error)) throw error
      lost?.()
      if (isLost(error)) {
        if (file && !(await isReadable(file))) throw new Unreadable()
        if (await reach(signal)) continue
      }
      if (++failures > TRIES) throw error
      await pause(delay(failures - 1, error), signal)
    }
  }
}

const isReadable = (file: Blob): Promise<boolean> =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )
