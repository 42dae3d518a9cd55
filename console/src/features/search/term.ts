import { fields } from '../../../../contract/query.ts'

type Field = (typeof fields)[number]
const isField = (name: string): name is Field => (fields as readonly string[]).includes(name)

/** The term of a query that ends where one types, and what could follow. */
export interface Term {
  /** Where it starts and ends in the query. */
  start: number
  end: number
  /** The `-` before it, if it is negated. */
  sign: string
  /** What is asked for: the name of a field, or a value of one; with `name`, of the tag or metadata that it names. */
  field: Field | undefined
  name: string | undefined
  /** What of it is typed already. */
  begun: string
}

/** Fewer letters of a field are no reason to suggest it: they are words of a name. */
const FEWEST = 2

/** The term at a position of a query; undefined inside of one, and where nothing can be suggested. */
export function termAt(query: string, position: number): Term | undefined {
  const before = query.slice(0, position)
  if (/^\S/.test(query.slice(position))) return undefined
  const start = startOf(before)
  const typed = before.slice(start)
  const sign = typed.startsWith('-') ? '-' : ''
  const term = typed.slice(sign.length)
  const base = { start, end: position, sign }
  const colon = term.indexOf(':')
  if (colon < 0)
    return term.length >= FEWEST && /^[a-z]+$/i.test(term)
      ? { ...base, field: undefined, name: undefined, begun: term.toLowerCase() }
      : undefined
  const field = term.slice(0, colon).toLowerCase()
  if (!isField(field)) return undefined
  const rest = term.slice(colon + 1)
  const equals = field === 'tag' || field === 'meta' ? equalsIn(rest) : -1
  if (equals < 0) return { ...base, field, name: undefined, begun: textOf(rest) }
  return { ...base, field, name: textOf(rest.slice(0, equals)), begun: textOf(rest.slice(equals + 1)) }
}

/** Where the last term starts: after the last blank that is not between quotation marks. */
function startOf(query: string): number {
  let start = 0
  let isQuoted = false
  for (let at = 0; at < query.length; at++) {
    const character = query.charAt(at)
    if (isQuoted && character === '\\') at++
    else if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && /\s/.test(character)) start = at + 1
  }
  return start
}

/** Where the name of a tag ends; -1 if it does not. */
function equalsIn(text: string): number {
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (isQuoted && character === '\\') at++
    else if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && character === '=') return at
  }
  return -1
}

/** A text without its quotation marks, of which the second may not be typed yet. */
function textOf(text: string): string {
  if (!text.startsWith('"')) return text
  const inside = text.length > 1 && text.endsWith('"') && !text.endsWith('\\"') ? text.slice(1, -1) : text.slice(1)
  return inside.replaceAll(/\\(["\\])/g, '$1')
}
