import type { StoredObject } from '../client/index.ts'
import { UsageError } from './config.ts'
import { type RemotePlace, show } from './places.ts'
import type { Run } from './run.ts'

/** Maximum number of keys per bulk operation. */
const BATCH = 1000

/** Every object in a folder, in key order. */
export const objectsIn = ({ client }: Run, bucket: string, prefix: string): AsyncIterable<StoredObject> =>
  client.all.listObjects({ params: { bucket }, query: prefix === '' ? {} : { prefix } })

/** The empty object that only marks a folder. */
export const isMarker = ({ key, size }: StoredObject): boolean => size === 0 && key.endsWith('/')

/** The object with exactly this key. */
export async function findObject(
  { client }: Run,
  { bucket: name, key }: RemotePlace,
): Promise<StoredObject | undefined> {
  if (key === '') return undefined
  const { items } = await client.listObjects({ params: { bucket: name }, query: { prefix: key, limit: 1 } })
  return items[0]?.key === key ? items[0] : undefined
}

interface Folder {
  bucket: string
  prefix: string
}

/** Copies or moves objects within the service, from below one folder to below another. */
export async function transferAll(
  { client, progress }: Run,
  kind: 'bulkCopy' | 'bulkMove',
  { from, to, keepBoth = false }: { from: Folder; to: Folder; keepBoth?: boolean },
  objects: AsyncIterable<StoredObject> | Iterable<StoredObject>,
): Promise<void> {
  for await (const keys of batchesOf(objects)) {
    const { succeeded, errors } = await client[kind]({
      params: { bucket: to.bucket },
      body: {
        source_bucket: from.bucket,
        keys: keys.map(({ key }) => key),
        source_prefix: from.prefix,
        dest_prefix: to.prefix,
        ...(keepBoth && { keep_both: true }),
      },
    })
    progress.files += succeeded.length
    const failed = new Set(errors.map(({ key }) => key))
    for (const { key, size } of keys) if (!failed.has(key)) progress.bytes += size
    for (const { key, code, detail } of errors) progress.fail(show(from.bucket, key), new Error(`${detail} (${code})`))
  }
}

/** Deletes objects; returns how many. */
export async function deleteAll(
  { client, progress }: Run,
  bucket: string,
  objects: AsyncIterable<StoredObject> | Iterable<StoredObject>,
): Promise<number> {
  let deleted = 0
  for await (const keys of batchesOf(objects)) {
    const { succeeded, errors } = await client.bulkDelete({
      params: { bucket },
      body: { keys: keys.map(({ key }) => key) },
    })
    deleted += succeeded.length
    for (const { key, code, detail } of errors) progress.fail(show(bucket, key), new Error(`${detail} (${code})`))
  }
  return deleted
}

async function* batchesOf<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Refuses to copy a folder into itself, which would find and copy its own results. */
export function refuseOverlap(from: { bucket: string; prefix: string }, to: { bucket: string; prefix: string }): void {
  if (from.bucket !== to.bucket) return
  if (from.prefix.startsWith(to.prefix) || to.prefix.startsWith(from.prefix))
    throw new UsageError(`${show(from.bucket, from.prefix)} and ${show(to.bucket, to.prefix)} overlap.`)
}
