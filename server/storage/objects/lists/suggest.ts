// What a search can ask for: names and values of tags and metadata, and types, of what the caller may find.
import { performance } from 'node:perf_hooks'
import { afterKey, afterPrefix } from '../../../../contract/permissions.ts'
import { printTerm, type Term } from '../../../../contract/query.ts'
import type { Suggestion } from '../../../../contract/search.ts'
import { UNTYPED } from '../../../base/media-type.ts'
import { takingTurns } from '../../../base/turns.ts'
import type { Ctx } from '../../../context.ts'
import { isReached, type Reach } from '../../../iam/decide.ts'
import { allowList } from '../../buckets/service.ts'
import { hasAllWords } from '../query/filling/store.ts'
import { typeOf } from '../query/filter.ts'
import { finder } from '../query/rights.ts'
import * as store from '../query/store.ts'
import { IN_WORD, nameInWord, nameOfWord, startOfWords } from '../query/words.ts'
import { openListing } from './browse.ts'
import { searchable } from './everywhere.ts'

/** Most buckets that are looked into, and most values of each. */
const MOST_BUCKETS = 50
const MOST_LOOKED_AT = 200
/** Most values of all buckets for which objects are looked for, and how long, in milliseconds. */
const MOST_ASKED = 1000
const MOST_MS = 5000
/** Most objects of a value that are looked at for one which the caller may find. */
const MOST_TRIED = 20

export interface SuggestionQuery {
  field: 'tag' | 'meta' | 'type'
  name?: string | undefined
  starts_with?: string | undefined
  bucket?: string | undefined
  limit?: number | undefined
}

/** Suggests values, in order. `complete`: whether these are all. */
export async function suggest(
  ctx: Ctx,
  { bucket, limit = 20, ...asked }: SuggestionQuery,
): Promise<{ items: Suggestion[]; complete: boolean }> {
  const values = new Set<string>()
  const left = { asked: MOST_ASKED, until: performance.now() + MOST_MS }
  const look = { ...asked, starts_with: asked.starts_with ?? '', limit, left }
  let complete = asked.field === 'type' || (await hasAllWords(ctx.db))
  if (bucket !== undefined) {
    const opened = await openListing(ctx, bucket, '')
    if (!(await collect(ctx, { ...opened, name: bucket }, look, values))) complete = false
  } else {
    allowList(ctx)
    let looked = 0
    for await (const one of searchable(ctx, [], '')) {
      if (looked++ === MOST_BUCKETS) {
        complete = false
        break
      }
      if (!(await collect(ctx, one, look, values))) complete = false
    }
  }
  const sorted = [...values].sort()
  return {
    items: sorted.slice(0, limit).map((value) => ({ value, query: printTerm(termOf(asked, value)) })),
    complete: complete && sorted.length <= limit,
  }
}

function termOf({ field, name }: SuggestionQuery, value: string): Term {
  if (field === 'type') return { field, pattern: { text: value, glob: false }, negated: false }
  if (name === undefined) return { field, name: value, value: null, negated: false }
  return { field, name, value: { text: value, glob: false }, negated: false }
}

interface Bucket {
  bucketId: string
  name: string
  ranges: readonly Reach[]
}
type Look = Omit<SuggestionQuery, 'bucket' | 'starts_with'> & {
  starts_with: string
  limit: number
  /** What all buckets together may take. */
  left: { asked: number; until: number }
}

/** Adds what a bucket has; false if it may have more. */
async function collect(ctx: Ctx, bucket: Bucket, look: Look, into: Set<string>): Promise<boolean> {
  const turn = takingTurns()
  let found = 0
  let looked = 0
  for await (const { value, word } of valuesOf(ctx, bucket, look)) {
    if (looked++ === MOST_LOOKED_AT || found > look.limit) return false
    if (look.left.asked-- <= 0 || performance.now() > look.left.until) return false
    if (await isSeen(ctx, bucket, look, { value, word })) {
      into.add(value)
      found++
    }
    await turn()
  }
  return true
}

interface Value {
  value: string
  word: string
}

/** The values that the index of a bucket has, in order. */
async function* valuesOf(ctx: Ctx, { bucketId }: Bucket, { field, name, starts_with }: Look): AsyncGenerator<Value> {
  if (field === 'type') {
    const range = { from: starts_with, to: afterPrefix(starts_with) }
    const types = await store.listTypes(ctx.db, bucketId, range, MOST_LOOKED_AT + 1)
    // What came untyped is shown as what its key ends with.
    for (const type of types) if (type !== UNTYPED) yield { value: typeOf({ content_type: type, key: '' }), word: type }
  } else if (name !== undefined || field === 'tag') {
    const start = name === undefined ? 'k:' : startOfWords(field, name)
    const from = start + (name === undefined ? nameInWord(starts_with) : starts_with)
    const range = { from, to: afterPrefix(from) }
    for (const word of await store.listWords(ctx.db, bucketId, range, MOST_LOOKED_AT + 1)) {
      const rest = word.slice(start.length)
      // The rest of a longer one is not in the index.
      if ([...rest].length < IN_WORD) yield { value: name === undefined ? nameOfWord(rest) : rest, word }
    }
  } else {
    // Each name has many values, which are stepped over.
    const start = `m:${nameInWord(starts_with)}`
    const to = afterPrefix(start)
    for (let from = start; ; ) {
      const word = await store.firstWord(ctx.db, bucketId, { from, to })
      if (word === undefined) return
      const named = word.slice(2, word.indexOf('='))
      yield { value: nameOfWord(named), word }
      from = afterPrefix(`m:${named}=`) ?? afterKey(word)
    }
  }
}

/** Whether the caller may find an object by it: who may list the whole bucket and is under no policy may find all. */
async function isSeen(ctx: Ctx, bucket: Bucket, { field, name }: Look, { value, word }: Value): Promise<boolean> {
  const { bucketId, ranges } = bucket
  const [first] = ranges
  if (!ctx.actor.policies && ranges.length === 1 && first?.from === '' && first.to === null) return true
  const mayFind = finder(ctx.actor, bucket.name, [termOf({ field, name }, value)])
  for (const range of ranges) {
    const page = { order: 'asc', limit: MOST_TRIED } as const
    const keys = await keysWith(ctx, { bucketId, field, name, word, value }, range, page)
    for (const traits of await store.findTraits(ctx.db, bucketId, keys))
      if (isReached(ranges, traits.key) && mayFind(traits)) return true
  }
  return false
}

async function keysWith(
  ctx: Ctx,
  { bucketId, field, name, word, value }: Pick<Look, 'field' | 'name'> & Value & { bucketId: string },
  range: Reach,
  page: store.Page,
): Promise<string[]> {
  if (field === 'type')
    return store.listKeysWithFacet(ctx.db, { bucketId, facet: 'content_type', value: word }, range, page)
  if (field === 'tag' || name !== undefined) return store.listKeysWithWord(ctx.db, { bucketId, word }, range, page)
  // Of a name of metadata, by some of its values.
  const start = `m:${nameInWord(value)}=`
  const words = await store.listWords(ctx.db, bucketId, { from: start, to: afterPrefix(start) }, MOST_TRIED)
  const keys: string[] = []
  for (const one of words)
    keys.push(...(await store.listKeysWithWord(ctx.db, { bucketId, word: one }, range, { ...page, limit: 1 })))
  return keys
}
