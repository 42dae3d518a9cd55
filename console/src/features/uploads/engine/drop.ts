/** A file with its path below what was dropped or chosen: `photos/2026/a.jpg`. */
export interface Found {
  path: string
  file: File
}
/** What was taken from a drop while that was allowed; read later. */
export interface Taken {
  entries: readonly FileSystemEntry[]
  files: readonly File[]
  /**
   * One for each entry, or null. Chromium in secure contexts: lets the page read the same files after a reload, once
   * the user allows it. Of a folder they leave out names that Chromium calls unsafe, such as `Invoice?.pdf`.
   */
  handles: Promise<readonly (FileSystemHandle | null)[]>
}

/** Takes everything from a drop. Call it in the drop's own event handler: afterwards the browser returns nothing. */
export function takeDrop(drop: DataTransfer): Taken {
  const items = [...drop.items].filter(({ kind }) => kind === 'file')
  const taken = items.flatMap((item) => {
    const entry = item.webkitGetAsEntry()
    return entry ? [{ entry, handle: handleOf(item) }] : []
  })
  return {
    entries: taken.map(({ entry }) => entry),
    files: taken.length > 0 ? [] : [...drop.files],
    handles: Promise.all(taken.map(({ handle }) => handle)),
  }
}
function handleOf(item: DataTransferItem): Promise<FileSystemHandle | null> {
  const ask = (item as { getAsFileSystemHandle?: () => Promise<FileSystemHandle | null> }).getAsFileSystemHandle
  return isSecureContext && ask ? ask.call(item).catch(() => null) : Promise.resolve(null)
}

/** A file or a folder. */
interface Place {
  name: string
  /** Undefined for a folder. */
  file?: () => Promise<File>
  children: () => Promise<Place[]>
}
/** How many files are requested at a time: each is a call to the browser's process. */
const AT_ONCE = 256

export interface Read {
  found: Found[]
  /** How many folders had no files. */
  emptyFolders: number
  /** Paths of what the browser lists but does not return. */
  unreadable: string[]
}

/** All files in these places. `tell` gets the count so far. */
async function readPlaces(places: readonly Place[], tell: (count: number) => void): Promise<Read> {
  const read: Read = { found: [], emptyFolders: 0, unreadable: [] }
  const walk = async (some: readonly Place[], above: string): Promise<void> => {
    const files = some.filter(({ file }) => file)
    for (let at = 0; at < files.length; at += AT_ONCE) {
      const group = files.slice(at, at + AT_ONCE)
      const results = await Promise.allSettled(group.map(({ file }) => (file as () => Promise<File>)()))
      for (const [i, { name }] of group.entries()) {
        const result = results[i]
        if (result?.status === 'fulfilled') read.found.push({ path: above + name, file: result.value })
        else read.unreadable.push(above + name)
      }
      tell(read.found.length)
    }
    for (const { name, file, children } of some) {
      if (file) continue
      const path = `${above}${name}/`
      const inside = await children().catch(() => undefined)
      if (inside === undefined) read.unreadable.push(path)
      else if (inside.length === 0) read.emptyFolders++
      else await walk(inside, path)
    }
  }
  await walk(places, '')
  return read
}

/** All files of a drop. `tell` gets the count so far. */
export async function readDrop(
  { entries, files, handles }: Taken,
  tell: (count: number) => void = () => undefined,
): Promise<Read> {
  if (entries.length === 0)
    return { found: files.map((file) => ({ path: file.name, file })), emptyFolders: 0, unreadable: [] }
  const known = await handles
  return readPlaces(
    entries.map((entry, i) => placeOf(entry, known[i] ?? undefined)),
    tell,
  )
}

/**
 * Entries say what there is. Its handle, where there is one, returns the file: in Chromium that is several times as
 * fast, but handles do not list everything.
 */
