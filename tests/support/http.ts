import http from 'node:http'

export interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  body: Buffer
  /** The body as JSON. */
  json<T = Record<string, unknown>>(): T
}

/** Sends a request exactly as written: nothing normalizes the path or adds a header. */
export function request(options: {
  url: string
  path: string
  method?: string
  token?: string
  headers?: http.OutgoingHttpHeaders
  body?: Uint8Array | string
  /** Default: a connection of its own. */
  agent?: http.Agent | undefined
}): Promise<Answer> {
  const { url, path, method = 'GET', token, headers = {}, body, agent = false } = options
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const all = { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers }
    const sent = http.request({ hostname, port, path, method, headers: all, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: bytes,
          json: <T>() => JSON.parse(bytes.toString()) as T,
        })
      })
    })
    sent.on('error', reject)
    // As bytes: with a string body, Node would send the head in that string's encoding.
    sent.end(body === undefined ? undefined : Buffer.from(body))
  })
}
