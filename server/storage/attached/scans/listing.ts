import { compareBytesIn, type KeyOrder } from '../../../base/key-order.ts'
import type { ExternalSource, ListedObject, RefusedKey } from '../../../drivers/external.ts'
import type { ScanRow } from './store.ts'

/** Refused keys that are named. */
const MOST_REFUSED = 100

/** Some of what an engine lists. */
export interface Listed {
  /** That of its keys. */
  order: KeyOrder
  objects: readonly ListedObject[]
  /** Those before the last of these objects, or of all. */
  refused: readonly RefusedKey[]
  /** When they were asked for: what has changed since may be newer. */
  asked: Date
  /** Whether nothing comes after them. */
  last: boolean
}
interface Page {
  objects: ListedObject[]
  refused: RefusedKey[]
  asked: Date
  next: string | undefined
  /** The key of its last object, or of one before it. */
  end: string | undefined
}

/**
 * An engine's list under a prefix, after a whole key, in the order that is expected of it. Holds two pages: the next one is
 * asked for ahead. After a failure, the same call asks again.
 */
export function readListing(
  source: ExternalSource,
  { prefix, after, order }: { prefix: string; after: string | undefined; order: KeyOrder },
  now: () => Date,
) {
  let page: Page | undefined
  let ahead: Promise<Page> | undefined

  async function ask(from: { after: string | undefined; next?: string | undefined }): Promise<Page> {
    const asked = now()
    const { objects, refused, next } = await source.list(prefix, { ...from, order })
    return { objects, refused, asked, next, end: objects.at(-1)?.key ?? from.after }
  }
  const askNext = ({ next, end }: Page) => ask({ next, after: end })

  async function turn(): Promise<Page> {
    try {
      page = page ? await (ahead ?? askNext(page)) : await ask({ after })
    } finally {
      ahead = undefined
    }
    if (page.next !== undefined) {
      ahead = askNext(page)
      // Whoever needs it gets the failure.
      ahead.catch(() => undefined)
    }
    return page
  }

  return {
    /** The next objects, at most so many; the same ones until they are dropped. */
    async peek(most: number): Promise<Listed> {
      let at = page ?? (await turn())
      while (at.objects.length === 0 && at.refused.length === 0 && at.next !== undefined) at = await turn()
      const objects = at.objects.slice(0, most)
      const isAll = objects.length === at.objects.length
      const { asked, next } = at
      return {
        order,
        objects,
        refused: isAll ? at.refused : upTo(at.refused, objects, order),
        asked,
        last: isAll && next === undefined,
      }
    },
    /** Goes past what was seen: so many of the objects. */
    drop(seen: Listed, count: number): void {
      if (!page) return
      const isAll = count === seen.objects.length
      const gone = new Set(isAll ? seen.refused : upTo(seen.refused, seen.objects.slice(0, count), order))
      page.objects.splice(0, count)
      page.refused = page.refused.filter((one) => !gone.has(one))
    },
  }
}

/** The refused keys before the last of these objects. */
export function upTo(refused: readonly RefusedKey[], objects: readonly ListedObject[], order: KeyOrder): RefusedKey[] {
  const last = objects.at(-1)
  if (!last) return []
  const end = Buffer.from(last.key)
  return refused.filter(({ bytes }) => compareBytesIn(order, bytes, end) <= 0)
}

/** The refused keys that were not counted yet. */
export const refusedSince = (
  refused: readonly RefusedKey[],
  { to, order }: { to: string | null; order: KeyOrder },
): readonly RefusedKey[] =>
  to === null ? refused : refused.filter(({ bytes }) => compareBytesIn(order, bytes, Buffer.from(to, 'hex')) > 0)

/** What a scan notes of more refused keys. */
export function refusedToo(held: Pick<ScanRow, 'refused' | 'refused_keys'>, refused: readonly RefusedKey[]) {
  const last = refused.at(-1)
  if (!last) return {}
  const known = JSON.parse(held.refused_keys) as { key: string; reason: string }[]
  const more = refused.slice(0, Math.max(0, MOST_REFUSED - known.length)).map(({ key, reason }) => ({ key, reason }))
  return {
    refused: held.refused + refused.length,
    refused_keys: JSON.stringify([...known, ...more]),
    refused_to: last.bytes.toString('hex'),
  }
}
