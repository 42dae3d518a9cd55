/**
 * The language in which objects are searched for, for all that read it: docs/search.md has its grammar. Without the schema
 * library, for browsers too.
 */
import { fold } from './fold.ts'
import { type Kind, kinds } from './kinds.ts'
import { wildcardsIn } from './patterns.ts'
import { type Range, readSizes, readTimes, type When, writeSizes, writeTimes } from './query-values.ts'

/** Most characters of a query, and of one text in it. */
export const MOST_QUERY = 2000
const MOST_TEXT = 1024
/** Most terms of a query. */
export const MOST_TERMS = 32
/** Most runs of wildcards in a pattern. */
const MOST_WILDCARDS = 8

/** A text; `glob`: in which `*` stands for any characters, and in names and keys `?` for one. */
export interface Pattern {
  text: string
  glob: boolean
}

/** How an object is encrypted. */
export const encryptions = ['yes', 'no', 'AES256', 'aws:kms', 'SSE-C'] as const

/** What a term asks of an object. */
export type Filter =
  /** A part of its key, in any case. */
  | { field: 'text'; text: string }
  | { field: 'name' | 'key' | 'type' | 'bucket'; pattern: Pattern }
  | { field: 'prefix' | 'ext' | 'storage' | 'by'; text: string }
  | { field: 'kind'; kind: Kind }
  | { field: 'encrypted'; how: (typeof encryptions)[number] }
  | ({ field: 'size' } & Range<number>)
  | ({ field: 'modified' | 'created' } & Range<When>)
  /** Without a value, whether it has one of that name. */
  | { field: 'tag' | 'meta'; name: string; value: Pattern | null }
/** One of the terms that all have to hold; negated, it must not. */
export type Term = Filter & { negated: boolean }

export const fields = [
  'name',
  'key',
  'prefix',
  'ext',
  'type',
  'kind',
  'size',
  'modified',
  'created',
  'tag',
  'meta',
  'by',
  'encrypted',
  'storage',
  'bucket',
] as const
type Field = (typeof fields)[number]

/** What people call these fields. */
const OTHER_NAMES: { readonly [name: string]: Field } = {
  filename: 'name',
  file: 'name',
  path: 'key',
  folder: 'prefix',
  in: 'prefix',
  extension: 'ext',
  contenttype: 'type',
  mime: 'type',
  larger: 'size',
  smaller: 'size',
  date: 'modified',
  time: 'modified',
  before: 'modified',
  after: 'modified',
  tags: 'tag',
  metadata: 'meta',
  owner: 'by',
  user: 'by',
  author: 'by',
  encryption: 'encrypted',
  class: 'storage',
}

export type QueryFaultCode =
  | 'too_long'
  | 'too_many_terms'
  | 'too_many_wildcards'
  | 'unknown_field'
  | 'value_missing'
  | 'value_unknown'
  | 'size_unknown'
  | 'time_unknown'
  | 'quote_open'
  | 'text_after_quote'

/** What of a query is not understood. */
export interface QueryFault {
  code: QueryFaultCode
  /** Where that begins, in UTF-16 code units, and how long it is. */
  position: number
  length: number
  message: string
  /** What could stand there instead, if that is known. */
  suggestion: string | null
}

/** A query that is not understood. */
export class QueryError extends Error {
  readonly fault: QueryFault
  constructor(fault: QueryFault) {
    super(fault.message)
    this.fault = fault
  }
}
const refuse = (
  code: QueryFaultCode,
  [position, end]: readonly [start: number, end: number],
  message: string,
  suggestion: string | null = null,
): QueryError => new QueryError({ code, position, length: end - position, message, suggestion })

const isBlank = (character: string | undefined): boolean => character !== undefined && /\s/.test(character)

/** A text as it stands in a query. */
interface Piece {
  text: string
  quoted: boolean
  start: number
  end: number
}

/** Reads a quoted text, or one up to a blank or, with `stop`, that character. */
function readPiece(query: string, start: number, stop?: string): Piece {
  if (query[start] !== '"') {
    let end = start
    while (end < query.length && !isBlank(query[end]) && query[end] !== stop) end++
    return { text: query.slice(start, end), quoted: false, start, end }
  }
  let text = ''
  for (let at = start + 1; at < query.length; at++) {
    const character = query[at] as string
    if (character === '"') return { text, quoted: true, start, end: at + 1 }
    if (character === '\\' && (query[at + 1] === '"' || query[at + 1] === '\\')) at++
    text += query[at]
  }
  throw refuse('quote_open', [start, query.length], 'This quotation mark has no second one.', `${query.slice(start)}"`)
}

