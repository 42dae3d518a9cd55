/** A file with its place below what was dropped or chosen: `photos/2026/a.jpg`. */
export interface Found {
  path: string
  file: File
}
/** What was taken from a drop while it was allowed; read at leisure. */
export interface Taken {
  entries: readonly FileSystemEntry[]
  files: readonly File[]
  /** Chromium on secure pages: lets the page read the same files after a reload, once it is allowed to. */
  handles: Promise<readonly FileSystemHandle[]>
}

/**
 * Takes everything from a drop. To be called in the drop's own event handler: afterwards the browser gives nothing any
 * more.
 */
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

/** Every file of a drop, and how many folders had none. `tell` hears how many there are so far. */
export async function readDrop(
  { entries, files }: Taken,
  tell: (count: number) => void = () => undefined,
): Promise<{ found: Found[]; emptyFolders: number }> {
  const found: Found[] = files.map((file) => ({ path: file.name, file }))
  let emptyFolders = 0
  const walk = async (entry: FileSystemEntry, path: string): Promise<void> => {
    if (entry.isFile) {
      found.push({ path, file: await fileOf(entry as FileSystemFileEntry) })
      if (found.length % 200 === 0) tell(found.length)
      return
    }
    const children = await childrenOf(entry as FileSystemDirectoryEntry)
    if (children.length === 0) emptyFolders++
    const folders: FileSystemEntry[] = []
    const plain: FileSystemEntry[] = []
    for (const child of children) (child.isFile ? plain : folders).push(child)
    // A few at a time: each is a question to the browser's process.
    for (let at = 0; at < plain.length; at += 64)
      await Promise.all(plain.slice(at, at + 64).map((child) => walk(child, `${path}/${child.name}`)))
    for (const child of folders) await walk(child, `${path}/${child.name}`)
  }
  for (const entry of entries) await walk(entry, entry.name)
  return { found, emptyFolders }
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> => new Promise((done, fail) => entry.file(done, fail))

/** A folder's entries: the browser gives a hundred at a time, and none at the end. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail))
    if (some.length === 0) return all
    all.push(...some)
  }
}

/** The files of a picker; those of a folder have their place in it. */
export const readPicked = (files: Iterable<File>): Found[] =>
  [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }))

type Directory = FileSystemDirectoryHandle & { values(): AsyncIterable<FileSystemHandle> }
type Asking = FileSystemHandle & { requestPermission?: (of: { mode: 'read' }) => Promise<PermissionState> }

/** Reads again what handles lead to. Undefined where the browser does not let us; must follow a click. */
export async function readHandles(handles: readonly FileSystemHandle[]): Promise<Found[] | undefined> {
  const found: Found[] = []
  const walk = async (handle: FileSystemHandle, path: string): Promise<void> => {
    if (handle.kind === 'file') found.push({ path, file: await (handle as FileSystemFileHandle).getFile() })
    else for await (const child of (handle as Directory).values()) await walk(child, `${path}/${child.name}`)
  }
  try {
    for (const handle of handles) {
      const allowed = await (handle as Asking).requestPermission?.({ mode: 'read' })
      if (allowed !== 'granted') return undefined
      await walk(handle, handle.name)
    }
  } catch {
    // Moved or removed since: the person has to show where they are.
    return undefined
  }
  return found
}

/** Whether a name, or a folder it is in, begins with a dot; or it is one that systems leave behind. */
export const isHidden = (path: string): boolean =>
  path.split('/').some((name) => name.startsWith('.') || name === 'Thumbs.db' || name === 'desktop.ini')
