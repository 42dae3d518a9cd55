import { type StandbyState, standbyFiles } from '../../db/standby-state.ts'
import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { type Changes, readChanges } from '../backup/changes.ts'
import { changesName, keyFor } from '../backup/format.ts'
import { keptParts } from './parts.ts'

/** How many files are asked for at once, and the bytes of pages that are applied at once. */
const MOST_AHEAD = 16
const MOST_BYTES = 64 * 1024 * 1024

/** A file of changes that is to be applied. */
export interface Part {
  changes: Changes
  file: Buffer
}

/** The changes that were being applied after this state; none if nothing was. */
export async function interrupted(
  database: string,
  state: StandbyState,
  secretKeys: readonly string[],
): Promise<Part[]> {
  const kept = keptParts(standbyFiles(database).parts)
  if (!kept || kept.chain !== state.chain || kept.first !== state.number + 1) return []
  const parts: Part[] = []
  let previous = state.hash
  for (const [i, file] of kept.files.entries()) {
    const changes = await read(secretKeys, { chain: kept.chain, number: kept.first + i, previous }, file)
    parts.push({ changes, file })
    previous = changes.hash
  }
  return parts
}

/** What there is at the place after this state, up to what is applied at once. Rejects if the first of it cannot be used. */
export async function fetchParts(
  place: NamedFiles,
  { chain, number, hash }: StandbyState,
  secretKeys: readonly string[],
): Promise<Part[]> {
  const parts: Part[] = []
  let previous = hash
  let bytes = 0
  for (let width = 1; bytes < MOST_BYTES; width = Math.min(width * 2, MOST_AHEAD)) {
    const first = number + 1 + parts.length
    const names = Array.from({ length: width }, (_, i) => changesName(chain, first + i))
    for (const file of await Promise.all(names.map((name) => place.get(name)))) {
      if (!file) return parts
      try {
        const changes = await read(secretKeys, { chain, number: number + 1 + parts.length, previous }, file)
        parts.push({ changes, file })
        previous = changes.hash
        bytes += changes.header.pages * changes.pageSize
      } catch (error) {
        if (parts.length === 0) throw error
        return parts
      }
    }
  }
  return parts
}

async function read(
  secretKeys: readonly string[],
  at: Parameters<typeof readChanges>[1],
  file: Buffer,
): Promise<Changes> {
  let failure: unknown
  for (const secretKey of secretKeys)
    try {
      return await readChanges(keyFor(secretKey, at.chain), at, file)
    } catch (error) {
      failure ??= error
    }
  throw failure
}

/** The state once these were applied. */
export function after(state: StandbyState, parts: readonly Part[]): StandbyState {
  const last = parts.at(-1)?.changes
  return last ? { ...state, number: last.header.number, hash: last.hash, moment: last.header.moment } : state
}
