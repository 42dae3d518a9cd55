// Writes the words of objects that were there before the index of words.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { SECOND_MS } from '../../../../base/time.ts'
import type { Ctx } from '../../../../context.ts'
import { wordsOf } from '../words.ts'
import * as store from './store.ts'

/** Objects of a step, and words of a statement. */
const OBJECTS = 500
const WORDS = 500

/** Takes steps until all are written; each commits with its place, so that another process goes on there. */
export const fillWords = {
  name: 'search-words',
  every: 10 * SECOND_MS,
  async run(ctx: Ctx): Promise<void> {
    if (await store.hasAllWords(ctx.db)) return
    while (!ctx.stopping.aborted && !(await takeStep(ctx))) await nextTurn()
  },
}

/** Writes the words of the next objects; whether these were the last. */
const takeStep = (ctx: Pick<Ctx, 'upkeep' | 'log'>): Promise<boolean> =>
  ctx.upkeep(async ({ tx, log }) => {
    const place = await store.lockPlace(tx)
    if (place === null) return true
    const after = place === '' ? undefined : (JSON.parse(place) as store.Place)
    const to = await store.findPlaceAfter(tx, after, OBJECTS)
    const rows = await store.lockWorded(tx, { after, to })
    const words = rows.flatMap(({ bucket_id, key, ...row }) => wordsOf(row).map((word) => ({ bucket_id, word, key })))
    for (let from = 0; from < words.length; from += WORDS) await store.insertWords(tx, words.slice(from, from + WORDS))
    await store.updatePlace(tx, to ? JSON.stringify(to) : null)
    if (!to) log.info('searches have an index of all tags and metadata')
    return to === undefined
  })
