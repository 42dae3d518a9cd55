import { setImmediate } from 'node:timers/promises'

/**
 * Lets callers that need the same sync share it. A caller resolves only after a run that started after its call;
 * callers that arrive during a run share the next one, so at most one runs at a time. A run's error (also one thrown
 * before it returns a promise) reaches everyone who waited for that run and nobody else: when a failed sync means that
 * later ones cannot be trusted, `run` has to remember it.
 */
export function sharedSync(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  async function runNext(): Promise<void> {
    // When idle, one turn of the event loop lets everyone who is ready by now share the first run: half as many syncs
    // and 20 % more SQLite commits a second with 16 concurrent callers.
    await (running ?? setImmediate())
    next = undefined
    const current = run()
    const done = () => {
      if (running === settled) running = undefined
    }
    const settled = current.then(done, done)
    running = settled
    return current
  }

  return () => {
    next ??= runNext()
    return next
  }
}
