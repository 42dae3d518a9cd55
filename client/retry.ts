import { ProblemError } from './send.ts'

export interface RetryOptions {
  /** How often a call is made at most. Default 4; 1 never repeats. */
  attempts?: number
  /** The first pause in milliseconds; each next one is twice as long, and a little random. Default 300. */
  firstPause?: number
  /** The longest pause. A service that asks for a longer one (Retry-After) is not waited for. Default 30,000. */
  longestPause?: number
}

/** POSTs that may be made twice: they change nothing, or answer the same when asked again. */
const repeatable = new Set(['completeUpload', 'objectsExist', 'presignObject', 'archiveSelection', 'previewPolicy'])

export interface Attempted {
  name: string
  method: string
  /** The body can be read only once. */
  streams: boolean
  /** The call has a condition that it may itself have broken by having been done. */
  conditional: boolean
}

/** Milliseconds until the next attempt; null where there must be none. */
export function pauseAfter(error: unknown, call: Attempted, attempt: number, options: RetryOptions): number | null {
  const { attempts = 4, firstPause = 300, longestPause = 30_000 } = options
  if (attempt >= attempts || call.streams) return null
  const idempotent = call.method !== 'POST' && call.method !== 'PATCH'
  if (!idempotent && !repeatable.has(call.name)) return null
  const pause = Math.min(longestPause, firstPause * 2 ** (attempt - 1) * (1 + Math.random() / 2))
  // fetch throws a TypeError where there was no answer: nobody knows whether it was done.
  if (error instanceof TypeError) return call.method === 'DELETE' || call.conditional ? null : pause
  if (!(error instanceof ProblemError) || ![429, 503].includes(error.response.status)) return null
  const asked = retryAfter(error.response)
  if (asked === null) return pause
  return asked <= longestPause ? Math.max(asked, pause) : null
}

/** What Retry-After asks for, in milliseconds. */
function retryAfter({ headers }: Response): number | null {
  const value = headers.get('retry-after')
  if (value === null) return null
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}
