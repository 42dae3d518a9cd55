import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { type BaseHeader, chainName, decode, keyFor, nextOfChains, partsOf, Unreadable } from './format.ts'

interface Numbered {
  name: string
  number: number
}
/** The files of a chain at a place, in order. */
export interface ChainFiles {
  name: string
  changes: Numbered[]
  /** All files of its copies, finished or not: pieces, and `complete` after them. */
  bases: (Numbered & { isLast: boolean })[]
  /** Whether there is a pulse. */
  pulse: boolean
}
/** A finished copy of the database. */
export interface Base extends BaseHeader {
  chain: string
  folder: string
  /** The key of its chain. */
  key: Uint8Array
}

export const CHAINS = 'chains/'

/** The names of the chains at a place; the newest last. */
export const chainsAt = async (place: NamedFiles): Promise<string[]> =>
  (await place.folders(CHAINS)).map((name) => name.slice(0, -1))

/** The name of a chain that comes after all that are there, and after the last that was written here, perhaps elsewhere. */
export async function nextChain(
  place: NamedFiles,
  epoch: number,
  { last, now }: { last: string | undefined; now: Date },
): Promise<string> {
  const known = (await chainsAt(place)).concat(last ?? [])
  return chainName(epoch, nextOfChains(epoch, known), now)
}

/** All chains, or those of which something is `within` a folder; the newest last. */
export async function findFiles(place: NamedFiles, within = CHAINS): Promise<ChainFiles[]> {
  const chains = new Map<string, ChainFiles>()
  for (const { name } of await place.list(within)) {
    const parts = partsOf(name)
    if (!parts) continue
    const { chain, kind, number } = parts
    const files = chains.get(chain) ?? { name: chain, changes: [], bases: [], pulse: false }
    chains.set(chain, files)
    if (kind === 'pulse') files.pulse = true
    else if (kind === 'changes') files.changes.push({ name, number })
    else files.bases.push({ name, number, isLast: kind === 'base' })
  }
  return [...chains.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * The finished copies that one of these keys can read, in the order of the chains. `onUnreadable` is told of the others.
 */
export async function findBases(
  place: NamedFiles,
  chains: readonly ChainFiles[],
  secretKeys: readonly string[],
  onUnreadable: (chain: string, why: string) => void = () => undefined,
): Promise<Base[]> {
  const found: Base[] = []
  for (const { name: chain, bases } of chains)
    for (const { name, isLast } of bases) {
      const file = isLast ? await place.get(name) : undefined
      if (!file) continue
      let failure: unknown
      const opened = await firstOf(secretKeys, async (secretKey) => {
        const key = keyFor(secretKey, chain)
        try {
          return { key, header: (await decode(key, name, 'base', file)).header }
        } catch (error) {
          if (!(error instanceof Unreadable)) throw error
          failure = error
          return undefined
        }
      })
      if (opened)
        found.push({ ...opened.header, chain, key: opened.key, folder: name.slice(0, name.lastIndexOf('/') + 1) })
      else onUnreadable(chain, (failure as Error).message)
    }
  return found
}

async function firstOf<T, R>(items: readonly T[], work: (item: T) => Promise<R | undefined>): Promise<R | undefined> {
  for (const item of items) {
    const result = await work(item)
    if (result !== undefined) return result
  }
  return undefined
}
