import { client } from '../../../api/session.ts'
import type { Item } from './item.ts'
import { type Circumstances, persistently } from './retry.ts'

const PAGE = 1000
/** Beyond so many unfinished uploads of a bucket, what is not found is shown without a figure. */
const MOST_PAGES = 5

/**
 * Asks the server how much of interrupted files has arrived, and calls `found` for those of which something has. Nothing
 * depends on it, so a refusal leaves files without a figure.
 */
export async function askArrived(
  items: readonly Item[],
  reach: Circumstances['reach'],
  found: (item: Item, bytes: number) => void,
): Promise<void> {
  const { signal } = new AbortController()
  for (const bucket of new Set(items.map(({ batch }) => batch.bucket))) {
    const wanted = new Map<string, Item>()
    for (const item of items) if (item.upload && item.batch.bucket === bucket) wanted.set(item.upload.id, item)
    let cursor: string | null = null
    for (let page = 0; wanted.size > 0 && page < MOST_PAGES && (page === 0 || cursor !== null); page++) {
      const at: string | null = cursor
      const answer = await persistently({ signal, reach }, () =>
        client.listUploads({
          params: { bucket },
          query: { limit: PAGE, ...(at === null ? {} : { cursor: at }) },
        }),
      ).catch(() => undefined)
      if (!answer) break
      for (const { upload_id, received_bytes } of answer.items) {
        const item = wanted.get(upload_id)
        wanted.delete(upload_id)
        if (item && received_bytes > 0) found(item, received_bytes)
      }
      cursor = answer.next_cursor
    }
  }
}
