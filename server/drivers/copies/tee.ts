/** One reader of a source that two read. */
export interface Branch {
  source: AsyncIterable<Uint8Array>
  /** Ends it for this reader with an error; the other goes on, or, if it has `both`, ends as well. */
  leave(error: unknown): void
}

/**
 * A source for two readers, who get the same chunks at the same pace: the next is taken once both want it, or one of them has
 * left. The source ends when both have.
 */
export function tee(source: AsyncIterable<Uint8Array>): readonly [Branch, Branch] {
  const inner = source[Symbol.asyncIterator]()
  type Result = IteratorResult<Uint8Array>
  type Wanted = PromiseWithResolvers<Result>
  const wanted: [Wanted | undefined, Wanted | undefined] = [undefined, undefined]
  const left: [{ error: unknown } | undefined, { error: unknown } | undefined] = [undefined, undefined]
  let isPulling = false

  async function pull(): Promise<void> {
    const isReady = ([0, 1] as const).every((i) => wanted[i] !== undefined || left[i] !== undefined)
    if (isPulling || !isReady || left.every(Boolean)) return
    isPulling = true
    const waiting = [wanted[0], wanted[1]]
    wanted[0] = undefined
    wanted[1] = undefined
    try {
      const result = await inner.next()
      isPulling = false
      for (const one of waiting) one?.resolve(result)
    } catch (error) {
      isPulling = false
      for (const one of waiting) one?.reject(error)
    }
  }
  const end = async (i: 0 | 1, error: unknown): Promise<void> => {
    if (left[i]) return
    left[i] = { error }
    wanted[i]?.reject(error)
    wanted[i] = undefined
    if (left[0] && left[1]) await inner.return?.()
    else void pull()
  }
  const branch = (i: 0 | 1): Branch => ({
    source: {
      [Symbol.asyncIterator]: () => ({
        next() {
          const gone = left[i]
          if (gone) return Promise.reject(gone.error)
          const one = Promise.withResolvers<Result>()
          wanted[i] = one
          void pull()
          return one.promise
        },
        async return() {
          await end(i, new Error('The reader has left'))
          return { done: true, value: undefined }
        },
      }),
    },
    leave: (error) => void end(i, error),
  })
  return [branch(0), branch(1)]
}
