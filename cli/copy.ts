import fs from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { UsageError } from './config.ts'
import { isFolder, makeFolders, walk } from './files.ts'
import { folderOf, type LocalPlace, localPath, parsePlace, type RemotePlace, remotePlace, show } from './places.ts'
import { deleteAll, findObject, isMarker, objectsIn, refuseOverlap, transferAll } from './remote.ts'
import { eachOf, type Run } from './run.ts'
import { download, upload } from './transfer.ts'
import { findVersion } from './versions.ts'

const nothing = (place: RemotePlace) => new Error(`${show(place.bucket, place.key)}: not found`)
const baseName = (key: string): string => key.slice(key.lastIndexOf('/') + 1)
/** The target key of a single file: in a folder under its own name, else exactly this key. */
const keyFor = ({ key }: RemotePlace, name: string): string => (key === '' || key.endsWith('/') ? key + name : key)

/** What a command is about: one object, or with `recursive` all in a folder; `version` is one of a single object. */
interface Which {
  recursive: boolean
  version: string | undefined
}

/** How objects are copied or moved within the service. */
interface Within {
  recursive: boolean
  /** Where a key is taken, beside it. */
  keepBoth: boolean
}

/** `cp`: one file, or with `recursive` a folder's contents. */
export async function copy(
  run: Run,
  source: string,
  target: string,
  { recursive, version, keepBoth }: Which & Within,
): Promise<void> {
  const from = parsePlace(source)
  const to = parsePlace(target)
  if (version !== undefined && (recursive || from.kind !== 'remote' || to.kind === 'remote'))
    throw new UsageError('--version downloads one version of one object.')
  if (keepBoth && (from.kind !== 'remote' || to.kind !== 'remote'))
    throw new UsageError('--keep-both is for copies within the service.')
  if (from.kind === 'pipe' || to.kind === 'pipe') return copyPipe(run, source, target, version)
  if (from.kind === 'local' && to.kind === 'local')
    throw new UsageError('Both paths are local: one of them must be sr:bucket/key.')
  if (from.kind === 'local' && to.kind === 'remote') return copyUp(run, from, to, recursive)
  if (from.kind === 'remote' && to.kind === 'local') return copyDown(run, from, to, { recursive, version })
  return copyWithin(run, from as RemotePlace, to as RemotePlace, { kind: 'Copy', recursive, keepBoth })
}

async function copyUp(run: Run, from: LocalPlace, to: RemotePlace, recursive: boolean): Promise<void> {
  const stat = fs.statSync(from.path)
  if (!stat.isDirectory()) {
    await upload(run, from.path, to.bucket, keyFor(to, path.basename(from.path)))
    return
  }
  if (!recursive) throw new UsageError(`${from.path} is a folder: add -r.`)
  const prefix = folderOf(to)
  await eachOf(
    walk(from.path, (text) => run.progress.note(text)),
    run.jobs,
    async (file) => {
      try {
        await upload(run, file.path, to.bucket, prefix + file.rest)
      } catch (error) {
        run.progress.fail(file.path, error)
      }
    },
  )
}

async function copyDown(run: Run, from: RemotePlace, to: LocalPlace, { recursive, version }: Which): Promise<void> {
  if (!recursive) {
    const object = version === undefined ? await findObject(run, from) : await findVersion(run, from, version)
    if (!object) throw nothing(from)
    const into = isFolder(to.path) || /[/\\]$/.test(to.path)
    const file = into ? localPath(to.path, baseName(object.key)) : to.path
    return download(run, object, path.dirname(file), file)
  }
  const prefix = folderOf(from)
  let found = false
  await eachOf(objectsIn(run, from.bucket, prefix), run.jobs, async (object) => {
    found = true
    try {
      const rest = object.key.slice(prefix.length)
      if (!isMarker(object)) await download(run, object, to.path, localPath(to.path, rest))
      else if (rest !== '') await makeFolders(to.path, path.join(localPath(to.path, rest.slice(0, -1)), '.'))
    } catch (error) {
      run.progress.fail(show(from.bucket, object.key), error)
    }
  })
  if (!found) throw nothing(from)
}

async function copyWithin(
  run: Run,
  from: RemotePlace,
  to: RemotePlace,
  { kind, recursive, keepBoth }: Within & { kind: 'Copy' | 'Move' },
): Promise<void> {
  if (!recursive) {
    if (from.key === '') throw new UsageError(`${show(from.bucket, '')} is a bucket: give a key, or add -r.`)
    const dest_key = keyFor(to, baseName(from.key))
    const call = {
      params: { bucket: to.bucket },
      body: { source_bucket: from.bucket, source_key: from.key, dest_key, ...(keepBoth && { keep_both: true }) },
    }
    const { size } = await (kind === 'Copy' ? run.client.copyObject(call) : run.client.moveObject(call))
    run.progress.files++
    run.progress.bytes += size
    return
  }
  const source = { bucket: from.bucket, prefix: folderOf(from) }
  const target = { bucket: to.bucket, prefix: folderOf(to) }
  refuseOverlap(source, target)
  const before = run.progress.files + run.progress.failures.length
  await transferAll(
    run,
    `bulk${kind}`,
    { from: source, to: target, keepBoth },
    objectsIn(run, source.bucket, source.prefix),
  )
  if (run.progress.files + run.progress.failures.length === before) throw nothing(from)
}

/** One side is standard input or output: streamed, of any size. */
async function copyPipe(run: Run, source: string, target: string, version_id?: string): Promise<void> {
  if (source === '-') {
    const { bucket: name, key } = remotePlace(target)
    if (key === '' || key.endsWith('/'))
      throw new UsageError(`${target}: give a full key, because standard input has no name.`)
    const body = Readable.toWeb(process.stdin) as unknown as ReadableStream
    const stored = await run.client.putObject({ params: { bucket: name, key }, body })
    run.progress.bytes += stored.size
  } else {
    const place = remotePlace(source)
    if (place.key === '') throw new UsageError(`${source} is a bucket: give a key.`)
    const response = await run.client.getObject({
      params: { bucket: place.bucket, key: place.key },
      query: version_id === undefined ? {} : { version_id },
    })
    const body = response.body ? Readable.fromWeb(response.body as never) : Readable.from([])
    await pipeline(body, process.stdout, { end: false })
  }
  run.progress.files++
}

/** `mv`: within the service. */
export async function move(run: Run, source: string, target: string, how: Within): Promise<void> {
  return copyWithin(run, remotePlace(source), remotePlace(target), { kind: 'Move', ...how })
}

/** `rm`: moves to the trash. Returns how many. */
export async function remove(run: Run, target: string, { recursive, version: version_id }: Which): Promise<number> {
  if (recursive && version_id !== undefined) throw new UsageError('--version is of one object: leave out -r.')
  const place = remotePlace(target)
  if (recursive) {
    const prefix = folderOf(place)
    const deleted = await deleteAll(run, place.bucket, objectsIn(run, place.bucket, prefix))
    if (deleted === 0 && run.progress.failures.length === 0) throw nothing(place)
    return deleted
  }
  if (place.key === '') throw new UsageError(`${target} is a bucket: give a key, or add -r.`)
  await run.client.deleteObject({
    params: { bucket: place.bucket, key: place.key },
    query: version_id === undefined ? {} : { version_id },
  })
  return 1
}
