import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'

/** A way to PostgreSQL that counts the statements that are sent through it. */
export interface Counted {
  url: string
  count(): number
  stop(): void
}

/** Starts one before the server at `url`, without TLS. */
export async function countStatements(url: string): Promise<Counted> {
  const { hostname, port } = new URL(url)
  const open = new Set<net.Socket>()
  let count = 0
  const server = net.createServer((client) => {
    const there = net.connect(Number(port), hostname)
    const seen = statementsIn()
    client.on('data', (chunk: Buffer) => {
      count += seen(chunk)
    })
    for (const [from, to] of [
      [client, there],
      [there, client],
    ] as const) {
      open.add(from)
      from.pipe(to)
      // One that breaks ends the other.
      from.on('error', () => to.destroy()).on('close', () => open.delete(from))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    count: () => count,
    stop() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

/**
 * Counts, in what one client sends, the messages that run a statement: Query and Bind (PostgreSQL's manual, "Message
 * Formats"). All but the first have a type of one byte, and a length that counts itself.
 */
function statementsIn(): (chunk: Buffer) => number {
  let rest = Buffer.alloc(0)
  let isStarted = false
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    let found = 0
    for (;;) {
      const head = isStarted ? 1 : 0
      if (rest.length < head + 4) return found
      const length = head + rest.readUInt32BE(head)
      if (rest.length < length) return found
      const type = isStarted ? String.fromCharCode(rest[0] ?? 0) : ''
      if (type === 'Q' || type === 'B') found++
      isStarted = true
      rest = rest.subarray(length)
    }
  }
}
