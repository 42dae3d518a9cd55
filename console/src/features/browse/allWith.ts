/** Browsers open six connections to a server; others are needed meanwhile. */
const AT_ONCE = 4

/** Does something with each item, a few at a time. */
export async function allWith<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = items.values()
  const next = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
}
