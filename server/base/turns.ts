import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long a loop may go on before others have their turn, in milliseconds. */
const MOST_MS = 10

/** For loops over much: to be awaited in each step, it lets others have their turn when 10 ms have passed. */
export function takingTurns(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < MOST_MS) return
    await nextTurn()
    since = performance.now()
  }
}
