import { ProblemError } from '../../../../../contract/client.ts'
import type { Problem } from '../../../../../contract/shapes.ts'
import { bearer } from '../../../api/session.ts'

/** How long a connection may stall. */
const STALLED_MS = 90_000

/** No response: the network, the server, or the file on disk. */
export class Unreachable extends Error {}
/** The session has ended; only the user can start a new one. */
export class SignedOut extends Error {}

export interface Sending {
  url: string
  body: Blob
  headers?: Record<string, string>
  /** With the session's token. */
  authorized: boolean
  signal: AbortSignal
  progress: (bytes: number) => void
}
export interface Answer {
  status: number
  text: string
  etag: string | null
}

/**
 * PUTs bytes and reports progress, which `fetch` cannot. Throws ProblemError for an error response, Unreachable without
 * a response, and the signal's reason when aborted.
 */
export async function put(sending: Sending): Promise<Answer> {
  const token = sending.authorized ? await bearer() : undefined
  let answer = await once(sending, token)
  if (answer.status === 401 && sending.authorized) {
    const fresh = await bearer(token).catch(() => {
      throw new Unreachable()
    })
    if (fresh === undefined) throw new SignedOut()
    answer = await once(sending, fresh)
    if (answer.status === 401) throw new SignedOut()
  }
  if (answer.status >= 400) throw problemOf(answer)
  return answer
}

type Raw = Answer & { retryAfter: string | null }

function once({ url, body, headers = {}, signal, progress }: Sending, token: string | undefined): Promise<Raw> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const request = new XMLHttpRequest()
    let moved = Date.now()
    const watch = setInterval(() => {
      if (Date.now() - moved > STALLED_MS) request.abort()
    }, 5_000)
    const stop = () => request.abort()
    const finish = (settle: () => void) => {
      clearInterval(watch)
      signal.removeEventListener('abort', stop)
      settle()
    }
    request.upload.onprogress = ({ loaded }) => {
      moved = Date.now()
      progress(Math.min(loaded, body.size))
    }
    request.onload = () =>
      finish(() =>
        resolve({
          status: request.status,
          text: request.responseText,
          etag: request.getResponseHeader('etag'),
          retryAfter: request.getResponseHeader('retry-after'),
        }),
      )
    request.onerror = () => finish(() => reject(new Unreachable()))
    request.onabort = () => finish(() => reject(signal.aborted ? signal.reason : new Unreachable()))
    signal.addEventListener('abort', stop)
    request.open('PUT', url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    if (token !== undefined) request.setRequestHeader('authorization', `Bearer ${token}`)
    request.send(body)
  })
}

/** An error response in the client's form. A proxy in between may return anything. */
function problemOf({ status, text, retryAfter }: Raw): ProblemError {
  const response = new Response(null, { status, headers: retryAfter === null ? {} : { 'retry-after': retryAfter } })
  try {
    const problem = JSON.parse(text) as Problem
    if (typeof problem.code === 'string') return new ProblemError(problem, response)
  } catch {
    // Not an API problem.
  }
  const detail = text.replace(/<[^>]*>/g, ' ').trim()
  return new ProblemError(
    { status, code: 'unknown', title: `Refused (${status})`, detail: detail.slice(0, 200), request_id: '' },
    response,
  )
}
