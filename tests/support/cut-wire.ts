import { once } from 'node:events'
import net from 'node:net'
import { reset } from './reset.ts'

/** A TCP proxy in front of a service, whose connections a test can break. */
export interface CutWire {
  url: string
  /** Bytes that clients have sent through it. */
  sent(): number
  /** Breaks every connection, and each new one, once clients have sent this many bytes in all. */
  cutAt(bytes: number): void
  /** Lets the large requests wait once clients have sent this many bytes in all; others pass. */
  holdAt(bytes: number): void
  mend(): void
  close(): void
}

/** Bytes: more than the head of a request. */
const LARGE = 8192

export async function cutWire(target: string): Promise<CutWire> {
  const { hostname, port } = new URL(target)
  const open = new Set<net.Socket>()
  let sent = 0
  let limit = Number.POSITIVE_INFINITY
  let hold = Number.POSITIVE_INFINITY
  let release = () => {}
  let released = Promise.resolve()
  const cut = () => {
    for (const socket of open) reset(socket)
  }
  const server = net.createServer((client) => {
    if (sent >= limit) return reset(client)
    const upstream = net.connect(Number(port), hostname)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
    }
    client.on('data', async (chunk: Buffer) => {
      sent += chunk.length
      if (sent >= limit) cut()
      client.pause()
      if (sent >= hold && chunk.length > LARGE) await released
      if (upstream.write(chunk)) client.resume()
      else upstream.once('drain', () => client.resume())
    })
    client.on('end', () => upstream.end())
    upstream.pipe(client)
    return undefined
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    sent: () => sent,
    cutAt(bytes) {
      limit = bytes
    },
    holdAt(bytes) {
      hold = bytes
      released = new Promise((go) => {
        release = go
      })
    },
    mend() {
      limit = Number.POSITIVE_INFINITY
      hold = Number.POSITIVE_INFINITY
      release()
    },
    close() {
      server.close()
      cut()
    },
  }
}