const placeOf = (entry: FileSystemEntry, handle: FileSystemHandle | undefined): Place => ({
  name: entry.name,
  ...(entry.isFile ? { file: () => fileOf(entry as FileSystemFileEntry, handle) } : {}),
  children: async () => {
    const [all, handles] = await Promise.all([childrenOf(entry as FileSystemDirectoryEntry), handlesIn(handle)])
    return all.map((child) => placeOf(child, handles.get(child.name)))
  },
})
const fileByEntry = (entry: FileSystemFileEntry) => new Promise<File>((done, fail) => entry.file(done, fail))
const fileOf = (entry: FileSystemFileEntry, handle: FileSystemHandle | undefined): Promise<File> =>
  handle?.kind === 'file'
    ? (handle as FileSystemFileHandle).getFile().catch(() => fileByEntry(entry))
    : fileByEntry(entry)

/** A folder's entries: the browser returns up to 100 at a time, and none at the end. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail))
    if (some.length === 0) return all
    all.push(...some)
  }
}

type Directory = FileSystemDirectoryHandle & { values(): AsyncIterable<FileSystemHandle> }
/** The handles in a folder by name, as far as there are any. */
async function handlesIn(folder: FileSystemHandle | undefined): Promise<Map<string, FileSystemHandle>> {
  const all = new Map<string, FileSystemHandle>()
  if (folder?.kind !== 'directory') return all
  try {
    for await (const child of (folder as Directory).values()) all.set(child.name, child)
  } catch {
    // The entries are enough.
  }
  return all
}

const placeOfHandle = (handle: FileSystemHandle): Place => ({
  name: handle.name,
  ...(handle.kind === 'file' ? { file: () => (handle as FileSystemFileHandle).getFile() } : {}),
  children: async () => {
    const all: Place[] = []
    for await (const child of (handle as Directory).values()) all.push(placeOfHandle(child))
    return all
  },
})

/** The picker's files; those of a folder have their path. */
export const readPicked = (files: Iterable<File>): Found[] => [...files].map((file) => ({ path: pathOf(file), file }))

/** Chromium writes a backslash in a name as a slash into the path of a folder's file. */
function pathOf({ name, webkitRelativePath }: File): string {
  const written = name.replaceAll('\\', '/')
  const isAtEnd = webkitRelativePath.endsWith(`/${written}`)
  return isAtEnd ? webkitRelativePath.slice(0, -written.length) + name : webkitRelativePath || name
}

/** One file for each path, and the paths of which another file was chosen before. */
export interface Chosen {
  found: readonly Found[]
  replaced: readonly string[]
}

/** What is chosen after more was: of two files with one path the later, as only one can be uploaded there. */
export function choose({ found, replaced }: Chosen, more: readonly Found[]): Chosen {
  const byPath = new Map(found.map((one) => [one.path, one]))
  const paths = new Set(replaced)
  for (const one of more) {
    const before = byPath.get(one.path)?.file
    if (before && (before.size !== one.file.size || before.lastModified !== one.file.lastModified)) paths.add(one.path)
    byPath.set(one.path, one)
  }
  return {
    found: [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
    replaced: [...paths],
  }
}

type Asking = FileSystemHandle & { requestPermission?: (of: { mode: 'read' }) => Promise<PermissionState> }

/** Reads the handles' files again. Undefined if the browser denies it. Must follow a click. */
export async function readHandles(handles: readonly FileSystemHandle[]): Promise<Found[] | undefined> {
  try {
    for (const handle of handles) {
      const allowed = await (handle as Asking).requestPermission?.({ mode: 'read' })
      if (allowed !== 'granted') return undefined
    }
    return (await readPlaces(handles.map(placeOfHandle), () => undefined)).found
  } catch {
    // Moved or deleted since: the user has to choose it again.
    return undefined
  }
}

/** Whether a file or one of its folders is hidden: it starts with a dot, or is a system file. */
export const isHidden = (path: string): boolean =>
  path.split('/').some((name) => name.startsWith('.') || name === 'Thumbs.db' || name === 'desktop.ini')
