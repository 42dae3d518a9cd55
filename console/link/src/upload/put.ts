import { refusedBy } from '../api.ts'

/**
 * Sends bytes and returns the JSON that is answered. Rejects with `Refused`; with status 0 if the connection broke or
 * `signal` ended it. A request of its own kind, because `fetch` does not tell how much was sent.
 */
export function put<T>(
  url: string,
  body: Blob,
  options: { headers: { readonly [name: string]: string }; signal: AbortSignal; onSent: (bytes: number) => void },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const stop = () => request.abort()
    options.signal.addEventListener('abort', stop)
    request.onloadend = () => options.signal.removeEventListener('abort', stop)
    request.upload.onprogress = ({ loaded }) => options.onSent(loaded)
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText) as T)
      else reject(refusedBy(request.status, request.responseText))
    }
    request.onerror = () => reject(refusedBy(0, ''))
    request.onabort = request.onerror
    request.open('PUT', url)
    for (const [name, value] of Object.entries(options.headers)) request.setRequestHeader(name, value)
    if (options.signal.aborted) reject(refusedBy(0, ''))
    else request.send(body)
  })
}
