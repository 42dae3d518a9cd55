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

/** Whether a pattern has any wildcard. */
export const isPattern = (text: string): boolean => /[*?]/.test(text)
