import net from 'node:net'

/** How a body is sent: as long as it says, in chunks, or cut off before its declared end. */
export type Framing = 'length' | 'chunked' | 'short'

/** A request as it goes over the wire; nothing of it is normalised. */
export interface Wire {
  method: string
  /** Path and query; characters above 0xff are sent as UTF-8. */
  target: string
  headers: readonly (readonly [string, string])[]
  body: Buffer | undefined
  framing: Framing
}

export interface Answer {
  /** 0: the connection was closed without one. */
  status: number
  /** Names in lower case; of repeated ones the last. */
  headers: Readonly<Record<string, string>>
  body: Buffer
  milliseconds: number
}

/** The bytes of a request. */
export function encode({ method, target, headers, body, framing }: Wire): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  if (body !== undefined)
    lines.push(
      framing === 'chunked'
        ? 'Transfer-Encoding: chunked'
        : `Content-Length: ${body.length + (framing === 'short' ? 7 : 0)}`,
    )
  const head = Buffer.from(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`)
  if (body === undefined) return head
  if (framing !== 'chunked') return Buffer.concat([head, body])
  const chunk = body.length === 0 ? [] : [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]
  return Buffer.concat([head, ...chunk, Buffer.from('0\r\n\r\n')])
}

/** Sends a request on a connection of its own. Rejects when no whole answer has come in time. */
export function send(url: URL, wire: Wire, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const begun = performance.now()
    const chunks: Buffer[] = []
    const socket = net.connect({ host: url.hostname, port: Number(url.port), allowHalfOpen: true })
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no whole answer within ${timeoutMs} ms, only ${Buffer.concat(chunks).length} bytes`))
    }, timeoutMs)
    const done = () => {
      clearTimeout(timer)
      socket.destroy()
      try {
        resolve({ ...decode(Buffer.concat(chunks), wire.method), milliseconds: performance.now() - begun })
      } catch (error) {
        reject(error)
      }
    }
    socket.on('connect', () => {
      socket.write(encode(wire))
      // Half a body: the other side learns that no more comes.
      if (wire.framing === 'short' && wire.body) socket.end()
    })
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('end', done)
    // A refused body may end in a reset after its answer.
    socket.on('error', done)
  })
}

function decode(bytes: Buffer, method: string): Omit<Answer, 'milliseconds'> {
  if (bytes.length === 0) return { status: 0, headers: {}, body: bytes }
  let start = 0
  for (;;) {
    const end = bytes.indexOf('\r\n\r\n', start)
    if (end < 0) throw new Error(`no head of an answer: ${bytes.subarray(start, start + 200)}`)
    const [first = '', ...lines] = bytes.toString('latin1', start, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1])
    if (!status) throw new Error(`no status line: ${first}`)
    start = end + 4
    if (status < 200) continue
    const headers: Record<string, string> = {}
    for (const line of lines) {
      const colon = line.indexOf(':')
      if (colon < 1) throw new Error(`no header: ${JSON.stringify(line)}`)
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
    }
    const rest = bytes.subarray(start)
    const bare = method === 'HEAD' || status === 204 || status === 304
    return { status, headers, body: bare ? rest : bodyOf(rest, headers) }
  }
}

function bodyOf(bytes: Buffer, headers: Readonly<Record<string, string>>): Buffer {
  if (headers['transfer-encoding'] !== 'chunked') {
    const length = Number(headers['content-length'] ?? bytes.length)
    if (bytes.length !== length) throw new Error(`${bytes.length} bytes of a body of ${length}`)
    return bytes
  }
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at)
    const size = end < 0 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, end), 16)
    if (Number.isNaN(size)) throw new Error('a chunk without its size: the answer was cut off')
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
}
