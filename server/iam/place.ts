// Where in the text of a document something stands, for whoever has to mend it.
import type { DocumentPath, MalformedPolicy } from './malformed.ts'

/** Both from 1; a column counts UTF-16 units, as editors do. */
export interface Place {
  line: number
  column: number
}

/** Where in a text shows that it is no policy: where it is no JSON, or where the value is that is wrong. */
export function placeOf(text: string, { path, value }: MalformedPolicy): Place {
  const at = value === undefined ? -1 : text.indexOf(JSON.stringify(value))
  return lineAndColumn(text, faultIn(text) ?? (at < 0 ? find(text, 0, path) : at))
}

/** The index of what makes a text no JSON; undefined if it is. */
function faultIn(text: string): number | undefined {
  const message = messageOf(text)
  if (message === undefined) return undefined
  const [, position] = /at position (\d+)/.exec(message) ?? []
  if (position !== undefined) return Number(position)
  if (!isBroken(text)) return text.length
  // V8 says only which letter it is: the shortest start of the text that nothing can follow ends with it.
  let [fits, breaks] = [0, text.length]
  while (breaks - fits > 1) {
    const middle = (fits + breaks) >> 1
    if (isBroken(text.slice(0, middle))) breaks = middle
    else fits = middle
  }
  return fits
}

/** Whether a text is no start of JSON either. */
const isBroken = (text: string): boolean => /^Unexpected token/.test(messageOf(text) ?? '')

function messageOf(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

function lineAndColumn(text: string, index: number): Place {
  const before = text.slice(0, index)
  return { line: before.split('\n').length, column: index - before.lastIndexOf('\n') }
}

const skipBlanks = (text: string, at: number): number => {
  while (at < text.length && ' \t\r\n'.includes(text[at] as string)) at++
  return at
}

/** The index behind the string that begins at `at`. */
function endOfString(text: string, at: number): number {
  let i = at + 1
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1
  return i + 1
}

/** The index behind the value that begins at `at`. */
function endOfValue(text: string, at: number): number {
  if (text[at] === '"') return endOfString(text, at)
  let depth = 0
  for (let i = at; i < text.length; ) {
    const letter = text[i] as string
    if (letter === '"') {
      i = endOfString(text, i)
      continue
    }
    if (depth === 0 && ',]} \t\r\n'.includes(letter)) return i
    if ('[{'.includes(letter)) depth++
    else if (']}'.includes(letter) && --depth === 0) return i + 1
    i++
  }
  return text.length
}

/** The index of a value below the one that begins at or behind `from`. */
function find(text: string, from: number, path: DocumentPath): number {
  const start = skipBlanks(text, from)
  const [wanted, ...rest] = path
  const isObject = text[start] === '{'
  if (wanted === undefined || !(isObject || text[start] === '[')) return start
  let found = start
  for (let i = skipBlanks(text, start + 1), index = 0; i < text.length && !']}'.includes(text[i] as string); index++) {
    const end = isObject ? endOfString(text, i) : i
    const name = isObject ? (JSON.parse(text.slice(i, end)) as string) : index
    const value = isObject ? skipBlanks(text, skipBlanks(text, end) + 1) : i
    if (name === wanted) found = find(text, value, rest)
    i = skipBlanks(text, endOfValue(text, value))
    if (text[i] === ',') i = skipBlanks(text, i + 1)
  }
  return found
}
