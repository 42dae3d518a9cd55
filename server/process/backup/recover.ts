import { Refusal } from '../../base/refusal.ts'
import { RestoredFile } from '../../db/sqlite-files.ts'
import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { type Changes, readChanges } from './changes.ts'
import { type Base, findBases, findFiles } from './find.ts'
import { changesName, decode, pieceName, sha256, Unreadable } from './format.ts'

/** How many files are fetched before it is their turn. */
const PIECES_AHEAD = 3
const CHANGES_AHEAD = 16

export interface RecoverOptions {
  /** Where the backup is. */
  place: NamedFiles
  secretKeys: readonly string[]
  /** The SQLite file to make. */
  target: string
  /** The latest moment to recover; undefined: as late as possible. */
  at: Date | undefined
  report: (line: string) => void
  /** Aborted when it is not wanted any more. */
  signal?: AbortSignal
  /** Told how much of the copy was fetched. */
  onBytes?: (bytes: number, of: number) => void
}
export interface Recovered {
  instance: string
  /** The number of its epoch. */
  epoch: number
  /** Everything acknowledged until then is in it. */
  moment: string
  counts: { buckets: number; objects: number; users: number }
  /** What there is at the place and could not be used, and why; empty if everything could. */
  missing: string[]
  /** The last file of changes that is in it. */
  last: { chain: string; number: number; hash: string }
}

/**
 * Puts a database together from the newest copy at a backup place and the changes after it. A file of changes is used if it
 * is whole, the next in number, and follows the one before it by its hash; the first that is not ends it, and it is said how
 * many come after. `finish` is called with what was found, while the database has no name yet. Throws a Refusal if there is
 * nothing to recover.
 */
export async function recoverDatabase(
  options: RecoverOptions,
  finish: (file: RestoredFile, found: Recovered) => Promise<void>,
): Promise<Recovered> {
  const { place, secretKeys, target, at, report } = options
  const file = new RestoredFile(target)
  try {
    const missing: string[] = []
    const chains = await findFiles(place)
    if (chains.length === 0) throw new Refusal('There is no backup of a database there. Check --from.')
    const bases = await findBases(place, chains, secretKeys, (_, why) => missing.push(why))
    if (bases.length === 0)
      throw new Refusal(
        missing.length > 0
          ? `No copy of the database can be read: ${missing[0]}.`
          : 'There is no whole copy of the database there yet.',
      )
    const usable = at ? bases.filter(({ moment }) => Date.parse(moment) <= at.getTime()) : bases
    const base = usable.at(-1)
    if (!base)
      throw new Refusal(`The oldest moment that can be recovered is ${(bases[0] as Base).moment}, which is after --at.`)
    const later = chains.filter(({ name }) => name > base.chain)
    if (!at) for (const { name } of later) missing.push(`${name} starts later, but has no whole copy of the database`)
    report(`Copy of the database of ${base.moment} (${base.bytes} bytes)`)
    await restoreBase(options, file, base)
    const reached = await applyChanges(
      { ...options, file, base },
      chains.find(({ name }) => name === base.chain)?.changes.map(({ number }) => number) ?? [],
    )
    missing.push(...reached.missing)
    const { instance, epoch, ...counts } = file.describe()
    const { moment, number, hash } = reached
    const found: Recovered = { instance, epoch, moment, counts, missing, last: { chain: base.chain, number, hash } }
    await finish(file, found)
    return found
  } finally {
    file.close()
  }
}

async function restoreBase(options: RecoverOptions, file: RestoredFile, base: Base): Promise<void> {
  const names = base.pieces.map((_, index) => pieceName(base.folder, index))
  let done = 0
  for await (const { name, index, bytes: piece } of ahead(options, names, PIECES_AHEAD)) {
    const hash = base.pieces[index]
    if (!piece || sha256(piece) !== hash)
      throw new Refusal(
        `The copy of ${base.moment} is damaged: ${name} is ${piece ? 'not what it was' : 'missing'}. Give an earlier moment with --at.`,
      )
    const { bytes } = await decode(base.key, name, 'piece', piece)
    file.append(bytes)
    done += bytes.length
    options.onBytes?.(done, base.bytes)
  }
}

/** What came of the changes of a chain. */
interface Reached {
  moment: string
  number: number
  hash: string
  missing: string[]
}

/** Applies changes in order, from those that may not be in the copy up to the last that can be used. */
async function applyChanges(
  {
    place,
    file,
    base,
    at,
    report,
    signal,
  }: Omit<RecoverOptions, 'secretKeys' | 'target'> & { file: RestoredFile; base: Base },
  numbers: readonly number[],
): Promise<Reached> {
  const reached: Reached = { moment: base.moment, number: base.first - 1, hash: base.previous, missing: [] }
  // Without those up to `whole`, the copy is no state that the database was in.
  const last = Math.max(numbers.at(-1) ?? 0, base.whole)
  const names = Array.from({ length: Math.max(0, last - base.first + 1) }, (_, i) =>
    changesName(base.chain, base.first + i),
  )
  let failure: string | undefined
  for await (const { name, index, bytes } of ahead({ place, signal }, names, CHANGES_AHEAD)) {
    const number = base.first + index
    if (!bytes) {
      failure = `${name} is missing`
      break
    }
    let changes: Changes
    try {
      changes = await readChanges(base.key, { chain: base.chain, number, previous: reached.hash }, bytes)
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      failure = error.message
      break
    }
    const { header, hash } = changes
    // The copy is whole only with these, whatever their moment.
    if (number > base.whole && at && Date.parse(header.moment) > at.getTime()) break
    file.apply(changes)
    reached.number = number
    reached.hash = hash
    if (number > base.whole) reached.moment = header.moment
    if (number % 1000 === 0) report(`Changes up to ${number} of ${last}: ${reached.moment}`)
  }
  if (failure !== undefined) {
    const after = numbers.filter((number) => number > reached.number + 1).length
    if (reached.number < base.whole)
      throw new Refusal(`The copy of ${base.moment} cannot be used: ${failure}. Give an earlier moment with --at.`)
    reached.missing.push(
      after > 0 ? `${failure}, and so ${after} file(s) of later changes cannot be used` : `${failure}: it was left out`,
    )
  }
  return reached
}

/** The files of these names in order, while the next ones are being fetched. */
async function* ahead(
  { place, signal }: Pick<RecoverOptions, 'place' | 'signal'>,
  names: readonly string[],
  most: number,
): AsyncGenerator<{ name: string; index: number; bytes: Buffer | undefined }> {
  const coming: Promise<Buffer | undefined>[] = []
  for (const [index, name] of names.entries()) {
    while (coming.length < most && index + coming.length < names.length) {
      const next = place.get(names[index + coming.length] as string)
      // Its failure is that of its turn.
      next.catch(() => undefined)
      coming.push(next)
    }
    yield { name, index, bytes: await unlessAborted(signal, coming.shift()) }
  }
}

/** Resolves as `work` does, or rejects at once when it is not wanted any more. */
async function unlessAborted<T>(signal: AbortSignal | undefined, work: Promise<T> | undefined): Promise<T | undefined> {
  if (!signal) return work
  signal.throwIfAborted()
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = () => reject(signal.reason)
  signal.addEventListener('abort', end)
  try {
    return await Promise.race([work, ended])
  } finally {
    signal.removeEventListener('abort', end)
  }
}
