import { hostname } from 'node:os'
import type { LogFollower } from '../../db/sqlite-files.ts'
import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { decode, EPOCHS, type EpochHeader, encode, epochName, keyFor, takenName, Unreadable } from './format.ts'

/** Which of the copies of an instance may write: of all that ever had its database, the one that took over last. */
export interface Epoch {
  number: number
  holder: string
}

/** Another instance has taken over: this one must not write any more. */
export class Fenced extends Error {}

/** An epoch on record, under which name, and whether it was written with the first of the keys given. */
interface Found {
  name: string
  header: EpochHeader
  isCurrentKey: boolean
}

/**
 * The newest epoch on record at a place; undefined if there is none. Throws Unreadable if none of these keys has written
 * what is on record.
 */
export async function newestEpoch(place: NamedFiles, secretKeys: readonly string[]): Promise<Found | undefined> {
  const names = (await place.list('epochs/')).map(({ name }) => name)
  // Of two of the same number, the first name counts: the one that was taken, of which there is one.
  const ordered = names.toSorted((a, b) => numberOf(b) - numberOf(a) || (a < b ? -1 : 1))
  for (const name of ordered) {
    const file = await place.get(name)
    for (const [i, secretKey] of (file ? secretKeys : []).entries())
      try {
        const { header } = await decode(keyFor(secretKey, EPOCHS), name, 'epoch', file as Buffer)
        return { name, header, isCurrentKey: i === 0 }
      } catch {
        // Another's, or damaged: it says nothing.
      }
  }
  if (names.length > 0) throw new Unreadable('it belongs to another instance, or to another SECRET_KEY')
  return undefined
}

const numberOf = (name: string): number => Number(/^epochs\/(\d+)-/.exec(name)?.[1] ?? -1)

/** Of which database it is. */
export type Own = Epoch & { instance: string }

const fileOf = (secretKey: string, name: string, { number, holder, instance }: Own, now: Date): Promise<Buffer> =>
  encode(
    keyFor(secretKey, EPOCHS),
    name,
    { kind: 'epoch', number, instance, holder, since: now.toISOString(), host: hostname() },
    [],
  )

/** Records the epoch that a database has, in the place of an older record of it, if that was `found`. */
export async function recordEpoch(
  place: NamedFiles,
  secretKey: string,
  own: Own,
  { found, now }: { found: Found | undefined; now: Date },
): Promise<void> {
  const name = found?.header.number === own.number ? found.name : epochName(own.number, own.holder)
  await place.put(name, await fileOf(secretKey, name, own, now))
}

/** Takes an epoch at a place, of all who may try at once. Rejects with Fenced if another one has it. */
export async function takeEpoch(place: NamedFiles, secretKeys: readonly string[], own: Own, now: Date): Promise<void> {
  const name = takenName(own.number)
  if (await place.create(name, await fileOf(secretKeys[0] as string, name, own, now))) return
  // Taken earlier, by this one or another.
  const found = await newestEpoch(place, secretKeys)
  if (found?.header.number === own.number && found.header.holder === own.holder) return
  throw new Fenced(`another one takes over just now (epoch ${own.number}): one of two can`)
}

/** Gives an epoch back, if it was taken by this one. */
export async function giveBackEpoch(place: NamedFiles, secretKeys: readonly string[], own: Own): Promise<void> {
  const found = await newestEpoch(place, secretKeys)
  if (found?.header.holder === own.holder && found.header.number === own.number) await place.remove(found.name)
}

/** Throws Fenced if an epoch on record forbids this one to write; an error if it is of another database. */
export function assertSame(found: EpochHeader | undefined, own: Own): void {
  if (!found) return
  if (found.instance !== own.instance) throw new Error(`it belongs to another database (instance ${found.instance})`)
  if (found.number < own.number || (found.number === own.number && found.holder === own.holder)) return
  throw new Fenced(`another instance has taken over since ${found.since} (${found.host}, epoch ${found.number})`)
}

/** What a database says of itself. */
export function epochOf(follower: Pick<LogFollower, 'row'>): Own {
  const row = follower.row('select id, epoch, coalesce(epoch_holder, id) as holder from instance')
  return { instance: String(row?.id), number: Number(row?.epoch), holder: String(row?.holder) }
}
