/** A file with its path below what was dropped or chosen: `photos/2026/a.jpg`. */
export interface Found {
  path: string
  file: File
}
/** What was taken from a drop while that was allowed; read later. */
export interface Taken {
  entries: readonly FileSystemEntry[]
  files: readonly File[]
  /** Chromium in secure contexts: lets the page read the same files after a reload, once the user allows it. */
  handles: Promise<readonly FileSystemHandle[]>
}

/** Takes everything from a drop. Call it in the drop's own event handler: afterwards the browser returns nothing. */
export function takeDrop(drop: DataTransfer): Taken {
  const items = [...drop.items].filter(({ kind }) => kind === 'file')
  const entries = items.map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  const asked = items.flatMap((item) => {
    const ask = (item as { getAsFileSystemHandle?: () => Promise<FileSystemHandle | null> }).getAsFileSystemHandle
    return isSecureContext && ask ? [ask.call(item).catch(() => null)] : []
  })
  const handles = Promise.all(asked).then((all) => all.filter((one) => one !== null))
  return { entries, files: entries.length > 0 ? [] : [...drop.files], handles }
}

/** A file or a folder, in either of the browsers' forms. */
interface Place {
  name: string
  /** Undefined for a folder. */
  file?: () => Promise<File>
  children: () => Promise<Place[]>
}
/** How many files are requested at a time: each is a call to the browser's process. */
const AT_ONCE = 256

/** All files in these places, and how many folders had none. `tell` gets the count so far. */
async function readPlaces(places: readonly Place[], tell: (count: number) => void) {
  const found: Found[] = []
  let emptyFolders = 0
  const walk = async (some: readonly Place[], above: string): Promise<void> => {
    const files = some.filter(({ file }) => file)
    for (let at = 0; at < files.length; at += AT_ONCE) {
      const read = files.slice(at, at + AT_ONCE).map(async ({ name, file }) => ({
        path: above + name,
        file: (await file?.()) as File,
      }))
      found.push(...(await Promise.all(read)))
      tell(found.length)
    }
    for (const { name, file, children } of some) {
      if (file) continue
      const inside = await children()
      if (inside.length === 0) emptyFolders++
      await walk(inside, `${above}${name}/`)
    }
  }
  await walk(places, '')
  return { found, emptyFolders }
}

/** All files of a drop, and how many folders had none. `tell` gets the count so far. */
export async function readDrop(
  { entries, files, handles }: Taken,
  tell: (count: number) => void = () => undefined,
): Promise<{ found: Found[]; emptyFolders: number }> {
  if (entries.length === 0) return { found: files.map((file) => ({ path: file.name, file })), emptyFolders: 0 }
  const known = await handles
  // Chromium returns files through handles several times as fast.
  if (known.length === entries.length)
    try {
      return await readPlaces(known.map(placeOfHandle), tell)
    } catch {
      // The entries may still work.
    }
  return readPlaces(entries.map(placeOfEntry), tell)
}

const placeOfEntry = (entry: FileSystemEntry): Place => ({
  name: entry.name,
  ...(entry.isFile
    ? { file: () => new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail)) }
    : {}),
  children: async () => (await childrenOf(entry as FileSystemDirectoryEntry)).map(placeOfEntry),
})

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
export const readPicked = (files: Iterable<File>): Found[] =>
  [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }))

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
