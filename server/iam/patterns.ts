// Texts of policies with wildcards and variables.
import { keyOf } from './condition-keys.ts'
import { malformed } from './malformed.ts'

/** Wildcards stand as halves of surrogate pairs in patterns: no text that they are compared with has those. */
const ANY = '\ud800'
const ONE = '\ud801'

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
  }
  return pattern
}

/** Whether a text matches a pattern as a whole; takes at most pattern × text, without going back further than one `*`. */
export function matches(pattern: string, text: string): boolean {
  let p = 0
  let t = 0
  let star = -1
  let resume = 0
  while (t < text.length) {
    const wanted = pattern[p]
    if (wanted === ANY) {
      star = p++
      resume = t
      if (p === pattern.length) return true
    } else if (p < pattern.length && wanted === ONE) {
      p++
      t += isPair(text, t) ? 2 : 1
    } else if (p < pattern.length && wanted === text[t]) {
      p++
      t++
    } else if (star >= 0) {
      p = star + 1
      resume += isPair(text, resume) ? 2 : 1
      t = resume
    } else return false
  }
  while (pattern[p] === ANY) p++
  return p === pattern.length
}

/** Whether a character of two units begins here. */
const isPair = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit < 0xdc00
}

/** Whether a template means one text. */
export const isFixed = ({ fixed }: Template): boolean =>
  fixed !== undefined && !fixed.includes(ANY) && !fixed.includes(ONE)

/** A template as a policy would write it. */
export const textOf = ({ pieces }: Template): string =>
  pieces
    .map((piece) => (typeof piece === 'string' ? piece.replaceAll(ANY, '*').replaceAll(ONE, '?') : `\${${piece.key}}`))
    .join('')
