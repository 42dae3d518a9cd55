import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { chainsAt, findFiles } from '../backup/find.ts'
import { changesName, keyFor, Unreadable } from '../backup/format.ts'
import { type Pulse, readPulse } from '../backup/pulse.ts'

/** Up to where a history was followed. */
interface At {
  chain: string
  number: number
}

/** The whole copies of a chain. */
const finished = async (place: NamedFiles, chain: string) =>
  (await findFiles(place, `${chain}/bases/`)).flatMap(({ bases }) => bases.filter(({ isLast }) => isLast))

/** Whether there is a copy of the database from which on it continues, as it does not from here. */
export async function isLeftBehind(place: NamedFiles, { chain, number }: At, isDamaged: boolean): Promise<boolean> {
  for (const name of await chainsAt(place)) if (name > chain && (await finished(place, name)).length > 0) return true
  const isLater = (await finished(place, chain)).some((base) => base.number > number + 1)
  return isLater && (isDamaged || (await place.get(changesName(chain, number + 1))) === undefined)
}

/** The newest whole copy at a place, by its name; undefined if there is none. */
export async function newestCopy(place: NamedFiles): Promise<string | undefined> {
  for (const name of (await chainsAt(place)).toReversed()) {
    const found = (await finished(place, name)).at(-1)
    if (found) return found.name
  }
  return undefined
}

/** What the main service says last of a chain. */
export async function pulseOf(
  place: NamedFiles,
  chain: string,
  secretKeys: readonly string[],
): Promise<Pulse | undefined> {
  for (const secretKey of secretKeys) {
    const pulse = await readPulse(place, chain, keyFor(secretKey, chain))
    if (pulse) return pulse
  }
  return undefined
}

/** Why what comes next is missing, if the main service has said that it was stored. */
export async function gapBefore(
  place: NamedFiles,
  { chain, number }: At,
  pulse: Pulse | undefined,
): Promise<Unreadable | undefined> {
  if (!pulse || pulse.number <= number) return undefined
  const name = changesName(chain, number + 1)
  // It may have been stored since it was looked for.
  if (await place.get(name)) return undefined
  return new Unreadable(`${name} is missing, although there were changes up to number ${pulse.number}`)
}
