// The command `sync`: what differs between two folders, of which at least one is in a bucket, and making them equal.
import fs from 'node:fs'
import path from 'node:path'
import type { StoredObject } from '../client/index.ts'
import { UsageError } from './config.ts'
import { compareEtag, isFolder, type LocalFile, pruneFolders, walk } from './files.ts'
import { folderOf, type LocalPlace, localPath, parsePlace, printable, type RemotePlace, show } from './places.ts'
import { deleteAll, isMarker, objectsIn, refuseOverlap, transferAll } from './remote.ts'
import { eachOf, print, type Run } from './run.ts'
import { changedAt, download, upload } from './transfer.ts'

export interface SyncOptions {
  /** Compare contents, not times. */
  checksum: boolean
  /** Delete at the target what is not in the source. */
  delete: boolean
  /** Allow this even if the source is empty. */
  allowEmpty: boolean
  dryRun: boolean
}
export interface SyncResult {
  unchanged: number
  deleted: number
}

/** Some file systems store times coarsely, FAT to two seconds. */
const SAME_TIME_MS = 2000

/** `sync`: makes the target folder match the source folder, one way. */
export async function sync(run: Run, source: string, target: string, options: SyncOptions): Promise<SyncResult> {
  const from = parsePlace(source)
  const to = parsePlace(target)
  if (from.kind === 'local' && to.kind === 'remote') return syncUp(run, from, to, options)
  if (from.kind === 'remote' && to.kind === 'local') return syncDown(run, from, to, options)
  if (from.kind === 'remote' && to.kind === 'remote') return syncWithin(run, from, to, options)
  throw new UsageError('At least one folder must be sr:bucket/folder, and neither may be "-".')
}

async function syncUp(run: Run, from: LocalPlace, to: RemotePlace, options: SyncOptions): Promise<SyncResult> {
  if (!isFolder(from.path)) throw new UsageError(`${from.path} is not a folder.`)
  const prefix = folderOf(to)
  const there = await byRest(run, to.bucket, prefix)
  const result: SyncResult = { unchanged: 0, deleted: 0 }
  let seen = 0
  await eachOf(
    walk(from.path, (text) => run.progress.note(text)),
    run.jobs,
    async (file) => {
      seen++
      const object = there.get(file.rest)
      there.delete(file.rest)
      await attempt(run, file.path, async () => {
        if (object && (await alike(file, object, options.checksum, 'up'))) result.unchanged++
        else if (options.dryRun) await plan(run, 'upload', show(to.bucket, prefix + file.rest), file.size)
        else await upload(run, file.path, to.bucket, prefix + file.rest)
      })
    },
  )
  const extra = [...there.values()].filter((object) => !isMarker(object))
  if (mayDelete(run, options, seen, extra.length))
    result.deleted = await deleteRemote(run, to.bucket, extra, options.dryRun)
  return result
}

async function syncDown(run: Run, from: RemotePlace, to: LocalPlace, options: SyncOptions): Promise<SyncResult> {
  const prefix = folderOf(from)
  const there = new Map<string, LocalFile>()
  // Local symbolic links are neither compared nor deleted.
  if (fs.existsSync(to.path)) for await (const file of walk(to.path, () => undefined)) there.set(file.rest, file)
  const result: SyncResult = { unchanged: 0, deleted: 0 }
  let seen = 0
  await eachOf(objectsIn(run, from.bucket, prefix), run.jobs, async (object) => {
    seen++
    if (isMarker(object)) return
    const rest = object.key.slice(prefix.length)
    await attempt(run, show(from.bucket, object.key), async () => {
      const target = localPath(to.path, rest)
      const file = there.get(rest)
      there.delete(rest)
      if (file && (await alike(file, object, options.checksum, 'down'))) result.unchanged++
      else if (options.dryRun) await plan(run, 'download', target, object.size)
      else await download(run, object, to.path, target)
    })
  })
  if (!mayDelete(run, options, seen, there.size)) return result
  for (const file of there.values())
    await attempt(run, file.path, async () => {
      if (options.dryRun) await plan(run, 'delete', file.path)
      else {
        await fs.promises.unlink(file.path)
        await pruneFolders(path.normalize(to.path).replace(/[/\\]$/, ''), file.path)
      }
      result.deleted++
    })
  return result
}

async function syncWithin(run: Run, from: RemotePlace, to: RemotePlace, options: SyncOptions): Promise<SyncResult> {
  const source = { bucket: from.bucket, prefix: folderOf(from) }
  const target = { bucket: to.bucket, prefix: folderOf(to) }
  refuseOverlap(source, target)
  const there = await byRest(run, target.bucket, target.prefix)
  const result: SyncResult = { unchanged: 0, deleted: 0 }
  let seen = 0
  async function* changed(): AsyncGenerator<StoredObject> {
    for await (const object of objectsIn(run, source.bucket, source.prefix)) {
      seen++
      const rest = object.key.slice(source.prefix.length)
      const other = there.get(rest)
      there.delete(rest)
      // Both ETags were made by the service, so equal ones mean equal contents.
      if (other && other.size === object.size && other.etag === object.etag) result.unchanged++
      else if (options.dryRun) await plan(run, 'copy', show(target.bucket, target.prefix + rest), object.size)
      else yield object
    }
  }
  await transferAll(run, 'bulkCopy', { from: source, to: target }, changed())
  const extra = [...there.values()].filter((object) => !isMarker(object))
  if (mayDelete(run, options, seen, extra.length))
    result.deleted = await deleteRemote(run, target.bucket, extra, options.dryRun)
  return result
}

async function byRest(run: Run, bucket: string, prefix: string): Promise<Map<string, StoredObject>> {
  const found = new Map<string, StoredObject>()
  for await (const object of objectsIn(run, bucket, prefix)) found.set(object.key.slice(prefix.length), object)
  return found
}

/**
 * Whether a file equals an object. By time: objects uploaded by this command store their file's modification time; for
 * others only the upload time is known, and an older file of the same size counts as equal.
 */
async function alike(file: LocalFile, object: StoredObject, checksum: boolean, way: 'up' | 'down'): Promise<boolean> {
  if (file.size !== object.size) return false
  if (checksum) return (await compareEtag(file.path, object.size, object.etag)) === 'same'
  const { time, own } = changedAt(object)
  const later = file.mtime.getTime() - time
  return Math.abs(later) < SAME_TIME_MS || (way === 'up' && !own && later < 0)
}

async function attempt(run: Run, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    run.progress.fail(what, error)
  }
}

async function plan(run: Run, deed: string, what: string, size = 0): Promise<void> {
  if (deed !== 'delete') {
    run.progress.files++
    run.progress.bytes += size
  }
  await print(run.json ? `${JSON.stringify({ would: deed, path: what })}\n` : `would ${deed} ${printable(what)}\n`)
}

/** Deletes nothing after a failure, nor because the source is empty unless that is explicitly allowed. */
function mayDelete({ progress }: Run, options: SyncOptions, seen: number, extra: number): boolean {
  if (!options.delete || extra === 0) return false
  if (progress.failures.length > 0) progress.note('nothing was deleted at the target, because some transfers failed')
  else if (seen === 0 && !options.allowEmpty)
    progress.fail(
      'source',
      new Error('it is empty, so --delete would delete everything in the target: add --allow-empty to do that'),
    )
  else return true
  return false
}

async function deleteRemote(run: Run, bucket: string, extra: StoredObject[], dryRun: boolean): Promise<number> {
  if (!dryRun) return deleteAll(run, bucket, extra)
  for (const { key } of extra) await plan(run, 'delete', show(bucket, key))
  return extra.length
}
