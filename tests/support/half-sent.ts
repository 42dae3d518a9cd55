import net from 'node:net'

export interface HalfSent {
  /** `<METHOD> <path>` as on the wire. */
  line: string
  headers?: Record<string, string>
  /** Sent in two halves. */
  body: string | Buffer
}
export interface Refusal {
  status: number
  code: string | undefined
}
export interface Half {
  /** Null if the service asked for the body; half of it has then been sent. */
  refused: (Refusal & { retryAfter: string | undefined }) | null
  /** Sends the rest and returns the response. */
  finish(): Promise<Refusal>
  /** Aborts the request, and resolves when the connection is closed. */
  abandon(): Promise<void>
}

const parse = (answer: string) => ({
  status: Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]),
  code: /"code":"(\w+)"/.exec(answer)?.[1],
})

/** Sends the head of a request with `Expect: 100-continue`, and half of its body once the service asks for it. */
export async function sendHalf(url: string, { line, headers = {}, body }: HalfSent): Promise<Half> {
  const { hostname, port } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  let text = ''
  let heard = () => {}
  const first = new Promise<void>((resolve) => {
    heard = resolve
  })
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('data', (chunk) => {
    text += chunk
    heard()
  })
  socket.on('error', () => heard())
  socket.setTimeout(60_000, () => socket.destroy())
  const bytes = Buffer.from(body)
  const all = { Host: 'x', Connection: 'close', Expect: '100-continue', 'Content-Length': bytes.length }
  const head = Object.entries({ ...all, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${line} HTTP/1.1\r\n${head.join('')}\r\n`)
  await first
  const wanted = text.startsWith('HTTP/1.1 100 ')
  if (!wanted) await closed
  const middle = Math.ceil(bytes.length / 2)
  if (wanted) socket.write(bytes.subarray(0, middle))
  return {
    refused: wanted ? null : { ...parse(text), retryAfter: /^retry-after: (\d+)/im.exec(text)?.[1] },
    async finish() {
      socket.write(bytes.subarray(middle))
      await closed
      return parse(text.slice(text.indexOf('\r\n\r\n') + 4))
    },
    async abandon() {
      socket.destroy()
      await closed
    },
  }
}

/**
 * Sends half of a request, waits for `meanwhile`, and sends the rest. So `meanwhile` runs after the caller was
 * authenticated and before the change is made.
 */
export async function halfSent(url: string, request: HalfSent, meanwhile: () => Promise<unknown>): Promise<Refusal> {
  const half = await sendHalf(url, request)
  if (half.refused) throw new Error(`The body was not wanted: ${half.refused.status} ${half.refused.code}`)
  await meanwhile()
  return half.finish()
}
