/**
 * Where a query's objects are looked for: the index that leads to the fewest, read in the order of keys. It may lead to others
 * too, which the filter leaves out, but to all that are asked for.
 */
import { fold } from '../../../../contract/fold.ts'
import { kindOf } from '../../../../contract/kinds.ts'
import { afterPrefix, compareKeys, type KeyRange } from '../../../../contract/permissions.ts'
import type { Term } from '../../../../contract/query.ts'
import { shownType, UNTYPED } from '../../../base/media-type.ts'
import type { Db } from '../../../db/schema.ts'
import { findKeysHolding, SHORTEST_INDEXED } from '../../../db/search.ts'
import { type Facts, matcher, timeText, typeOf } from './filter.ts'
import * as store from './store.ts'
import { cut, IN_WORD, nameInWord, startOfWords } from './words.ts'

/** Up to here, candidates are counted; there are few enough of fewer to look at each. */
export const FEW = 2000
/** Most values whose keys are merged. */
const MOST_VALUES = 32
/** Most content types of a bucket that are looked through. */
const MOST_TYPES = 200
/** Most keys that are gathered and put in order. */
const MOST_GATHERED = 10_000
/** Candidates in the order of keys. */
export interface Candidates {
  /** How many there are, at least; FEW or more are not counted on. */
  count: number
  /** The next keys of a range; fewer than the limit: there are no more. */
  read(range: KeyRange, page: store.Page): Promise<string[]>
  /** All of them in order, if they are known. */
  all?: readonly string[]
  /** The words that an object has one of, if it is found by words. */
  words?: readonly string[]
}

/** A term that the words of objects answer, by any of these. */
export interface Worded {
  term: Term
  words: readonly string[]
}

/** What a term of tags or metadata is as words; null if they are too many to name. */
async function wordsOf(db: Db, bucketId: string, term: Term): Promise<readonly string[] | null> {
  if (term.negated || (term.field !== 'tag' && term.field !== 'meta')) return null
  const exact = exactWordsOf(term)
  if (exact) return exact
  const { value } = term
  const text = value?.text ?? ''
  const named = startOfWords(term.field, term.name)
  const start = named + text.slice(0, Math.max(0, text.indexOf('*')))
  const words = await store.listWords(db, bucketId, { from: start, to: afterPrefix(start) }, MOST_VALUES + 1)
  if (words.length > MOST_VALUES) return null
  if (value === null) return words
  const matches = matcher(value)
  // A value that was cut may match.
  return words.filter((word) => [...word].length >= IN_WORD || matches(word.slice(named.length)))
}

/** The one word of a term that asks for a tag, or for a value as a whole, in whatever bucket. */
export function exactWordsOf(term: Term): readonly string[] | null {
  if (term.negated || (term.field !== 'tag' && term.field !== 'meta')) return null
  const { field, name, value } = term
  if (value === null) return field === 'tag' ? [`k:${nameInWord(name)}`] : null
  if (value.glob) return null
  return [startOfWords(term.field, term.name) + cut(value.text)]
}

/** All terms that words answer. */
export async function wordedTerms(db: Db, bucketId: string, terms: readonly Term[]): Promise<Worded[]> {
  const found: Worded[] = []
  for (const term of terms) {
    const words = await wordsOf(db, bucketId, term)
    if (words) found.push({ term, words })
  }
  return found
}

/** Every key of the bucket. */
export const everything = (db: Db, bucketId: string): Candidates => ({
  count: Number.POSITIVE_INFINITY,
  read: (range, page) => store.listAnyKeys(db, bucketId, range, page),
})

/** Candidates by an index that has them in the order of keys, the fewest; all keys where none does. */
export async function byIndex(
  db: Db,
  bucketId: string,
  { terms, worded, facts }: { terms: readonly Term[]; worded: readonly Worded[]; facts: Facts },
): Promise<Candidates> {
  let best = everything(db, bucketId)
  const consider = (candidates: Candidates | null) => {
    if (candidates && candidates.count < best.count) best = candidates
  }
  for (const { words } of worded) {
    if (best.count < FEW) return best
    consider(await byWords(db, bucketId, words))
  }
  for (const term of terms) {
    if (best.count < FEW) return best
    if (!term.negated) consider(await byFacet(db, bucketId, term, facts))
  }
  for (const term of terms) {
    if (best.count < FEW) return best
    if (!term.negated) consider(await byRange(db, bucketId, term, facts))
  }
  return best
}

async function byWords(db: Db, bucketId: string, words: readonly string[]): Promise<Candidates> {
  let count = 0
  for (const word of words) count += await store.countWithWord(db, bucketId, word, FEW)
  const read = merged(words, (word, range, page) => store.listKeysWithWord(db, { bucketId, word }, range, page))
  return { count, read, words }
}

