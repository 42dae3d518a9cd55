import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { ByteRange } from '../../base/byte-range.ts'
import type { RecyclingSource } from '../../base/recycling-source.ts'
import {
  assertBlobId,
  type BlobBody,
  type BlobDriver,
  BlobMissing,
  type DamagedEntry,
  isDamage,
  MARK,
  StorageAway,
  type StoredBlob,
  type StoredPart,
} from '../driver.ts'
import { exists, fileCalls, ignore, isMissing, ONE_CHUNK } from './bytes.ts'
import { assertFolders, blobIdsIn, foldersOf, makeFolders } from './folders.ts'
import { claimFolder, ownerOfFolder } from './mark.ts'
import { fileOrphans } from './orphans.ts'
import { assertParts } from './part-names.ts'
import { fileParts } from './parts.ts'
import { openShards } from './shards.ts'

/**
 * Blobs as files below `folder`: written to `<last two digits>/<id>.tmp`, synced, renamed to `<id>`, and the folder
 * synced. There are 256 folders, kept open unless few files may be, whose syncs are shared by everyone who needs them at the same time. Temporary files
 * are in them too, since on a busy disk everyone would wait for the lock of a common folder. Throws if the folders
 * cannot be created; with `existing` it creates none and throws StorageMissing. For multipart blobs see fs-parts.ts.
 */
