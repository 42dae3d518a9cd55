import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { type Base, findBases, findFiles } from './find.ts'
import { pulseName } from './format.ts'

const HOUR_MS = 3600_000
const DAY_MS = 24 * HOUR_MS
/** For how long every moment can be recovered; then one of a day, for so many days; then one of a week, for so many. */
const MOMENTS_MS = DAY_MS
const DAYS = 14
const WEEKS = 8

/**
 * Deletes what no copy that is kept needs. Kept are all changes of the last day, with the copy before them; of each of the
 * fourteen days before the newest copy, and of each of the eight weeks. The newest copy always stays.
 */
export async function thinOut(place: NamedFiles, secretKeys: readonly string[], now: Date): Promise<void> {
  const files = await findFiles(place)
  const unreadable = new Set<string>()
  const bases = await findBases(place, files, secretKeys, (chain) => unreadable.add(chain))
  const kept = keptOf(bases, now)
  for (const chain of files) {
    const ofChain = kept.filter((base) => base.chain === chain.name)
    // What is written with another key is not judged, nor a chain whose first copy is not finished.
    if (unreadable.has(chain.name) || (ofChain.length === 0 && chain === files.at(-1))) continue
    const open = Math.min(...ofChain.filter(({ onward }) => onward).map(({ first }) => first))
    const isNeeded = (number: number) =>
      number >= open || ofChain.some(({ first, whole }) => number >= first && number <= whole)
    for (const { name, number } of chain.changes) if (!isNeeded(number)) await place.remove(name)
    if (ofChain.length === 0 && chain.pulse) await place.remove(pulseName(chain.name))
    const folders = new Set(ofChain.map(({ first }) => first))
    // The last file first: what is left of an interrupted removal is not taken for a copy.
    for (const { name, number } of chain.bases.toReversed()) if (!folders.has(number)) await place.remove(name)
  }
}

/** Which copies stay, and whether with all changes after them. They are given in the order of their histories, which no clock changes. */
export function keptOf(bases: readonly Base[], now: Date): (Base & { onward: boolean })[] {
  const newestFirst = bases.toReversed()
  const slots = new Set<string>()
  return newestFirst.flatMap((base, i) => {
    const age = now.getTime() - Date.parse(base.moment)
    // The moments between this copy and the next newer one are counted from the newer.
    const next = newestFirst[i - 1]
    const onward = i === 0 || (next !== undefined && now.getTime() - Date.parse(next.moment) < MOMENTS_MS)
    const slot = age < DAYS * DAY_MS ? `day ${Math.floor(age / DAY_MS)}` : `week ${Math.floor(age / (7 * DAY_MS))}`
    const isFirst = !slots.has(slot) && age < WEEKS * 7 * DAY_MS
    slots.add(slot)
    return onward || isFirst ? [{ ...base, onward }] : []
  })
}
