import type { TrashItem } from '../client/index.ts'
import { UsageError } from './config.ts'
import { bucketName, prefixedPlace, printable, show } from './places.ts'
import { agrees, print, type Run } from './run.ts'

export const TRASH_USAGE = 'trash [--yes] [--json] list|restore|empty <bucket or sr:path> [id …]'
const usage = () => new UsageError(`usage: strongroom ${TRASH_USAGE}`)

/** Most ids of one request. */
const BATCH = 1000

/** `trash list|restore|empty`. */
export async function trash(run: Run, words: readonly string[], yes: boolean): Promise<void> {
  const [what, target, ...ids] = words
  if (target === undefined) throw usage()
  if (what === 'list' && ids.length === 0) return listTrash(run, target)
  if (what === 'restore') return restoreTrash(run, target, ids)
  if (what === 'empty' && ids.length === 0) return emptyTrash(run, bucketName(target), yes)
  throw usage()
}

const itemsOf = ({ client }: Run, { bucket, prefix }: { bucket: string; prefix: string }) =>
  client.all.listTrash({ params: { bucket }, query: prefix === '' ? {} : { prefix } })

async function listTrash(run: Run, target: string): Promise<void> {
  for await (const item of itemsOf(run, prefixedPlace(target)))
    if (run.json) await print(`${JSON.stringify(item)}\n`)
    else {
      const { id, size, deleted_at, reason, key } = item
      const columns = [id, String(size).padStart(15), `${deleted_at.slice(0, 19)}Z`, reason.padEnd(11), printable(key)]
      await print(`${columns.join('  ')}\n`)
    }
}

/** Restores the items with these ids, or what was last deleted under a key or in a folder. */
async function restoreTrash(run: Run, target: string, ids: readonly string[]): Promise<void> {
  const { bucket, prefix } = prefixedPlace(target)
  const wanted = ids.length > 0 ? ids : await latestIn(run, { bucket, prefix })
  if (wanted.length === 0) throw new Error(`${show(bucket, prefix)}: nothing in the trash`)
  for (let at = 0; at < wanted.length; at += BATCH) {
    const { restored } = await run.client.restoreTrash({
      params: { bucket },
      body: { ids: wanted.slice(at, at + BATCH) },
    })
    for (const item of restored)
      await print(run.json ? `${JSON.stringify(item)}\n` : `Restored ${show(bucket, item.key)}\n`)
  }
}

/** The latest deletion of each key: of this one, or of all in a folder. */
async function latestIn(run: Run, place: { bucket: string; prefix: string }): Promise<string[]> {
  const { prefix } = place
  if (prefix === '') throw new UsageError('Give the ids to restore, a key or a folder: sr:bucket/folder/')
  const latest = new Map<string, TrashItem>()
  for await (const item of itemsOf(run, place)) {
    const isMeant = prefix.endsWith('/') || item.key === prefix
    if (isMeant && item.reason === 'deleted' && !latest.has(item.key)) latest.set(item.key, item)
  }
  return [...latest.values()].map(({ id }) => id)
}

async function emptyTrash(run: Run, bucket: string, yes: boolean): Promise<void> {
  if (!(await agrees(`Delete everything in the trash of ${bucket} permanently?`, yes)))
    throw new Error('Nothing was deleted.')
  const sum = { purged: 0, bytes: 0 }
  for (let more = true; more; ) {
    const step = await run.client.purgeTrash({ params: { bucket }, body: { all: true } })
    sum.purged += step.purged
    sum.bytes += step.bytes
    more = step.more
  }
  await print(run.json ? `${JSON.stringify(sum)}\n` : `Deleted ${sum.purged} from the trash, ${sum.bytes} bytes.\n`)
}
