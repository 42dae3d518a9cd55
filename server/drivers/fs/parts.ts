import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { ByteRange } from '../../base/byte-range.ts'
import type { RecyclingSource } from '../../base/recycling-source.ts'
import { type BlobBody, BlobMissing, type StoredBlob, type StoredPart } from '../driver.ts'
import { eachOf, exists, type FileCalls, ifThere, ignore, isMissing, ONE_CHUNK, type Piece } from './bytes.ts'
import { bytesOf, type Manifest, manifestText, parseManifest, piecesOf } from './manifest.ts'
import { ARRIVED, HANDLE, hasNoLinks, linkOrRename, named, numberOf, PART, TAKEN } from './part-names.ts'

/** Most parts in all cached manifests together: about 10 MB. */
const CACHED_PARTS = 100_000

/**
 * Multipart blobs: files `<number>-<state>-<nonce>` in a folder `<id>.d`, beside where the blob's own file would be. A
 * part is written like a blob and replaces no other; the caller knows which one of a number counts. `<id>.d/manifest`
 * lists the parts of a finished blob; once it exists, only remove changes what it lists. Several processes may do all
 * this at the same time: completeParts and removePart claim a part by a rename, which only one can win, and the
 * manifest is created by a link, which fails if there is one.
 */
export function fileParts(calls: FileCalls, shardOf: (id: string) => { directory: string; sync(): Promise<void> }) {
  const { open, close, rename, unlink, unlinkIfThere, writeFile } = calls
  const turns = new Map<string, Promise<void>>()
  const manifests = new Map<string, Manifest>()
  let cachedParts = 0

  const folderOf = (id: string) => path.join(shardOf(id).directory, `${id}.d`)
  const namesIn = async (folder: string) => (await ifThere(fs.promises.readdir(folder))) ?? []

  /** Runs after everything requested earlier for this id. */
  function inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const result = (turns.get(id) ?? Promise.resolve()).then(work)
    const settled = result.then(ignore, ignore).then(() => {
      if (turns.get(id) === settled) turns.delete(id)
    })
    turns.set(id, settled)
    return result
  }

  async function syncFolder(folder: string): Promise<void> {
    const fd = await open(folder, 'r')
    try {
      await calls.fsync(fd)
    } finally {
      fs.close(fd, ignore)
    }
  }

  const readManifest = async (id: string): Promise<Manifest | undefined> => {
    const text = await ifThere(fs.promises.readFile(path.join(folderOf(id), 'manifest'), 'utf8'))
    return text === undefined ? undefined : parseManifest(id, text)
  }

  async function findManifest(id: string): Promise<Manifest | undefined> {
    const manifest = manifests.get(id) ?? (await readManifest(id))
    if (!manifest) return undefined
    forget(id)
    manifests.set(id, manifest)
    cachedParts += manifest.parts.length
    for (const [oldest] of manifests) {
      if (cachedParts <= CACHED_PARTS) break
      forget(oldest)
    }
    return manifest
  }
  function forget(id: string): void {
    cachedParts -= manifests.get(id)?.parts.length ?? 0
    manifests.delete(id)
  }

  async function begin(id: string): Promise<string> {
    try {
      await fs.promises.mkdir(folderOf(id), { mode: 0o700 })
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? new Error(`Blob ${id} exists already`) : error
    }
    await shardOf(id).sync()
    return HANDLE
  }

  async function put(id: string, number: number, source: RecyclingSource, size: number): Promise<string> {
    const folder = folderOf(id)
    const nonce = randomBytes(4).toString('hex')
    const temporary = path.join(folder, `${number}-${nonce}.tmp`)
    try {
      await writeFile(temporary, source, size)
    } catch (error) {
      throw isMissing(error) && (error as NodeJS.ErrnoException).path === temporary ? new BlobMissing(id, error) : error
    }
    const name = `${number}-${ARRIVED}-${nonce}`
    try {
      // Too late: the blob is finished, or the upload was aborted.
      if (await isFinished(id)) throw new BlobMissing(id)
      await rename(temporary, path.join(folder, name)).catch((error: unknown) => {
        throw isMissing(error) ? new BlobMissing(id, error) : error
      })
      await syncFolder(folder)
    } catch (error) {
      await unlink(temporary).catch(ignore)
      await unlink(path.join(folder, name)).catch(ignore)
      throw error
    }
    return name
  }

  /** Makes a file of another blob a part by a second name, if the range is all of it; null if not, or without links. */
  async function share(
    id: string,
    number: number,
    from: Pick<StoredBlob, 'id' | 'size'> & { file: string },
    { start, end }: ByteRange,
  ): Promise<string | null> {
    const length = end - start + 1
    const manifest = await findManifest(from.id)
    const [piece, ...others] = manifest
      ? piecesOf(manifest, folderOf(from.id), start, length)
      : [{ file: from.file, start, length: from.size }]
    if (!piece || others.length > 0 || piece.start !== 0 || piece.length !== length) return null
    if ((await ifThere(fs.promises.stat(piece.file)))?.size !== length) return null
    if (await isFinished(id)) throw new BlobMissing(id)
    const name = `${number}-${ARRIVED}-${randomBytes(4).toString('hex')}`
    const file = path.join(folderOf(id), name)
    try {
      await fs.promises.link(piece.file, file)
      await syncFolder(folderOf(id))
      return name
    } catch (error) {
      await unlink(file).catch(ignore)
      if (hasNoLinks(error)) return null
      if (!isMissing(error)) throw error
      if (await exists(folderOf(id))) return null
      throw new BlobMissing(id, error)
    }
  }

  /** A part taken by completeParts has another name by then. */
  const removePart = (id: string, { ref }: { ref: string }): Promise<void> =>
    unlinkIfThere(path.join(folderOf(id), ref))

  async function listParts(id: string): Promise<StoredPart[]> {
    const folder = folderOf(id)
    const names = await namesIn(folder)
    if (names.includes('manifest')) return []
    const inOrder = names.filter((name) => PART.test(name)).sort((a, b) => numberOf(a) - numberOf(b))
    const parts = await eachOf(inOrder, async (name) => {
      const stat = await ifThere(fs.promises.stat(path.join(folder, name)))
      return stat ? [{ number: numberOf(name), size: stat.size, ref: named(name, ARRIVED, TAKEN) }] : []
    })
    return parts.flat()
  }

  /** Creates the manifest unless there is one; returns the text of the one in place, which is then durable. */
  async function writeManifest(folder: string, text: string): Promise<string> {
    const file = path.join(folder, 'manifest')
    const temporary = `${file}-${randomBytes(8).toString('hex')}.tmp`
    try {
      await writeFile(temporary, bytesOf(text))
      await linkOrRename(temporary, file)
    } catch (error) {
      // Another process was faster, and may have removed our temporary file.
      if (!(await exists(file))) throw error
    } finally {
      await unlink(temporary).catch(ignore)
    }
    await syncFolder(folder)
    return await fs.promises.readFile(file, 'utf8')
  }

  /** Renames a part so that no other process deletes it; repeating it has no effect. */
  async function takeUp(id: string, folder: string, { ref, size }: StoredPart): Promise<StoredPart> {
    const taken = named(ref, TAKEN)
    await ifThere(rename(path.join(folder, ref), path.join(folder, taken)))
    const stat = await ifThere(fs.promises.stat(path.join(folder, taken)))
    if (stat?.size !== size) throw new BlobMissing(id)
    return { number: numberOf(ref), size, ref: taken }
  }

  const complete = (id: string, parts: readonly StoredPart[]): Promise<void> =>
    inTurn(id, async () => {
      const folder = folderOf(id)
      let text = await ifThere(fs.promises.readFile(path.join(folder, 'manifest'), 'utf8'))
      const ours = manifestText(parts.map(({ ref, size }) => ({ ref: named(ref, TAKEN), size })))
      if (text === undefined) {
        await eachOf(parts, async ({ ref, size }) => {
          const stat = await ifThere(statOf(folder, ref))
          if (stat?.size !== size) throw new BlobMissing(id)
        })
        await eachOf(parts, (part) => takeUp(id, folder, part))
        // Their new names must be durable before the manifest is.
        await syncFolder(folder)
        text = await writeManifest(folder, ours)
      } else await syncFolder(folder)
      if (text !== ours) throw new BlobMissing(id)
      forget(id)
      const kept = new Set(['manifest', ...parseManifest(id, text).parts.map(({ ref }) => ref)])
      const others = (await namesIn(folder)).filter((name) => !kept.has(name))
      await eachOf(others, (name) => unlinkIfThere(path.join(folder, name)))
    })

  /** Stats a part whether it was taken or not; in this order, since another process may take it in between. */
  const statOf = async (folder: string, ref: string): Promise<fs.Stats> =>
    (await ifThere(fs.promises.stat(path.join(folder, ref)))) ??
    (await fs.promises.stat(path.join(folder, named(ref, TAKEN))))

  const abort = (id: string): Promise<void> =>
    inTurn(id, async () => {
      if (!(await namesIn(folderOf(id))).includes('manifest')) await removeFolder(id)
    })

  /** Deletes everything of a multipart blob, finished or not. */
  const remove = (id: string): Promise<void> => inTurn(id, () => removeFolder(id))

  async function removeFolder(id: string): Promise<void> {
    const folder = folderOf(id)
    forget(id)
    // A part that is arriving may create a file meanwhile.
    for (let tries = 1; ; tries++) {
      const names = await ifThere(fs.promises.readdir(folder)).catch((error: NodeJS.ErrnoException) => {
        // After a power failure and file system repair it may be a file.
        if (error.code !== 'ENOTDIR') throw error
        return unlinkIfThere(folder)
      })
      if (!names) return
      if (names.includes('manifest')) await unlinkIfThere(path.join(folder, 'manifest'))
      await eachOf(names, (name) => unlinkIfThere(path.join(folder, name)))
      try {
        await ifThere(fs.promises.rmdir(folder))
        return
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY' || tries === 10) throw error
      }
    }
  }

  async function get(id: string, start: number, length: number): Promise<BlobBody> {
    const manifest = await findManifest(id)
    if (!manifest || manifest.size < start + length) throw new BlobMissing(id)
    try {
      const folder = folderOf(id)
      const pieces = piecesOf(manifest, folder, start, length)
      if (length <= ONE_CHUNK) return await readPieces(id, pieces, length)
      await eachOf(pieces, async (piece) => {
        if ((await fs.promises.stat(piece.file)).size < piece.start + piece.length) throw new BlobMissing(id)
      })
      return calls.streamOf(id, pieces)
    } catch (error) {
      forget(id)
      throw isMissing(error) ? new BlobMissing(id, error) : error
    }
  }

  async function readPieces(id: string, pieces: Piece[], length: number): Promise<Uint8Array> {
    const buffer = Buffer.allocUnsafe(length)
    let filled = 0
    for (const piece of pieces) {
      const fd = await open(piece.file, 'r')
      try {
        for (let got = 0; got < piece.length; ) {
          const count = await calls.read(fd, buffer, {
            offset: filled,
            length: piece.length - got,
            position: piece.start + got,
          })
          if (count === 0) throw new BlobMissing(id)
          got += count
          filled += count
        }
      } finally {
        await close(fd)
      }
    }
    return buffer
  }

  /** A finished blob as it is on disk: without missing parts, and empty if its manifest is damaged. */
  async function find(id: string): Promise<StoredBlob | undefined> {
    const folder = folderOf(id)
    const stat = await ifThere(fs.promises.stat(path.join(folder, 'manifest')))
    if (!stat) return undefined
    const manifest = await readManifest(id).catch((error: unknown) => {
      if (!(error instanceof BlobMissing)) throw error
    })
    const sizes = await eachOf(manifest?.parts ?? [], ({ ref }) => ifThere(fs.promises.stat(path.join(folder, ref))))
    return { id, size: sizes.reduce((sum, part) => sum + (part?.size ?? 0), 0), modified_at: stat.mtime }
  }

  const isFinished = (id: string): Promise<boolean> => exists(path.join(folderOf(id), 'manifest'))

  return { begin, put, share, removePart, listParts, complete, abort, remove, get, find, isFinished }
}
