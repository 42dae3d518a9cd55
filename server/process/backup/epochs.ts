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

/**
 * The newest epoch on record at a place; undefined if there is none. Throws Unreadable if none of these keys has written
 * what is on record.
 */
export async function newestEpoch(place: NamedFiles, secretKeys: readonly string[]): Promise<Found | undefined> {
  const names = (await place.list('epochs/')).map(({ name }) => name)
  // Of two that took the same number, the one with the first name has it.
  const ordered = names.toSorted((a, b) => numberOf(b) - numberOf(a) || (a < b ? -1 : 1))
  for (const name of ordered) {
    const file = await place.get(name)
    for (const [i, secretKey] of (file ? secretKeys : []).entries())
      try {
        const { header } = await decode(keyFor(secretKey, EPOCHS), name, 'epoch', file as Buffer)
        return { header, isCurrentKey: i === 0 }
      } catch {
        // Another's, or damaged: it says nothing.
      }
  }
  if (names.length > 0) throw new Unreadable('it belongs to another instance, or to another SECRET_KEY')
  return undefined
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

/** Throws Fenced if an epoch on record forbids this one to write; an error if it is of another database. */
export function assertSame(found: EpochHeader | undefined, own: Epoch & { instance: string }): void {
  if (!found) return
  if (found.instance !== own.instance) throw new Error(`it belongs to another database (instance ${found.instance})`)
  if (found.number < own.number || (found.number === own.number && found.holder === own.holder)) return
  throw new Fenced(`another instance has taken over since ${found.since} (${found.host}, epoch ${found.number})`)
}

/** What a database says of itself. */
export function epochOf(follower: Pick<LogFollower, 'row'>): Epoch & { instance: string } {
  const row = follower.row('select id, epoch, coalesce(epoch_holder, id) as holder from instance')
  return { instance: String(row?.id), number: Number(row?.epoch), holder: String(row?.holder) }
}
