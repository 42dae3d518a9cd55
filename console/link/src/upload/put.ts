import { refusedBy } from '../api.ts'

export interface PutOptions {
  headers?: { readonly [name: string]: string }
  signal: AbortSignal
  onSent: (bytes: number) => void
  /** Ends a request during which nothing was sent for so many milliseconds: some connections break without a sign. */
  stalledAfter?: number
}

/**
 * Sends bytes and returns the JSON that is answered. Rejects with `Refused`; with status 0 if the connection broke or
 * `signal` ended it. A request of its own kind, because `fetch` does not tell how much was sent.
 */
export function put<T>(
  url: string,
  body: Blob,
  { headers = {}, signal, onSent, stalledAfter }: PutOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const stop = () => request.abort()
    let stalled: ReturnType<typeof setTimeout> | undefined
    const watch = () => {
      clearTimeout(stalled)
      if (stalledAfter !== undefined) stalled = setTimeout(stop, stalledAfter)
    }
    signal.addEventListener('abort', stop)
    request.onloadend = () => {
      clearTimeout(stalled)
      signal.removeEventListener('abort', stop)
    }
    request.upload.onprogress = ({ loaded }) => {
      watch()
      onSent(loaded)
    }
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText) as T)
      else reject(refusedBy(request.status, request.responseText))
    }
    request.onerror = () => reject(refusedBy(0, ''))
    request.onabort = request.onerror
    request.open('PUT', url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    if (signal.aborted) return reject(refusedBy(0, ''))
    watch()
    request.send(body)
  })
}