function assertEnd(query: string, { quoted, end }: Piece): void {
  if (!quoted || end === query.length || isBlank(query[end])) return
  const { end: wordEnd } = readPiece(query, end)
  throw refuse(
    'text_after_quote',
    [end, Math.max(wordEnd, end + 1)],
    'A blank has to follow a quotation mark that ends a text.',
    ` ${query.slice(end, wordEnd)}`,
  )
}

/** Reads a query: all of its terms have to hold. Throws a QueryError that names the first place which is not understood. */
export function parseQuery(query: string): Term[] {
  if (query.length > MOST_QUERY)
    throw refuse('too_long', [MOST_QUERY, query.length], `A query has at most ${MOST_QUERY} characters.`)
  const terms: Term[] = []
  for (let at = 0; ; ) {
    while (isBlank(query[at])) at++
    if (at === query.length) return terms
    if (terms.length === MOST_TERMS)
      throw refuse('too_many_terms', [at, query.length], `A query has at most ${MOST_TERMS} terms.`)
    const negated = query[at] === '-' && at + 1 < query.length && !isBlank(query[at + 1])
    const { filter, end } = readFilter(query, negated ? at + 1 : at)
    terms.push({ ...filter, negated })
    at = end
  }
}

const FIELD = /^([a-z_]{1,20}):/i

function readFilter(query: string, start: number): { filter: Filter; end: number } {
  const named = FIELD.exec(query.slice(start, start + 21))?.[1]
  if (named === undefined) {
    const word = readPiece(query, start)
    assertEnd(query, word)
    return { filter: readWord(word), end: word.end }
  }
  const field = named.toLowerCase()
  const after = start + named.length + 1
  if (!isField(field)) throw unknownField(query, start, named)
  if (field === 'tag' || field === 'meta') return readPair(query, field, after)
  const piece = readPiece(query, after)
  assertEnd(query, piece)
  if (piece.text === '') throw refuse('value_missing', [start, piece.end], `${field}: needs a value.`, EXAMPLES[field])
  return { filter: readField(field, piece), end: piece.end }
}

const isField = (name: string): name is Field => (fields as readonly string[]).includes(name)

const EXAMPLES: { readonly [field in Field]: string } = {
  name: 'name:*report*',
  key: 'key:2026/**/report.pdf',
  prefix: 'prefix:2026/',
  ext: 'ext:pdf',
  type: 'type:image/*',
  kind: 'kind:picture',
  size: 'size:>10MB',
  modified: 'modified:<7d',
  created: 'created:2026-11',
  tag: 'tag:project=apollo',
  meta: 'meta:camera=nikon',
  by: 'by:me',
  encrypted: 'encrypted:yes',
  storage: 'storage:STANDARD',
  bucket: 'bucket:logs-*',
}

function unknownField(query: string, start: number, named: string): QueryError {
  const known = OTHER_NAMES[named.toLowerCase()] ?? fields.find((field) => isNear(field, named.toLowerCase()))
  if (known !== undefined)
    return refuse('unknown_field', [start, start + named.length], `There is no field "${named}".`, known)
  const { end } = readPiece(query, start)
  const message = `There is no field "${named}". In quotation marks, this is a text to search for.`
  return refuse('unknown_field', [start, end], message, quote(query.slice(start, end)))
}

/** Whether one letter more, less or different, or two that changed places, makes one name the other. */
function isNear(name: string, other: string): boolean {
  if (name.length < 3 || Math.abs(name.length - other.length) > 1) return false
  let at = 0
  while (at < name.length && name[at] === other[at]) at++
  const [rest, others] = [name.slice(at), other.slice(at)]
  return (
    rest.slice(1) === others.slice(1) ||
    rest.slice(1) === others ||
    rest === others.slice(1) ||
    (rest[0] === others[1] && rest[1] === others[0] && rest.slice(2) === others.slice(2))
  )
}

function readWord(piece: Piece): Filter {
  const { text, quoted, start, end } = piece
  if (text === '') throw refuse('value_missing', [start, end], 'There is nothing between the quotation marks.')
  if (quoted || !text.includes('*')) return { field: 'text', text: shortened(piece) }
  return { field: text.includes('/') ? 'key' : 'name', pattern: patternOf(piece, /[*?]/) }
}

function shortened({ text, start, end }: Piece): string {
  if (text.length <= MOST_TEXT) return text
  throw refuse('too_long', [start, end], `A text has at most ${MOST_TEXT} characters.`)
}

function patternOf(piece: Piece, wildcards: RegExp): Pattern {
  const text = shortened(piece)
  const glob = !piece.quoted && wildcards.test(text)
  if (glob && wildcardsIn(text) > MOST_WILDCARDS)
    throw refuse('too_many_wildcards', [piece.start, piece.end], `A pattern has at most ${MOST_WILDCARDS} wildcards.`)
  return { text, glob }
}

