import fs from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** States of a connection that its process has closed while the kernel still sends: FIN_WAIT1, LAST_ACK, CLOSING. */
const CLOSED = new Set(['04', '09', '0B'])
const PAUSE_MS = 50
/** How long a client may take nothing at all. */
const PATIENCE_MS = 30_000

/** How many bytes the kernel has not delivered of connections to these local ports that were closed; 0 except on Linux. */
export function undelivered(ports: readonly number[]): number {
  let bytes = 0
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of readOrNone(file).split('\n').slice(1)) {
      const [, local = '', , state = '', queues = ''] = line.trim().split(/\s+/)
      const port = Number.parseInt(local.split(':')[1] ?? '', 16)
      if (CLOSED.has(state) && ports.includes(port)) bytes += Number.parseInt(queues, 16)
    }
  return bytes
}

const readOrNone = (file: string): string => {
  try {
    return fs.readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

/**
 * Resolves when clients have received the last bytes of closed connections to these local ports, up to some megabytes that
 * wait in the kernel for a slow client; or when no client has received any for half a minute. The kernel delivers
 * them without the process, but where the process is a container's, its network ends with it.
 */
export async function flushed(ports: readonly number[], patienceMs = PATIENCE_MS): Promise<void> {
  let left = Number.POSITIVE_INFINITY
  let since = performance.now()
  while (true) {
    const bytes = undelivered(ports)
    if (bytes === 0) return
    if (bytes < left) since = performance.now()
    else if (performance.now() - since > patienceMs) return
    left = bytes
    await pause(PAUSE_MS)
  }
}
