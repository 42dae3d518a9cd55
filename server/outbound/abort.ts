/** Settles when aborted, even if the work ignores the signal. */
export function rejectOnAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  work.catch(() => undefined)
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort))
}
