// Texts of policies with wildcards and variables.
import { keyOf } from './condition-keys.ts'
import { malformed } from './malformed.ts'

/** Wildcards stand as halves of surrogate pairs in patterns: no text that they are compared with has those. */
const ANY = '\ud800'
const ONE = '\ud801'

/** Longer patterns than any text that they are compared with: a variable can stand for all of a header, many times. */
const LONGEST = 65_535
/** A pattern that matches no text. */
const NOTHING = '\ud802'

/** A variable of a policy, `${aws:username, 'nobody'}`. */
interface Variable {
  key: string
  fallback: string | undefined
}

/** A text of a policy, compiled: literal pieces, in which wildcards are marked, and variables between them. */
export interface Template {
  pieces: readonly (string | Variable)[]
  /** The pattern, where it has no variables. */
  fixed: string | undefined
}

/** The values of a request's keys; undefined for one that it does not have. */
export type ValuesOf = (key: string) => readonly string[] | undefined

const SPECIAL: { readonly [name: string]: string } = { '*': '*', '?': '?', $: '$' }

/**
 * Compiles a text of a policy: `*` and `?` are wildcards if `wildcards`; `${…}` is a variable if `variables`, and
 * `${*}`, `${?}` and `${$}` stand for those characters. Throws MalformedPolicy.
 */
export function compileTemplate(text: string, of: { wildcards: boolean; variables: boolean }): Template {
  const pieces: (string | Variable)[] = []
  let literal = ''
  for (let i = 0; i < text.length; i++) {
    const character = text[i] as string
    if (of.variables && character === '$' && text[i + 1] === '{') {
      const end = text.indexOf('}', i)
      if (end < 0) throw malformed(`The policy has an incomplete variable: ${text}`)
      const name = text.slice(i + 2, end)
      const special = SPECIAL[name]
      if (special === undefined) {
        pieces.push(literal, variableOf(name))
        literal = ''
      } else literal += special
      i = end
    } else if (of.wildcards && character === '*') literal += literal.endsWith(ANY) ? '' : ANY
    else if (of.wildcards && character === '?') literal += ONE
    else literal += character
  }
  pieces.push(literal)
  return { pieces, fixed: pieces.length === 1 ? literal : undefined }
}

function variableOf(text: string): Variable {
  const [, name = '', fallback] = /^\s*([^,\s]+)\s*(?:,\s*'([^']*)'\s*)?$/.exec(text) ?? []
  const key = keyOf(name)
  if (key === undefined) throw malformed(`The policy has an unknown variable: \${${text}}`)
  return { key, fallback }
}

/** A template's pattern for a request; undefined where a variable has not exactly one value, and no default. */
export function patternOf({ pieces, fixed }: Template, valuesOf: ValuesOf): string | undefined {
  if (fixed !== undefined) return fixed
  let pattern = ''
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      pattern += piece
      continue
    }
    const values = valuesOf(piece.key)
    const value = values?.length === 1 ? values[0]?.toWellFormed() : piece.fallback
    if (value === undefined) return undefined
    pattern += value
    if (pattern.length > LONGEST) return NOTHING
  }
  return pattern
}

/** Longer pieces are looked for in a way that takes linear time; for short ones the engine's own is the fastest. */
const SHORT = 32

/**
 * Whether a text matches a pattern as a whole. Takes time for the text, and not for the text times the pattern, whatever they are:
 * the one is a stranger's, and so may the other be.
 */
export function matches(pattern: string, text: string): boolean {
  const [first = '', ...middle] = pattern.split(ANY)
  const last = middle.pop()
  const start = endOfStart(first, text)
  if (last === undefined) return start === text.length
  const end = startOfEnd(last, text)
  let at = start
  for (const piece of middle) {
    if (at < 0) return false
    at = piece.includes(ONE) ? endOfWildcards(piece, text, at) : endOfLiteral(piece, text, at)
  }
  return at >= 0 && end >= at
}

/** Where a piece ends that a text starts with; -1 if it does not. */
function endOfStart(piece: string, text: string): number {
  if (!piece.includes(ONE)) return text.startsWith(piece) ? piece.length : -1
  let at = 0
  for (const character of piece) {
    if (at >= text.length || (character === ONE ? isHalf(text, at) : !text.startsWith(character, at))) return -1
    at += character === ONE && isPair(text, at) ? 2 : character === ONE ? 1 : character.length
  }
  return at
}

