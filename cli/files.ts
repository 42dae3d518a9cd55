import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/** A file below a folder. */
export interface LocalFile {
  /** Its path relative to the folder, with slashes. */
  rest: string
  path: string
  size: number
  mtime: Date
}

const PART = /^\.strongroom-[0-9a-f]{16}\.part$/
/** A file's temporary name while it is being downloaded. */
export const partName = (...what: string[]): string =>
  `.strongroom-${createHash('sha256').update(what.join('\0')).digest('hex').slice(0, 16)}.part`

/**
 * Every file below a folder. Symbolic links, devices and sockets are skipped with a note; so are names that are not
 * UTF-8, since keys must be.
 */
export async function* walk(root: string, note: (text: string) => void, below = ''): AsyncGenerator<LocalFile> {
  const folder = path.join(root, below)
  const entries = await fs.promises.readdir(folder, { withFileTypes: true, encoding: 'buffer' })
  const names = entries.map((entry) => ({ entry, name: entry.name.toString() }))
  names.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const { entry, name } of names) {
    const rest = below === '' ? name : `${below}/${name}`
    const where = path.join(root, rest)
    if (!Buffer.from(name).equals(entry.name)) note(`${where} skipped: its name is not UTF-8`)
    else if (entry.isDirectory()) yield* walk(root, note, rest)
    else if (!entry.isFile()) note(`${where} skipped: it is ${kindOf(entry)}`)
    else if (!PART.test(name)) {
      const { size, mtime } = await fs.promises.lstat(where)
      yield { rest, path: where, size, mtime }
    }
  }
}
const kindOf = (entry: { isSymbolicLink(): boolean }) =>
  entry.isSymbolicLink() ? 'a symbolic link' : 'neither a file nor a folder'

/**
 * Creates the folders from a root down to a file; refuses symbolic links among them, since they could lead anywhere.
 */
export async function makeFolders(root: string, file: string): Promise<void> {
  await fs.promises.mkdir(root, { recursive: true })
  let at = root
  for (const name of path.relative(root, path.dirname(file)).split(path.sep).filter(Boolean)) {
    at = path.join(at, name)
    await fs.promises.mkdir(at).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
      if (!(await fs.promises.lstat(at)).isDirectory()) throw new Error(`${at} exists and is not a folder`)
    })
  }
}

/** Removes folders that have become empty, from a file's folder up to below the root. */
export async function pruneFolders(root: string, file: string): Promise<void> {
  for (let at = path.dirname(file); at !== root && at.startsWith(root + path.sep); at = path.dirname(at))
    try {
      await fs.promises.rmdir(at)
    } catch {
      return
    }
}

export const isFolder = (where: string): boolean =>
  fs.statSync(where, { throwIfNoEntry: false })?.isDirectory() ?? false

async function md5(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const hash = createHash('md5')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest()
}
export const md5OfBlob = async (part: Blob): Promise<string> =>
  (await md5(part.stream() as unknown as AsyncIterable<Uint8Array>)).toString('hex')

const MIB = 1024 ** 2
/** The default part sizes of services and S3 clients, and ours for very large files. */
const partSizes = (size: number): number[] => [
  Math.max(16 * MIB, Math.ceil(size / 10_000 / (5 * MIB)) * 5 * MIB),
  ...[5, 8, 10, 16, 32, 64, 100, 128, 256, 512].map((mib) => mib * MIB),
]

/**
 * Compares a file with an ETag: the MD5 of the contents or, for a multipart upload, the MD5 of its parts' MD5s.
 * `unknown`: the part size cannot be guessed.
 */
export async function compareEtag(file: string, size: number, etag: string): Promise<'same' | 'different' | 'unknown'> {
  const [, count] = /^[0-9a-f]{32}-(\d+)$/.exec(etag) ?? []
  if (count === undefined) {
    if (!/^[0-9a-f]{32}$/.test(etag)) return 'unknown'
    return (await md5(fs.createReadStream(file))).toString('hex') === etag ? 'same' : 'different'
  }
  const parts = Number(count)
  for (const partSize of new Set(partSizes(size))) {
    if (Math.max(1, Math.ceil(size / partSize)) !== parts) continue
    const digests: Buffer[] = []
    for (let start = 0; start < size || start === 0; start += partSize)
      digests.push(await md5(fs.createReadStream(file, { start, end: Math.min(size, start + partSize) - 1 })))
    if (`${createHash('md5').update(Buffer.concat(digests)).digest('hex')}-${parts}` === etag) return 'same'
  }
  return 'unknown'
}
