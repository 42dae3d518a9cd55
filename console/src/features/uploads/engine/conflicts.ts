import { client } from '../../../api/session.ts'
import type { Clash, Item } from './item.ts'

/** Keys that the API answers for at once. */
export const MOST_KEYS = 1000

/**
 * A key in the spellings that look the same: `é` is one character or two, by system. A file clashes with any of them.
 */
const spellings = (key: string): string[] => [...new Set([key, key.normalize('NFC'), key.normalize('NFD')])]

export interface Taken extends Clash {
  /** As it is spelled there. */
  key: string
  etag: string | null
}

/** What stands where these files want to go. Throws what the API refuses with. */
export async function findTaken(
  bucket: string,
  items: readonly Item[],
  signal: AbortSignal,
): Promise<Map<Item, Taken>> {
  const wanted = new Map(items.map((item) => [item, spellings(item.key)]))
  const keys = [...new Set([...wanted.values()].flat())]
  const found = new Map<string, Taken>()
  for (let at = 0; at < keys.length; at += MOST_KEYS) {
    const { items: some } = await client.objectsExist({
      params: { name: bucket },
      body: { keys: keys.slice(at, at + MOST_KEYS) },
      signal,
    })
    for (const { key, exists, size, etag, last_modified } of some)
      if (exists) found.set(key, { key, size, etag, modified: last_modified })
  }
  const taken = new Map<Item, Taken>()
  for (const [item, names] of wanted) {
    const there = names.map((name) => found.get(name)).find((one) => one !== undefined)
    if (there) taken.set(item, there)
  }
  return taken
}
