/** An upload in parts that was begun, as this browser remembers it. */
export interface Unfinished {
  /** What names it to the server. */
  upload: string
  name: string
  size: number
  /** The file's own time of change: the same file is chosen again after a reload. */
  changed: number
}

const KEY = `strongroom-link-uploads ${location.pathname}`

/** Where there is no storage they are remembered until the page is closed. */
let known: readonly Unfinished[] = read()
function read(): readonly Unfinished[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? kept : []
  } catch {
    return []
  }
}
function keep(next: readonly Unfinished[]): void {
  known = next
  try {
    if (next.length === 0) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, JSON.stringify(next))
  } catch {
    // As above.
  }
}

export const isOf = (file: File, { name, size, changed }: Unfinished): boolean =>
  file.name === name && file.size === size && file.lastModified === changed

export const listUnfinished = (): readonly Unfinished[] => known
export const findUnfinished = (file: File): Unfinished | undefined => known.find((one) => isOf(file, one))
export const remember = (one: Unfinished): void => keep([...known.filter(({ upload }) => upload !== one.upload), one])
export const forget = (upload: string): void => keep(known.filter((one) => one.upload !== upload))
