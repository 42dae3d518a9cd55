import { pause } from '../../../client/pause.ts'
import { takeEarly } from './early.ts'

const PING_MS = [500, 1000, 2000, 4000, 8000, 15_000]
const PING_TIMEOUT_MS = 5000

/** Whether the server responds now. */
export const ping = (): Promise<boolean> =>
  fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(PING_TIMEOUT_MS) }).then(
    (answer) => answer.status < 500,
    () => false,
  )

let away: Promise<void> | undefined
const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}

/** Whether the server does not respond at the moment, as far as the page knows. */
export const isAway = (): boolean => away !== undefined
/** Called whenever `isAway` changes. Returns what ends that. */
export const onReach = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Waits until the server responds. Returns whether it was unreachable. */
export async function untilReachable(): Promise<boolean> {
  if (!away && (await ping())) return false
  if (!away) {
    away = untilBack().finally(() => {
      away = undefined
      tell()
    })
    tell()
  }
  await away
  return true
}

async function untilBack(): Promise<void> {
  for (let i = 0; ; i++) {
    const sooner = new AbortController()
    const wake = () => sooner.abort()
    addEventListener('online', wake, { once: true })
    await pause(PING_MS[Math.min(i, PING_MS.length - 1)] as number, sooner.signal).catch(() => undefined)
    removeEventListener('online', wake)
    if (await ping()) return
  }
}

/** There was no response: `fetch` throws a TypeError then. */
export const isUnreachable = (error: unknown): boolean => error instanceof TypeError

/** `fetch` that finds out whether the server is away when there is no response. */
export const watchedFetch: typeof fetch = async (input, init) => {
  try {
    return await (takeEarly(init?.method ?? 'GET', String(input)) ?? fetch(input, init))
  } catch (error) {
    if (isUnreachable(error)) void untilReachable()
    throw error
  }
}
