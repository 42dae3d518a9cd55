import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long a loop may block the event loop, in milliseconds. */
const MOST_MS = 10

/** For long loops: awaited in each step, it yields to the event loop once 10 ms have passed. */
export function takingTurns(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < MOST_MS) return
    await nextTurn()
    since = performance.now()
  }
}