const STAR = /\*/

/** `name=value`, or a name alone. */
function readPair(query: string, field: 'tag' | 'meta', start: number): { filter: Filter; end: number } {
  const name = readPiece(query, start, '=')
  if (name.text === '') throw refuse('value_missing', [start, name.end], `${field}: needs a name.`, EXAMPLES[field])
  const text = field === 'meta' ? shortened(name).toLowerCase() : shortened(name)
  if (query[name.end] !== '=') {
    assertEnd(query, name)
    return { filter: { field, name: text, value: null }, end: name.end }
  }
  const value = readPiece(query, name.end + 1)
  assertEnd(query, value)
  return { filter: { field, name: text, value: patternOf(value, STAR) }, end: value.end }
}

function readField(field: Exclude<Field, 'tag' | 'meta'>, piece: Piece): Filter {
  const { text, start, end } = piece
  switch (field) {
    case 'name':
    case 'key':
      return { field, pattern: patternOf(piece, /[*?]/) }
    case 'bucket':
      return { field, pattern: patternOf(piece, STAR) }
    case 'type': {
      const pattern = patternOf(piece, STAR)
      const type = pattern.text.toLowerCase()
      // What is quoted means itself, and a wildcard could not be added to it.
      const isWhole = type.includes('/') || pattern.glob || piece.quoted
      return { field, pattern: isWhole ? { ...pattern, text: type } : { text: `${type}/*`, glob: true } }
    }
    case 'prefix':
    case 'storage':
    case 'by':
      return { field, text: shortened(piece) }
    case 'ext': {
      const ext = fold(shortened(piece)).replace(/^\.+/, '')
      if (ext === '') throw refuse('value_missing', [start, end], 'ext: needs a value.', EXAMPLES.ext)
      return { field, text: ext }
    }
    case 'kind': {
      const kind = kinds.find((one) => one === text.toLowerCase())
      if (kind !== undefined) return { field, kind }
      const near = kinds.find((one) => isNear(one, text.toLowerCase())) ?? null
      throw refuse('value_unknown', [start, end], `kind: is one of ${kinds.join(', ')}.`, near)
    }
    case 'encrypted': {
      const how = encryptions.find((one) => one.toLowerCase() === text.toLowerCase())
      if (how !== undefined) return { field, how }
      throw refuse('value_unknown', [start, end], `encrypted: is one of ${encryptions.join(', ')}.`, 'yes')
    }
    case 'size': {
      const sizes = readSizes(text)
      if (sizes) return { field, ...sizes }
      throw refuse('size_unknown', [start, end], 'This is no size, such as >10MB, <=500KB or 1MB..2MB.', '>10MB')
    }
    case 'modified':
    case 'created': {
      const times = readTimes(text)
      if (times) return { field, ...times }
      const message = 'This is no time, such as <7d, >1y, 2026-11-01 or 2026-10..2026-11.'
      throw refuse('time_unknown', [start, end], message, '<7d')
    }
  }
}

const quote = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`
/** A text of which nothing has a meaning in a query, wherever it stands. */
const PLAIN = /^[^\s"*?=:\\-][^\s"*?=]*$/
const writeText = (text: string): string => (PLAIN.test(text) && !FIELD.test(text) ? text : quote(text))
const writePattern = ({ text, glob }: Pattern): string => (glob ? text : writeText(text))

/** Writes terms as `parseQuery` reads them. */
export const printQuery = (terms: readonly Term[]): string => terms.map(printTerm).join(' ')

/** Writes one term. */
export function printTerm(term: Term): string {
  const written = term.field === 'text' ? writeText(term.text) : `${term.field}:${writeValue(term)}`
  return term.negated ? `-${written}` : written
}

function writeValue(term: Exclude<Term, { field: 'text' }>): string {
  switch (term.field) {
    case 'name':
    case 'key':
    case 'bucket':
      return writePattern(term.pattern)
    case 'type': {
      const { text, glob } = term.pattern
      return glob || text.includes('/') ? writePattern(term.pattern) : quote(text)
    }
    case 'prefix':
    case 'ext':
    case 'storage':
    case 'by':
      return writeText(term.text)
    case 'kind':
      return term.kind
    case 'encrypted':
      return term.how
    case 'size':
      return writeSizes(term)
    case 'modified':
    case 'created':
      return writeTimes(term)
    case 'tag':
    case 'meta':
      return writeText(term.name) + (term.value === null ? '' : `=${writePattern(term.value)}`)
  }
}