export function fileDriver(folder: string, { existing = false } = {}): BlobDriver {
  const calls = fileCalls()
  const { open, fstat, read, rename, unlink, writeFile, streamOf } = calls
  const root = path.resolve(folder)
  const shardFolders = foldersOf(root)
  if (existing) assertFolders(root, shardFolders)
  else makeFolders(root, shardFolders)
  const shards = openShards(calls, shardFolders)
  const putting = new Set<Promise<unknown>>()
  let closed = false

  const shardOf = (id: string) => shards[Number.parseInt(id.slice(-2), 16)] as (typeof shards)[number]
  const finalPath = (id: string) => path.join(shardOf(id).directory, id)
  const tmpPath = (id: string) => `${finalPath(id)}.tmp`
  /** What is to replace a blob, until it is whole. */
  const newPath = (id: string) => `${finalPath(id)}.new.tmp`

  const parts = fileParts(calls, shardOf)

  async function putOver(id: string, source: RecyclingSource, size: number): Promise<number> {
    assertBlobId(id)
    const [temporary, final] = [newPath(id), finalPath(id)]
    // A process may have left one that was killed.
    await calls.unlinkIfThere(temporary)
    const stored = await writeFile(temporary, source, size)
    try {
      await rename(temporary, final).catch(async (error: NodeJS.ErrnoException) => {
        // After a power failure and file system repair there may be a folder.
        if (error.code !== 'EISDIR' && error.code !== 'ENOTEMPTY') throw error
        await fs.promises.rm(final, { recursive: true })
        await rename(temporary, final)
      })
      await shardOf(id).sync()
    } catch (error) {
      await unlink(temporary).catch(ignore)
      throw error
    }
    await parts.remove(id)
    return stored
  }

  async function store(id: string, source: RecyclingSource, size?: number): Promise<number> {
    assertBlobId(id)
    const temporary = tmpPath(id)
    const final = finalPath(id)
    // Checked only once everything is written: nobody else can take the final name without our temporary name.
    const stored = await writeFile(temporary, source, size, () => assertFree(id))
    try {
      await rename(temporary, final)
      await shardOf(id).sync()
    } catch (error) {
      await unlink(temporary).catch(ignore)
      await unlink(final).catch(ignore)
      throw error
    }
    return stored
  }

  async function assertFree(id: string): Promise<void> {
    const taken = await Promise.all([exists(finalPath(id)), parts.isFinished(id)])
    if (taken.includes(true)) throw new Error(`Blob ${id} exists already`)
  }

  /** Runs `work` unless the driver is closed; closing waits for it. */
  async function writing<T>(work: () => Promise<T>): Promise<T> {
    if (closed) throw new Error('The blob storage is closed')
    const result = work()
    putting.add(result)
    try {
      return await result
    } finally {
      putting.delete(result)
    }
  }

  async function get(id: string, size: number, range?: ByteRange): Promise<BlobBody> {
    assertBlobId(id)
    const start = range?.start ?? 0
    const length = (range?.end ?? size - 1) - start + 1
    if (range && (start < 0 || length < 1 || range.end >= size)) throw new RangeError('The range is outside the blob')
    let fd: number
    try {
      fd = await open(finalPath(id), 'r')
    } catch (error) {
      if (isMissing(error)) return parts.get(id, start, length)
      throw error
    }
    let streamed = false
    try {
      if (length > ONE_CHUNK) {
        if ((await fstat(fd)).size < start + length) throw new BlobMissing(id)
        streamed = true
        return streamOf(id, [{ file: '', start, length }], fd)
      }
      const buffer = Buffer.allocUnsafe(length)
      let got = 0
      while (got < length) {
        const count = await read(fd, buffer, { offset: got, length: length - got, position: start + got })
        if (count === 0) throw new BlobMissing(id)
        got += count
      }
      return buffer
    } finally {
      // Synchronously: closing a file that was only read writes nothing, and handing the call to a thread took 18 % of
      // a small download's time.
      if (!streamed) fs.closeSync(fd)
    }
  }

  async function* readRanges(
    from: Pick<StoredBlob, 'id' | 'size'>,
    ranges: readonly ByteRange[],
    onRead: () => Promise<void>,
  ): AsyncGenerator<Uint8Array> {
    for (const range of ranges) {
      const body = await get(from.id, from.size, range)
      if (body instanceof Uint8Array) yield body
      else yield* body as AsyncIterable<Uint8Array>
      await onRead()
    }
  }

  async function remove(id: string): Promise<void> {
    assertBlobId(id)
    // In this order no put can slip in between.
    await Promise.all([calls.unlinkIfThere(tmpPath(id)), calls.unlinkIfThere(newPath(id))])
    await calls.unlinkIfThere(finalPath(id)).catch((error: NodeJS.ErrnoException) => {
      // After a power failure and file system repair it may be a folder.
      if (error.code !== 'EISDIR' && error.code !== 'EPERM') throw error
      return fs.promises.rm(finalPath(id), { recursive: true })
    })
    await parts.remove(id)
    // On a disk that is away nothing is removed, although nothing is found either.
    if (!(await exists(shardOf(id).directory))) throw new StorageAway('The folder of the storage is not there.')
  }

  /** An entry that is not a file is not a blob, or with `strict` an error. */
  async function findBlob(id: string, strict: boolean): Promise<StoredBlob | undefined> {
    const stat = await fs.promises.stat(finalPath(id)).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
    if (stat && !stat.isFile() && strict) throw Object.assign(new Error('EISDIR: not a file'), { code: 'EISDIR' })
    return stat?.isFile() ? { id, size: stat.size, modified_at: stat.mtime } : undefined
  }

  async function* list(onDamaged?: (entry: DamagedEntry) => void): AsyncGenerator<StoredBlob> {
    const giveUp = (name: string, id: string | null, error: unknown): undefined => {
      if (!onDamaged || !isDamage(error)) throw error
      onDamaged({ name, id, error })
    }
    for (const { directory } of shards) {
      const shard = path.basename(directory)
      const look = (find: typeof findBlob, id: string, ending: string) =>
        find(id, onDamaged !== undefined).catch((error: unknown) => giveUp(`${shard}/${id}${ending}`, id, error))
      const batches = blobIdsIn(directory)
      for (;;) {
        const batch = await batches.next().catch((error: unknown) => giveUp(shard, null, error))
        if (!batch?.value) break
        for (const blob of await Promise.all(batch.value.ids.map((id: string) => look(findBlob, id, ''))))
          if (blob) yield blob
        for (const id of batch.value.inParts) {
          const blob = await look(parts.find, id, '.d')
          if (blob) yield blob
        }
      }
    }
  }

  async function check(): Promise<void> {
    const probe = path.join(root, `probe-${randomUUID()}`)
    try {
      await fs.promises.writeFile(probe, 'strongroom', { flag: 'wx', mode: 0o600 })
    } catch (error) {
      await unlink(probe).catch(ignore)
      throw error
    }
    await unlink(probe)
  }

  async function closeAll(): Promise<void> {
    if (closed) return
    closed = true
    await Promise.allSettled(putting)
    for (const shard of shards) await shard.close()
  }

  return {
    traits: { buffered: 1024 * 1024, leastPart: 0 },
    put: (id, source, size) => writing(() => store(id, source, size)),
    putOver: (id, source, size) => writing(() => putOver(id, source, size)),
    async copyRanges(id, from, ranges, onCopied) {
      assertBlobId(from.id)
      await writing(() => store(id, readRanges(from, ranges, onCopied)))
    },
    get,
    remove,
    holds: async () => false,
    hold: async () => {
      throw new Error('Files cannot be held')
    },
    async removeHeld(id) {
      await remove(id)
      return null
    },
    async beginParts(id) {
      assertBlobId(id)
      await assertFree(id)
      return parts.begin(id)
    },
    async putPart(id, handle, { number, size }, source) {
      assertBlobId(id)
      assertParts(handle, [{ number, size }])
      return writing(() => parts.put(id, number, source, size))
    },
    async copyPart(id, handle, { number, size }, from, range) {
      assertBlobId(id)
      assertBlobId(from.id)
      assertParts(handle, [{ number, size }])
      return writing(() => parts.share(id, number, { ...from, file: finalPath(from.id) }, range))
    },
    async removePart(id, handle, part) {
      assertBlobId(id)
      assertParts(handle, [{ size: 0, ...part }])
      await parts.removePart(id, part)
    },
    async listParts(id, handle) {
      assertBlobId(id)
      assertParts(handle, [])
      return parts.listParts(id)
    },
    async completeParts(id, handle, list: readonly StoredPart[]) {
      assertBlobId(id)
      assertParts(handle, list)
      if (list.length === 0) throw new Error('A blob needs at least one part')
      await writing(() => parts.complete(id, list))
    },
    async abortParts(id, handle) {
      assertBlobId(id)
      assertParts(handle, [])
      await parts.abort(id)
    },
    async partUrl(id) {
      assertBlobId(id)
      return null
    },
    async directUrl(id) {
      assertBlobId(id)
      return null
    },
    list,
    owner: () => ownerOfFolder(root),
    claimFor: (instance) => writing(() => claimFolder(root, instance)),
    async unclaim(instance) {
      if ((await ownerOfFolder(root)) === instance) await fs.promises.rm(path.join(root, MARK), { force: true })
    },
    ...fileOrphans(root, shardOf),
    check,
    close: closeAll,
  }
}
