import type http from 'node:http'
import { perSystem } from '../base/per-system.ts'

/** Most bytes of a document that is read without waiting for others. */
const SMALL = 65_536
/** How many larger ones are read at once, of all callers. */
const MOST_AT_ONCE = 8

/** Whether a body, which becomes one document in memory, may be a large one. */
export const mayBeLarge = ({ headers }: Pick<http.IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > SMALL

interface Turns {
  /** Callers whose document is being read. */
  reading: Set<string>
  /** In the order in which they came. */
  waiting: { caller: string; begin: () => void }[]
}
const turnsOf = perSystem((): Turns => ({ reading: new Set(), waiting: [] }))

/**
 * Waits until the caller, a user's id or an address, may send a large document: one at a time each, eight over all. What
 * is waiting is still at the client. Resolves with what ends the turn, which may be called more than once; it also ends with
 * the connection.
 */
export async function takeTurn(config: object, caller: string, response: http.ServerResponse): Promise<() => void> {
  const turns = turnsOf(config)
  const { promise, resolve } = Promise.withResolvers<void>()
  const place = { caller, begin: resolve }
  let ended = false
  const end = () => {
    if (ended) return
    ended = true
    response.off('close', end)
    const at = turns.waiting.indexOf(place)
    if (at >= 0) turns.waiting.splice(at, 1)
    else turns.reading.delete(caller)
    admit(turns)
    // Whoever left is not kept waiting: what they do next fails by itself.
    resolve()
  }
  response.once('close', end)
  turns.waiting.push(place)
  // Who left before will not leave again.
  if (response.closed) end()
  admit(turns)
  await promise
  return end
}

/** Lets those read who may, the first first. */
function admit({ reading, waiting }: Turns): void {
  for (let i = 0; i < waiting.length && reading.size < MOST_AT_ONCE; ) {
    const { caller, begin } = waiting[i] as Turns['waiting'][number]
    if (reading.has(caller)) i++
    else {
      waiting.splice(i, 1)
      reading.add(caller)
      begin()
    }
  }
}
