const dispatchers = new Set<() => void>()

/** Has the dispatchers of this process look at the queue now. */
export function wakeDispatchers(): void {
  for (const wake of dispatchers) wake()
}

/** Calls `wake` whenever this process has queued something, until the function it gives is called. */
export function onQueued(wake: () => void): () => void {
  dispatchers.add(wake)
  return () => void dispatchers.delete(wake)
}
