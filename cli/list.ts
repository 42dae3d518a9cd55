import type { Bucket, StoredObject } from '../client/index.ts'
import { folderOf, isWholeService, printable, type RemotePlace, remotePlace, SCHEME, show } from './places.ts'
import { findObject, objectsIn } from './remote.ts'
import { print, type Run } from './run.ts'
import { changedAt } from './transfer.ts'

interface ListOptions {
  recursive: boolean
  long: boolean
}

/** `ls`: buckets; the folders and objects of one; with `recursive` all objects below. */
export async function list(run: Run, target: string | undefined, options: ListOptions): Promise<void> {
  if (target === undefined || isWholeService(target)) return listBuckets(run, options.long)
  const place = remotePlace(target)
  let found = false
  const object = place.key.endsWith('/') ? undefined : await findObject(run, place)
  if (object) {
    found = true
    await printObject(run, object, place.key.slice(place.key.lastIndexOf('/') + 1), options.long)
  }
  const prefix = folderOf(place)
  if (options.recursive)
    for await (const one of objectsIn(run, place.bucket, prefix)) {
      found = true
      await printObject(run, one, one.key.slice(prefix.length) || './', options.long)
    }
  else found = (await listFolder(run, place, prefix, options.long)) || found
  // An empty bucket exists, an empty folder does not.
  if (!found && place.key !== '') throw new Error(`${show(place.bucket, place.key)}: not found`)
}

async function listFolder(run: Run, { bucket: name }: RemotePlace, prefix: string, long: boolean): Promise<boolean> {
  let found = false
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<Run['client']['browse']>> = await run.client.browse({
      params: { bucket: name },
      query: { limit: 1000, ...(prefix && { prefix }), ...(cursor !== null && { cursor }) },
    })
    const folders = page.common_prefixes.map((key) => ({ key, object: undefined }))
    const rows = [...folders, ...page.objects.map((object) => ({ key: object.key, object }))]
    found ||= rows.length > 0
    for (const { key, object } of rows)
      if (object) await printObject(run, object, key.slice(prefix.length) || './', long)
      else if (run.json) await print(`${JSON.stringify({ bucket: name, prefix: key })}\n`)
      else await print(`${long ? ' '.repeat(37) : ''}${printable(key.slice(prefix.length))}\n`)
    cursor = page.next_cursor
  } while (cursor !== null)
  return found
}

async function printObject(run: Run, object: StoredObject, name: string, long: boolean): Promise<void> {
  if (run.json) return print(`${JSON.stringify(object)}\n`)
  const time = new Date(changedAt(object).time).toISOString().slice(0, 19)
  await print(`${long ? `${String(object.size).padStart(15)}  ${time}Z ` : ''}${printable(name)}\n`)
}

async function listBuckets({ client, json }: Run, long: boolean): Promise<void> {
  for await (const bucket of client.all.listBuckets())
    if (json) await print(`${JSON.stringify(bucket)}\n`)
    else {
      const { name, used_bytes, object_count } = bucket
      const counts = long ? `${shown(used_bytes).padStart(15)}  ${shown(object_count).padStart(10)} objects  ` : ''
      await print(`${counts}${SCHEME}${name}/${long ? stateOf(bucket) : ''}\n`)
    }
}

/** A total of a bucket; a dash for who sees only parts of it. */
const shown = (total: number | null): string => (total === null ? '-' : String(total))

/** What sets a bucket apart whose objects others keep, or kept. */
function stateOf({ mode, source }: Bucket): string {
  if (mode === 'read_only') return '  (read-only)'
  if (mode === 'owned' || !source) return ''
  const { findings, release_job } = source
  if (release_job !== null) return '  (taken over, being released)'
  return !findings ? '  (taken over)' : `  (taken over, ${findings} finding${findings === 1 ? '' : 's'})`
}
