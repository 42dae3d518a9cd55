import type { StoredObject, Version } from '../client/index.ts'
import { UsageError } from './config.ts'
import { folderOf, printable, type RemotePlace, remotePlace, show } from './places.ts'
import { print, type Run } from './run.ts'

/** `versions`: of an object, the latest first, or with `recursive` of all in a folder. */
export async function listVersions(run: Run, target: string, recursive: boolean): Promise<void> {
  const place = remotePlace(target)
  if (place.key === '' && !recursive) throw new UsageError(`${target} is a bucket: give a key, or add -r.`)
  const prefix = recursive ? folderOf(place) : ''
  const query = recursive ? { prefix } : { key: place.key }
  let found = false
  for await (const version of run.client.all.listVersions({ params: { bucket: place.bucket }, query })) {
    found = true
    await printVersion(run, version, recursive ? version.key.slice(prefix.length) : '')
  }
  if (!found) throw new Error(`${show(place.bucket, place.key)}: not found`)
}

async function printVersion(run: Run, version: Version, name: string): Promise<void> {
  if (run.json) return print(`${JSON.stringify(version)}\n`)
  const { version_id, last_modified, size, latest, marker, lock } = version
  const time = new Date(last_modified).toISOString().slice(0, 19)
  const isLocked = lock?.until != null && Date.parse(lock.until) > Date.now()
  const words = [
    ...(marker ? ['deleted'] : []),
    ...(latest && !marker ? ['current'] : []),
    ...(isLocked ? [`locked until ${lock.until}`] : []),
    ...(lock?.legal_hold ? ['legal hold'] : []),
  ]
  const line = [version_id.padEnd(36), String(size).padStart(15), `${time}Z`, printable(name), words.join(', ')]
  await print(`${line.filter((word) => word !== '').join('  ')}\n`)
}

/** The version of an object that has this id, to download it. */
export async function findVersion(run: Run, { bucket, key }: RemotePlace, id: string): Promise<StoredObject> {
  for await (const version of run.client.all.listVersions({ params: { bucket }, query: { key } })) {
    if (version.version_id !== id || version.marker) continue
    const { size, etag, content_type, last_modified, created_by } = version
    const described = { etag: etag ?? '', content_type: content_type ?? '', metadata: {}, created_at: last_modified }
    return { bucket, key, version_id: id, size, last_modified, created_by, ...described }
  }
  throw new Error(`${show(bucket, key)}: has no version ${printable(id)}`)
}

/** `restore`: makes a version current again, or without one undoes the deletion of the object. */
export async function restoreVersion(run: Run, target: string, version_id: string | undefined): Promise<void> {
  const { bucket, key } = remotePlace(target)
  if (key === '') throw new UsageError(`${target} is a bucket: give a key.`)
  const params = { bucket }
  if (version_id === undefined) {
    const { items } = await run.client.listVersions({ params, query: { key, limit: 1 } })
    const [latest] = items
    if (!latest) throw new Error(`${show(bucket, key)}: not found`)
    if (!latest.marker) throw new Error(`${show(bucket, key)}: is not deleted; give a --version to restore`)
    await run.client.deleteObjectByQuery({ params, query: { key, version_id: latest.version_id } })
  } else await run.client.restoreVersion({ params, body: { key, version_id } })
  run.progress.files++
}
