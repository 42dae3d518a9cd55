import { client } from '../../../api/session.ts'
import type { Clash, Item } from './item.ts'

/** Keys that the API accepts in one request. */
export const MOST_KEYS = 1000

/**
 * A key in the Unicode forms that look the same: `é` is one or two characters, depending on the system. A file
 * conflicts with any of them.
 */
const spellings = (key: string): string[] => [...new Set([key, key.normalize('NFC'), key.normalize('NFD')])]

export interface Taken extends Clash {
  /** As spelled on the server. */
  key: string
  etag: string | null
}

/** The existing objects for these files. Throws the API's errors. */
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
