/** The items that a list lost and gained. Repeated items are counted. */
export function differenceOf<T>(before: readonly T[], after: readonly T[]): { lost: T[]; gained: T[] } {
  return { lost: without(before, after), gained: without(after, before) }
}

function without<T>(list: readonly T[], other: readonly T[]): T[] {
  const left = new Map<string, number>()
  for (const item of other) left.set(JSON.stringify(item), (left.get(JSON.stringify(item)) ?? 0) + 1)
  return list.filter((item) => {
    const text = JSON.stringify(item)
    const count = left.get(text) ?? 0
    left.set(text, count - 1)
    return count <= 0
  })
}
