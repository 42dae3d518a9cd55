import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../../base/refusal.ts'
import { engineOf } from '../../db/engine.ts'
import { isUnreachable } from '../../db/errors.ts'
import { lookInto } from '../../db/look.ts'

/** How long a start waits for a database server that is not there yet, and how often it looks. */
const PATIENCE_MS = 60_000
const PAUSE_MS = 2000

/**
 * Resolves when the database can be opened. Where its server cannot be reached, tries again for a minute (`patienceMs`)
 * and reports each attempt in one line: container engines start both at once. Throws a Refusal after that, and at once
 * if the server answers and refuses.
 */
export async function awaitDatabase(
  databaseUrl: string,
  report: (line: string) => void,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  // A file needs no waiting; what is wrong with one is said better later.
  if (engineOf(databaseUrl) === 'sqlite') return
  const until = performance.now() + patienceMs
  while (true) {
    try {
      return await lookInto(databaseUrl, async () => undefined)
    } catch (error) {
      if (!(error instanceof Refusal && isUnreachable(error.cause))) throw error
      const left = until - performance.now()
      if (left <= 0) throw error
      report(`${error.message} Trying again for ${Math.ceil(left / 1000)} s.`)
      await pause(Math.min(PAUSE_MS, left))
    }
  }
}
