// One page of the objects of a bucket that a query finds.
import { performance } from 'node:perf_hooks'
import { afterKey, type KeyRange } from '../../../../contract/permissions.ts'
import type { Term } from '../../../../contract/query.ts'
import { takingTurns } from '../../../base/turns.ts'
import type { Db } from '../../../db/schema.ts'
import { isReached, type Reach } from '../../../iam/decide.ts'
import { byIndex, byText, type Candidates, everything, FEW, textOf, type Worded, wordedTerms } from './candidates.ts'
import { hasAllWords } from './filling/store.ts'
import { type Facts, filterOf } from './filter.ts'
import { remainder } from './remainder.ts'
import { findKeysWithWords, findTraits, type Order, type Traits } from './store.ts'

/** Candidates that one step reads: on SQLite a statement blocks the process. */
const STEP = 500
/** Objects that are counted after a page is full. */
export const COUNTED_ON = 1000

/** What one request may read: it is used up by one bucket after another. */
export interface Budget {
  /** Candidates. */
  keys: number
  /** Rows of objects. */
  rows: number
  /** When it is over anyway, by the clock of the process. */
  until: number
}
const MOST_MS = 10_000
export const newBudget = (): Budget => ({ keys: 20_000, rows: 10_000, until: performance.now() + MOST_MS })
export const isSpent = ({ keys, rows, until }: Budget): boolean => keys <= 0 || rows <= 0 || performance.now() > until

export interface Search {
  bucketId: string
  ranges: readonly Reach[]
  terms: readonly Term[]
  facts: Facts
  /** Whether the caller may find this object by the query, besides that it is in the ranges. */
  mayFind(traits: Traits): boolean
  /** Whether what is read is as the indexes have it, which know what is now alone. */
  indexed: boolean
  order: Order
  after: string | undefined
  limit: number
}

export interface Found {
  /** The objects that were found, in the order of keys, without tags and metadata. */
  rows: Traits[]
  /** The key to continue after; null when there are no more. */
  next: string | null
  /** How many more were counted, and whether these are all. */
  more: number
  isCounted: boolean
  /** The keys of all that may be found, if that is known. */
  all: readonly string[] | undefined
}

/** Finds the next objects of a bucket. Stops early, with `next`, where the budget is used up. */
export async function findInBucket(db: Db, search: Search, budget: Budget): Promise<Found> {
  const { bucketId, terms, facts, indexed, after, order, limit } = search
  const left = remainder(search.ranges, after, order)
  // Until all words are written, objects are looked for by everything else.
  const isWorded = indexed && terms.some(({ field }) => field === 'tag' || field === 'meta') && (await hasAllWords(db))
  const worded = isWorded ? await wordedTerms(db, bucketId, terms) : []
  const walk: Walk = { db, search, fits: filterOf(terms, facts), worded, budget, left }
  const candidates = indexed ? await byIndex(db, bucketId, { terms, worded, facts }) : everything(db, bucketId)
  const text = indexed && candidates.count >= FEW ? textOf(terms) : null
  if (text === null) return walkOn(walk, candidates)
  // A text that many keys contain fills the page from the first ones; the index would gather every match first.
  const few = { ...budget, keys: Math.min(STEP, budget.keys) }
  const first = await walkOn({ ...walk, budget: few }, candidates)
  // Its rows are read once more if they are not enough, so they count then.
  budget.keys -= STEP
  if (first.next === null || first.rows.length === limit || isSpent(budget)) return first
  const holding = await byText(db, bucketId, text)
  budget.keys -= holding?.count ?? FEW
  return walkOn(walk, holding ?? candidates)
}

interface Walk {
  db: Db
  search: Search
  fits: (traits: Traits) => boolean
  worded: readonly Worded[]
  budget: Budget
  left: readonly KeyRange[]
}

async function walkOn(walk: Walk, candidates: Candidates): Promise<Found> {
  const { search, budget, left } = walk
  const { order, limit } = search
  const turn = takingTurns()
  const rows: Traits[] = []
  let more = 0
  const ended = (next: string | null, isCounted: boolean): Found => ({
    rows,
    next,
    more,
    isCounted,
    all: candidates.all,
  })
  for (const range of left)
    for (let rest = range; ; ) {
      const keys = await candidates.read(rest, { order, limit: STEP })
      // Many may be put in order: what decided about them is not kept.
      for (const traits of await fitting(walk, candidates, keys))
        if (rows.length < limit) rows.push({ ...traits, metadata: '{}', tags: null })
        else more++
      budget.keys -= keys.length
      const last = keys.at(-1)
      if (last === undefined || keys.length < STEP) break
      const isFull = rows.length === limit
      if (isSpent(budget) || (isFull && more >= COUNTED_ON))
        return ended(isFull ? (rows.at(-1)?.key ?? search.after ?? '') : last, false)
      rest = order === 'asc' ? { from: afterKey(last), to: rest.to } : { from: rest.from, to: last }
      await turn()
    }
  return ended(more > 0 ? (rows.at(-1)?.key ?? search.after ?? '') : null, true)
}

/** The objects of these keys that are found, in their order. */
async function fitting(
  { db, search, fits, worded, budget }: Walk,
  candidates: Candidates,
  keys: readonly string[],
): Promise<Traits[]> {
  const { bucketId, ranges, mayFind } = search
  let left = keys
  for (const { words } of worded) {
    if (words === candidates.words) continue
    const having = await findKeysWithWords(db, bucketId, words, left)
    left = left.filter((key) => having.has(key))
  }
  budget.rows -= left.length
  const rows = new Map((await findTraits(db, bucketId, left)).map((traits) => [traits.key, traits]))
  return left.flatMap((key) => {
    const traits = rows.get(key)
    return traits && isReached(ranges, key) && fits(traits) && mayFind(traits) ? [traits] : []
  })
}
