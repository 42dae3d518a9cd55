// Finds statements that read more the further a list has come. SQLite enters an index by one lower and one upper bound: of two
// lower bounds of a column it takes the first, and compares every row with the other. What is within an "or" is no bound at all.
import { DatabaseSync } from 'node:sqlite'

/** A position in an order that is written out, without a bound of its first column. */
const WRITTEN_OUT = /((?:"\w+"|\w+)(?:\.(?:"\w+"|\w+))?) ([<>]) [^\s()]+ or \(?\1 = /g
/** Several columns that are compared as one: as far as bounds go, the first of them. */
const TUPLE = /\(((?:"\w+"|\w+)(?:\.(?:"\w+"|\w+))?), [^()]*\) ([<>])/g
const TOKEN = /[()]|((?:"\w+"|\w+)(?:\.(?:"\w+"|\w+))?) ([<>])=? |[\w"]+/g
/** What a condition ends with. */
const ENDS = new Set([
  'select',
  'from',
  'where',
  'on',
  'or',
  'not',
  'when',
  'then',
  'else',
  'union',
  'order',
  'group',
  'having',
  'limit',
  'set',
])

/** What an SQL text compares in one of these ways: columns with two bounds of one kind, and orders without a bound. */
export function poorBounds(text: string): string[] {
  const found: string[] = []
  for (const [, column = '', direction = ''] of text.matchAll(WRITTEN_OUT))
    if (!text.includes(`${column} ${direction}= `)) found.push(`${column} ${direction} … or ${column} = …`)
  const outer: Set<string>[] = []
  let bounds = new Set<string>()
  for (const [token, column, direction] of text.replaceAll(TUPLE, '$1 $2').matchAll(TOKEN)) {
    if (token === '(') {
      outer.push(bounds)
      bounds = new Set()
    } else if (token === ')') bounds = outer.pop() ?? new Set()
    else if (column === undefined) {
      if (ENDS.has(token.toLowerCase())) bounds = new Set()
    } else {
      const bound = `${column} ${direction}`
      if (bounds.has(bound)) found.push(`two bounds: ${bound}`)
      bounds.add(bound)
    }
  }
  return found
}

const seen = new Set<string>()
const poor = new Set<string>()
const prepare = DatabaseSync.prototype.prepare
DatabaseSync.prototype.prepare = function (text: string, ...rest) {
  if (!seen.has(text)) {
    seen.add(text)
    for (const what of poorBounds(text)) poor.add(`${what}: ${text}`)
  }
  return prepare.call(this, text, ...rest)
}

/** What SQLite was asked so far in this process that compares in one of these ways. */
export const poorStatements = (): string[] => [...poor]