/** Where a piece begins that a text ends with; -1 if it does not. */
function startOfEnd(piece: string, text: string): number {
  if (!piece.includes(ONE)) return text.endsWith(piece) ? text.length - piece.length : -1
  let at = text.length
  for (const character of [...piece].reverse()) {
    if (character === ONE && at > 1 && isPair(text, at - 2)) at -= 2
    else if (character === ONE) at = isHalf(text, at - 1) ? -1 : at - 1
    else at = text.endsWith(character, at) ? at - character.length : -1
    if (at < 0) return -1
  }
  return at
}

/** Where a piece without wildcards ends that is found first from a place on; -1 without one. */
function endOfLiteral(piece: string, text: string, from: number): number {
  if (piece.length <= SHORT) {
    const found = text.indexOf(piece, from)
    return found < 0 ? -1 : found + piece.length
  }
  // Knuth, Morris and Pratt: of each start of the piece, the longest end that is a start of it too.
  const ends = new Uint16Array(piece.length)
  const next = (known: number, unit: number): number => {
    let at = known
    while (at > 0 && piece.charCodeAt(at) !== unit) at = ends[at - 1] as number
    return piece.charCodeAt(at) === unit ? at + 1 : 0
  }
  for (let i = 1, known = 0; i < piece.length; i++) ends[i] = known = next(known, piece.charCodeAt(i))
  for (let i = from, known = 0; i < text.length; i++) {
    known = next(known, text.charCodeAt(i))
    if (known === piece.length) return i + 1
  }
  return -1
}

/** The same of a piece with wildcards for one character: all that may match is followed at once, a bit for each character. */
function endOfWildcards(piece: string, text: string, from: number): number {
  const characters = [...piece]
  const words = (characters.length + 31) >> 5
  const masks = new Map<string, Uint32Array>()
  const any = new Uint32Array(words)
  const none = new Uint32Array(words)
  const put = (mask: Uint32Array, i: number) => {
    mask[i >> 5] = (mask[i >> 5] as number) | (1 << (i & 31))
  }
  for (const [i, character] of characters.entries()) if (character === ONE) put(any, i)
  for (const [i, character] of characters.entries()) {
    if (character === ONE) continue
    const mask = masks.get(character) ?? any.slice()
    put(mask, i)
    masks.set(character, mask)
  }
  const states = new Uint32Array(words)
  const whole = characters.length - 1
  for (let at = from; at < text.length; ) {
    const length = isPair(text, at) ? 2 : 1
    const mask = isHalf(text, at) ? none : (masks.get(text.slice(at, at + length)) ?? any)
    let carry = 1
    for (let i = 0; i < words; i++) {
      const moved = (states[i] as number) << 1
      const over = (states[i] as number) >>> 31
      states[i] = (moved | carry) & (mask[i] as number)
      carry = over
    }
    at += length
    if (((states[whole >> 5] as number) >>> (whole & 31)) & 1) return at
  }
  return -1
}

/** Of the texts that begin with `start`, how many a pattern matches as a whole. */
export function matchesBelow(pattern: string, start: string): 'all' | 'some' | 'none' {
  if (pattern.endsWith(ANY) && matches(pattern, start)) return 'all'
  let t = 0
  for (const wanted of pattern) {
    // It takes the rest, and some text is what comes after it.
    if (t >= start.length || wanted === ANY) return 'some'
    if (wanted === ONE) t += isPair(start, t) ? 2 : 1
    else if (start.startsWith(wanted, t)) t += wanted.length
    else return 'none'
  }
  return t >= start.length ? 'some' : 'none'
}

/** Whether a character of two units begins here. */
const isPair = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit < 0xdc00
}

/** Whether what begins here is no character: half of one, which stands for whatever a text may go on with. */
const isHalf = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit < 0xe000
}

/** Whether a template means one text. */
export const isFixed = ({ fixed }: Template): boolean =>
  fixed !== undefined && !fixed.includes(ANY) && !fixed.includes(ONE)

/** A template as a policy would write it. */
export const textOf = ({ pieces }: Template): string =>
  pieces
    .map((piece) => (typeof piece === 'string' ? piece.replaceAll(ANY, '*').replaceAll(ONE, '?') : `\${${piece.key}}`))
    .join('')
