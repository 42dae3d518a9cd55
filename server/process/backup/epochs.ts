import { hostname } from 'node:os'
import type { LogFollower } from '../../db/sqlite-files.ts'
import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { decode, EPOCHS, type EpochHeader, encode, epochName, keyFor, Unreadable } from './format.ts'

/** Which of the copies of an instance may write: of all that ever had its database, the one that took over last. */
export interface Epoch {
  number: number
  holder: string
}

/** Another instance has taken over: this one must not write any more. */
export class Fenced extends Error {}

/** An epoch on record, and whether it was written with the first of the keys given. */
interface Found {
  header: EpochHeader
  isCurrentKey: boolean
}

/** The names of the epochs on record at a place, the one that counts first. */
async function epochsAt(place: NamedFiles): Promise<string[]> {
  const names = (await place.list('epochs/')).map(({ name }) => name)
  // Of two that took the same number, the one with the first name has it.
  return names.toSorted((a, b) => numberOf(b) - numberOf(a) || (a < b ? -1 : 1))
}

/** Undefined for another's, or a damaged one: it says nothing. */
async function readEpoch(place: NamedFiles, secretKeys: readonly string[], name: string): Promise<Found | undefined> {
  const file = await place.get(name)
  for (const [i, secretKey] of (file ? secretKeys : []).entries())
    try {
      const { header } = await decode(keyFor(secretKey, EPOCHS), name, 'epoch', file as Buffer)
      return { header, isCurrentKey: i === 0 }
    } catch {
      // With the next key.
    }
  return undefined
}

/**
 * The newest epoch on record at a place; undefined if there is none. Throws Unreadable if none of these keys has written
 * what is on record.
 */
export async function newestEpoch(place: NamedFiles, secretKeys: readonly string[]): Promise<Found | undefined> {
  const names = await epochsAt(place)
  for (const name of names) {
    const found = await readEpoch(place, secretKeys, name)
    if (found) return found
  }
  if (names.length > 0) throw new Unreadable('it belongs to another instance, or to another SECRET_KEY')
  return undefined
}

/** Throws Fenced if a place has this epoch, or a later one, of another holder of the same database. */
export async function assertNoRival(
  place: NamedFiles,
  secretKeys: readonly string[],
  own: Epoch & { instance: string },
): Promise<void> {
  for (const name of await epochsAt(place)) {
    if (numberOf(name) < own.number) return
    const header = (await readEpoch(place, secretKeys, name))?.header
    if (header?.instance === own.instance && header.holder !== own.holder) throw fencedBy(header)
  }
}

const numberOf = (name: string): number => Number(/^epochs\/(\d+)-/.exec(name)?.[1] ?? -1)

/** Records an epoch at a place. Whether it counts, `newestEpoch` says afterwards: others may have done the same. */
export async function recordEpoch(
  place: NamedFiles,
  secretKey: string,
  { number, holder }: Epoch,
  { instance, now }: { instance: string; now: Date },
): Promise<void> {
  const name = epochName(number, holder)
  const header = {
    kind: 'epoch' as const,
    number,
    instance,
    holder,
    since: now.toISOString(),
    host: hostname(),
  }
  await place.put(name, await encode(keyFor(secretKey, EPOCHS), name, header, []))
}

/** Takes the record of an epoch back that was never in force. */
export const withdrawEpoch = (place: NamedFiles, { number, holder }: Epoch): Promise<void> =>
  place.remove(epochName(number, holder))

/** Throws Fenced if an epoch on record forbids this one to write; an error if it is of another database. */
export function assertSame(found: EpochHeader | undefined, own: Epoch & { instance: string }): void {
  if (!found) return
  if (found.instance !== own.instance) throw new Error(`it belongs to another database (instance ${found.instance})`)
  if (found.number < own.number || (found.number === own.number && found.holder === own.holder)) return
  throw fencedBy(found)
}

const fencedBy = ({ since, host, number }: EpochHeader): Fenced =>
  new Fenced(`another instance has taken over since ${since} (${host}, epoch ${number})`)

/** What a database says of itself. */
export function epochOf(follower: Pick<LogFollower, 'row'>): Epoch & { instance: string } {
  const row = follower.row('select id, epoch, coalesce(epoch_holder, id) as holder from instance')
  return { instance: String(row?.id), number: Number(row?.epoch), holder: String(row?.holder) }
}
