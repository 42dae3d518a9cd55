import cluster, { type Worker } from 'node:cluster'
import type { WriteTurn } from '../db/turn.ts'

/** How long the others wait for a process that does not give its turn back: it hangs, or writes very much at once. */
const PATIENCE_MS = 1000

/** From a process: it wants the turn, it gives it back. To a process: it has the turn, another one wants it. */
type Message = { turn: 'ask' | 'given' | 'yours' | 'wanted' }

const isMessage = (said: unknown): said is Message => typeof said === 'object' && said !== null && 'turn' in said

/** In one of several processes: the turn that the primary hands out. */
export function turnFromPrimary(): WriteTurn {
  let state: 'none' | 'asked' | 'idle' | 'writing' = 'none'
  let wanted = false
  let hurry = (): void => undefined
  let got: ReturnType<typeof Promise.withResolvers<void>> | undefined
  const give = (): void => {
    state = 'none'
    wanted = false
    send({ turn: 'given' })
  }
  process.on('message', (said: unknown) => {
    if (!isMessage(said)) return
    if (said.turn === 'yours') {
      state = 'writing'
      got?.resolve()
    } else if (said.turn === 'wanted') {
      // Asked again after it was taken away: there is nothing to give back.
      if (state === 'idle') give()
      else if (state === 'writing') {
        wanted = true
        hurry()
      }
    }
  })
  return {
    take() {
      if (state === 'idle') {
        state = 'writing'
        return undefined
      }
      state = 'asked'
      got = Promise.withResolvers()
      send({ turn: 'ask' })
      return got.promise
    },
    end() {
      if (wanted) give()
      else state = 'idle'
    },
    wanted: () => wanted,
    onWanted(work) {
      hurry = work
    },
  }
}

/** In the primary: hands the turn to its processes in the order in which they ask. */
export function handOutTurns(): void {
  let holder: Worker | undefined
  let impatient: NodeJS.Timeout | undefined
  const queue: Worker[] = []
  const want = (): void => {
    if (!holder) return
    tell(holder, { turn: 'wanted' })
    impatient = setTimeout(next, PATIENCE_MS)
  }
  const next = (): void => {
    clearTimeout(impatient)
    holder = queue.shift()
    if (!holder) return
    tell(holder, { turn: 'yours' })
    if (queue.length > 0) want()
  }
  const forget = (gone: Worker): void => {
    const at = queue.indexOf(gone)
    if (at >= 0) queue.splice(at, 1)
    if (holder === gone) next()
  }
  cluster.on('message', (from, said: unknown) => {
    if (!isMessage(said)) return
    if (said.turn === 'given' && holder === from) next()
    if (said.turn !== 'ask') return
    queue.push(from)
    if (!holder || holder === from) next()
    else if (queue.length === 1) want()
  })
  cluster.on('exit', forget)
  cluster.on('disconnect', forget)
}

/** For a message to a process that is just exiting. */
const ignore = (): void => undefined
const tell = (to: Worker, message: Message): void => void (to.isConnected() && to.send(message, ignore))
const send = (message: Message): void => void process.send?.(message, undefined, undefined, ignore)
