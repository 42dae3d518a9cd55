import { ProblemError } from './send.ts'

export interface RetryOptions {
  /** Maximum number of attempts per call. Default 4; 1 never retries. */
  attempts?: number
  /** The first pause in milliseconds; each following one is twice as long, with some randomness. Default 300. */
  firstPause?: number
  /** The longest pause. If the service asks for a longer one (Retry-After), the call fails. Default 30,000. */
  longestPause?: number
}

/** POSTs that can safely be repeated: they change nothing, or return the same result again. */
const repeatable = new Set(['completeUpload', 'objectsExist', 'presignObject', 'archiveSelection', 'previewPolicy'])

export interface Attempted {
  name: string
  method: string
  /** The body can be read only once. */
  streams: boolean
  /** The call has a condition that its own success may have made false. */
  conditional: boolean
}

/** Milliseconds until the next attempt; null if there must be none. */
export function pauseAfter(error: unknown, call: Attempted, attempt: number, options: RetryOptions): number | null {
  const { attempts = 4, firstPause = 300, longestPause = 30_000 } = options
  if (attempt >= attempts || call.streams) return null
  const idempotent = call.method !== 'POST' && call.method !== 'PATCH'
  if (!idempotent && !repeatable.has(call.name)) return null
  const pause = Math.min(longestPause, firstPause * 2 ** (attempt - 1) * (1 + Math.random() / 2))
  // fetch throws a TypeError if there was no response: the call may or may not have been carried out.
  if (error instanceof TypeError) return call.method === 'DELETE' || call.conditional ? null : pause
  if (!(error instanceof ProblemError) || ![429, 503].includes(error.response.status)) return null
  const asked = retryAfter(error.response)
  if (asked === null) return pause
  return asked <= longestPause ? Math.max(asked, pause) : null
}

/** The Retry-After header in milliseconds. */
function retryAfter({ headers }: Response): number | null {
  const value = headers.get('retry-after')
  if (value === null) return null
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}
