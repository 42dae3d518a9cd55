/** Patterns of MinIO's policies: `*` matches any characters, slashes too, and `?` one. */

/** Whether a pattern matches a text as a whole, in at most pattern × text steps. A `?` matches one UTF-16 unit. */
export function matches(pattern: string, text: string): boolean {
  let p = 0
  let t = 0
  let star = -1
  let resume = 0
  while (t < text.length) {
    if (p < pattern.length && pattern[p] === '*') {
      star = p++
      resume = t
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p++
      t++
    } else if (star >= 0) {
      p = star + 1
      t = ++resume
    } else return false
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}

/** Whether every text that `inner` matches is matched by `outer`; false also where that is so but hard to see. */
export const includes = (outer: string, inner: string): boolean =>
  // A star of `inner` is a character that only a star of `outer` matches; what a `?` of it stands for is not looked into.
  !inner.includes('?') && !outer.includes('?') && matches(outer, inner)

/**
 * Whether a text can match both patterns. A `?` stands for one byte in MinIO, so that two of them can match one
 * character: here it counts as `*`, and the answer is then yes too often rather than too seldom.
 */
export function wildcardsOverlap(one: string, other: string): boolean {
  const [a, b] = [one.replaceAll('?', '*'), other.replaceAll('?', '*')]
  // reachable[j]: whether the rest of `a` from i and the rest of `b` from j can match the same text.
  let next: boolean[] = []
  for (let i = a.length; i >= 0; i--) {
    const row: boolean[] = []
    for (let j = b.length; j >= 0; j--)
      row[j] =
        (i === a.length && j === b.length) ||
        (a[i] === '*' && ((next[j] ?? false) || (j < b.length && (row[j + 1] ?? false)))) ||
        (b[j] === '*' && ((row[j + 1] ?? false) || (i < a.length && (next[j] ?? false)))) ||
        (i < a.length && a[i] === b[j] && (next[j + 1] ?? false))
    next = row
  }
  return next[0] ?? false
}
