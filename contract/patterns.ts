/** User-supplied patterns. What each kind costs has a limit, which a regular expression would not guarantee. */

/** Most characters of a bucket's name, and of a pattern for names. */
const MOST_NAME = 63

/**
 * Whether `name` matches a grant's bucket pattern, as a whole: `*` matches any characters, everything else is literal.
 * Takes O(pattern × name) for any pattern; both have at most 63 characters, longer ones match nothing.
 */
export function matchesPattern(pattern: string, name: string): boolean {
  if (pattern.length > MOST_NAME || name.length > MOST_NAME) return false
  let p = 0
  let n = 0
  let star = -1
  let resume = 0
  while (n < name.length) {
    if (p < pattern.length && pattern[p] === '*') {
      star = p++
      resume = n
    } else if (p < pattern.length && pattern[p] === name[n]) {
      p++
      n++
    } else if (star >= 0) {
      p = star + 1
      n = ++resume
    } else return false
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}

/** Most characters of a pattern with one wildcard. */
export const MOST_ONE_WILDCARD = 255

/**
 * Whether a text matches, as a whole, a pattern whose first `*` matches any characters; everything else is literal. Takes
 * no longer than to compare the two. A pattern with more than 255 characters matches nothing.
 */
export function matchesOneWildcard(pattern: string, text: string): boolean {
  if (pattern.length > MOST_ONE_WILDCARD) return false
  const star = pattern.indexOf('*')
  if (star < 0) return pattern === text
  return (
    text.length >= pattern.length - 1 &&
    text.startsWith(pattern.slice(0, star)) &&
    text.endsWith(pattern.slice(star + 1))
  )
}

/** One piece of a pattern: a literal character or a wildcard. */
type Piece =
  | { kind: 'character'; character: string }
  /** `?`: any character but a slash. */
  | { kind: 'one' }
  /** `*`: any characters but slashes. */
  | { kind: 'name' }
  /** `**`: any characters. */
  | { kind: 'all' }
  /** `**` and a slash where a name could start: any number of folders, including none. */
  | { kind: 'folders' }

/** Most wildcards in a glob: each costs a step for every character of every key. */
export const MOST_WILDCARDS = 16
/** How many runs of stars a glob has. */
export const wildcardsIn = (glob: string): number => glob.match(/\*+/g)?.length ?? 0

const has = (states: Uint32Array, at: number): boolean => ((states[at >> 5] ?? 0) & (1 << (at & 31))) !== 0
const put = (states: Uint32Array, at: number): void => {
  states[at >> 5] = (states[at >> 5] ?? 0) | (1 << (at & 31))
}

/**
 * Compiles a glob into a test for whole texts. `*`, `**`, `**` + `/` and `?` are special, everything else is literal.
 * All possible matches are followed at once, one bit each, without backtracking: a character costs a step for each 32
 * pieces and one for each run of stars.
 */
export function compileGlob(glob: string): (text: string) => boolean {
  // A match's position before a piece; within a folder's name of a `folders` piece, one position further.
  const stars: { at: number; kind: 'name' | 'all' | 'folders' }[] = []
  const literals: { at: number; character: string | undefined }[] = []
  let end = 0
  for (const piece of parse(glob)) {
    if (piece.kind === 'character') literals.push({ at: end, character: piece.character })
    else if (piece.kind === 'one') literals.push({ at: end, character: undefined })
    else stars.push({ at: end, kind: piece.kind })
    end += piece.kind === 'folders' ? 2 : 1
  }
  const length = (end >> 5) + 1
  const maskOf = (character: string): Uint32Array => {
    const mask = new Uint32Array(length)
    for (const one of literals)
      if (one.character === character || (one.character === undefined && character !== '/')) put(mask, one.at)
    return mask
  }
  const masks = new Map([...new Set([...glob, '/'])].map((character) => [character, maskOf(character)]))
  const anyOther = maskOf('')
  /** Stars also match nothing. */
  const enter = (states: Uint32Array): Uint32Array => {
    for (const { at, kind } of stars) if (has(states, at)) put(states, at + (kind === 'folders' ? 2 : 1))
    return states
  }
  const start = new Uint32Array(length)
  put(start, 0)
  enter(start)
  const spare = [new Uint32Array(length), new Uint32Array(length)] as const

  return (text) => {
    let states: Uint32Array = start
    let turn = 0
    for (const character of text) {
      const next = spare[turn++ & 1] as Uint32Array
      const mask = masks.get(character) ?? anyOther
      let carry = 0
      let alive = 0
      for (let i = 0; i < length; i++) {
        const moved = (states[i] ?? 0) & (mask[i] ?? 0)
        next[i] = (moved << 1) | carry
        carry = moved >>> 31
        alive |= next[i] ?? 0
      }
      for (const { at, kind } of stars) {
        const inside = kind === 'folders' && has(states, at + 1)
        if (!inside && !has(states, at)) continue
        if (kind === 'folders') put(next, character === '/' ? at : at + 1)
        else if (kind === 'all' || character !== '/') put(next, at)
        else continue
        alive = 1
      }
      if (alive === 0) return false
      states = enter(next)
    }
    return has(states, end)
  }
}

function parse(glob: string): Piece[] {
  const pieces: Piece[] = []
  const characters = [...glob]
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] as string
    if (character === '?') pieces.push({ kind: 'one' })
    else if (character !== '*') pieces.push({ kind: 'character', character })
    else {
      const first = i === 0 || characters[i - 1] === '/'
      let stars = 1
      while (characters[i + 1] === '*') {
        stars++
        i++
      }
      if (stars === 1) pieces.push({ kind: 'name' })
      else if (first && characters[i + 1] === '/') {
        pieces.push({ kind: 'folders' })
        i++
      } else pieces.push({ kind: 'all' })
    }
  }
  return pieces
}
