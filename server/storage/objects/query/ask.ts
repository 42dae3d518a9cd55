// Reads a query for a caller, at a moment.
import { ServiceError } from '../../../../contract/errors.ts'
import { parseQuery, QueryError, type Term } from '../../../../contract/query.ts'
import { folded } from '../../../base/folded.ts'
import type { Ctx } from '../../../context.ts'
import { type Facts, matcher } from './filter.ts'
import { findUserByEmail } from './store.ts'

/** The terms of a query; throws invalid_query, which says where it is not understood. */
export function termsOf(query: string, path = 'query.q'): Term[] {
  try {
    const terms = parseQuery(query)
    // Who says something twice asks for nothing more.
    return [...new Map(terms.map((term) => [JSON.stringify(term), term])).values()]
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    const { code: reason, position, length, message, suggestion } = error.fault
    throw new ServiceError('invalid_query', message, {
      faults: [{ path, message: `is not understood at ${position}: ${message}` }],
      extensions: { reason, position, length, suggestion },
    })
  }
}

/** Takes the prefix that all terms are about out of them; null if they contradict each other. */
export function prefixIn(terms: readonly Term[], prefix: string): { prefix: string; terms: Term[] } | null {
  let longest = prefix
  const others: Term[] = []
  for (const term of terms) {
    if (term.field !== 'prefix' || term.negated) others.push(term)
    else if (term.text.startsWith(longest)) longest = term.text
    else if (!longest.startsWith(term.text)) return null
  }
  return { prefix: longest, terms: others }
}

/** Whether terms let objects of this bucket be found. */
export const isAbout = (terms: readonly Term[], bucket: string): boolean =>
  terms.every((term) => term.field !== 'bucket' || matcher(term.pattern)(bucket) !== term.negated)

/** Who asks, and when. */
type Asking = Pick<Ctx, 'db' | 'actor' | 'now'>

/** What the terms mean to the caller now. */
export async function factsOf(ctx: Asking, terms: readonly Term[], prefix: string): Promise<Facts> {
  const writers = new Map<string, string | null>()
  for (const term of terms) if (term.field === 'by') writers.set(term.text, await writerOf(ctx, term.text))
  return { now: ctx.now().getTime(), skip: prefix.length, writers }
}

async function writerOf({ db, actor }: Asking, text: string): Promise<string | null> {
  if (text.toLowerCase() === 'me') return actor.user_id
  if (!text.includes('@')) return text.toLowerCase()
  return (await findUserByEmail(db, folded(text))) ?? null
}
