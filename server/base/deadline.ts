/** Resolves as `work` does, or rejects if it has not settled within `ms`. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const error = Object.assign(new Error(`no response within ${ms} ms`), { code: 'ETIMEDOUT' })
  const timer = setTimeout(() => reject(error), ms)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