async function byFacet(db: Db, bucketId: string, term: Term, { writers }: Facts): Promise<Candidates | null> {
  if (term.field === 'key' && !term.pattern.glob) return gathered([term.pattern.text])
  const found = await facetOf(db, bucketId, term, writers)
  if (!found || found.values.length > MOST_VALUES) return null
  const { facet, values } = found
  let count = 0
  for (const value of values) count += await store.countWithFacet(db, { bucketId, facet, value }, FEW)
  const read = merged(values, (value, range, page) =>
    store.listKeysWithFacet(db, { bucketId, facet, value }, range, page),
  )
  return { count, read }
}

/** The values of an indexed column that a term asks for. */
async function facetOf(
  db: Db,
  bucketId: string,
  term: Term,
  writers: Facts['writers'],
): Promise<{ facet: store.Facet; values: readonly string[] } | null> {
  if (term.field === 'by') {
    const writer = writers.get(term.text) ?? null
    return { facet: 'created_by', values: writer === null ? [] : [writer] }
  }
  if (term.field !== 'type' && term.field !== 'kind') return null
  const types = await store.listTypes(db, bucketId, { from: '', to: null }, MOST_TYPES + 1)
  if (types.length > MOST_TYPES) return null
  const matches = term.field === 'type' ? matcher(term.pattern) : undefined
  const asked = (content_type: string): boolean => {
    // What came untyped is shown as what its key ends with.
    if (content_type === UNTYPED) return true
    const traits = { content_type, key: '' }
    return matches ? matches(typeOf(traits)) : kindOf(shownType(traits)) === (term.field === 'kind' && term.kind)
  }
  return { facet: 'content_type', values: types.filter(asked) }
}

/** Objects of a size, or a time, if there are not too many to gather. */
async function byRange(db: Db, bucketId: string, term: Term, { now }: Facts): Promise<Candidates | null> {
  const most = MOST_GATHERED + 1
  let keys: string[]
  if (term.field === 'size') {
    if (term.from === null || term.from < store.LARGE) return null
    keys = await store.listLarge(db, bucketId, { from: term.from, to: term.to }, most)
  } else if (term.field === 'modified') {
    const range = { from: timeText(term.from, now), to: timeText(term.to, now) }
    keys = await store.listByTime(db, bucketId, range, most)
  } else return null
  return keys.length === most ? null : gathered(keys)
}

/** The longest text that the keys of what terms ask for contain, folded; null if none is in the index of texts. */
export function textOf(terms: readonly Term[]): string | null {
  const texts = terms.map((term) => (term.negated ? '' : textIn(term)))
  const [longest = ''] = texts.sort((one, other) => other.length - one.length)
  return [...longest].length < SHORTEST_INDEXED ? null : longest
}

/** Candidates by a text in their keys; null if too many contain it. */
export async function byText(db: Db, bucketId: string, text: string): Promise<Candidates | null> {
  const keys = await findKeysHolding(db, bucketId, text, FEW)
  return keys && gathered(keys)
}

/** What a key has to contain, folded. */
function textIn(term: Term): string {
  if (term.field === 'text') return fold(term.text)
  if (term.field === 'ext') return `.${term.text}`
  if (term.field !== 'name' && term.field !== 'key') return ''
  const { text, glob } = term.pattern
  const pieces = glob ? text.split(/[*?]+/) : [text]
  // Next to `**`, a slash may stand for no folder.
  const literal = pieces.map((piece) => (glob ? piece.replace(/^\//, '') : piece))
  return fold(literal.reduce((one, other) => (other.length > one.length ? other : one), ''))
}

/** Candidates that are all known. */
function gathered(keys: readonly string[]): Candidates {
  const all = [...keys].sort(compareKeys)
  /** How many of them come before a key. */
  const before = (key: string): number => {
    let [low, high] = [0, all.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (compareKeys(all[middle] as string, key) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
  return {
    count: all.length,
    all,
    async read({ from, to }, { order, limit }) {
      const [start, end] = [before(from), to === null ? all.length : before(to)]
      return order === 'asc'
        ? all.slice(start, Math.min(end, start + limit))
        : all.slice(Math.max(start, end - limit), end).reverse()
    },
  }
}

/** The keys of several stretches of an index as one list. */
const merged =
  (
    values: readonly string[],
    read: (value: string, range: KeyRange, page: store.Page) => Promise<string[]>,
  ): Candidates['read'] =>
  async (range, page) => {
    const [only] = values
    if (values.length === 1 && only !== undefined) return read(only, range, page)
    const keys = new Set<string>()
    for (const value of values) for (const key of await read(value, range, page)) keys.add(key)
    const order = page.order === 'asc' ? compareKeys : (one: string, other: string) => compareKeys(other, one)
    return [...keys].sort(order).slice(0, page.limit)
  }
