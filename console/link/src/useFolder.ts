import { useEffect, useRef, useState } from 'preact/hooks'
import { sortNaturally } from '../../../contract/natural-order.ts'
import { type Item, listFolder, Refused, type ShareListing } from './api.ts'

export interface Folder {
  folders: readonly string[]
  files: readonly Item[]
  next: string | null
}
/** Without the markers of folders; in natural order, `img-2` before `img-10`, once everything is there. */
function settled({ folders, files, next }: Folder): Folder {
  const shown = files.filter(({ name, size }) => size > 0 || !/(^|\/)$/.test(name))
  if (next !== null) return { folders, files: shown, next }
  return {
    folders: sortNaturally(folders, (name) => name),
    files: sortNaturally(shown, ({ name }) => name),
    next,
  }
}
const added = (before: Folder | undefined, { folders, items, next_cursor }: ShareListing): Folder =>
  settled({
    folders: [...(before?.folders ?? []), ...folders],
    files: [...(before?.files ?? []), ...items],
    next: next_cursor,
  })

/** The contents of a folder, as far as they were read. Folders that were open before are there at once. */
export function useFolder(at: string, first: ShareListing | undefined, onRefused: (problem: Refused) => void) {
  const known = useRef<Map<string, Folder> | undefined>(undefined)
  known.current ??= new Map(first ? [[at, added(undefined, first)]] : [])
  const [, redraw] = useState(0)
  const [reading, setReading] = useState(false)
  const underWay = useRef<string[]>([])
  const read = async (folder: string) => {
    if (underWay.current.includes(folder)) return
    underWay.current.push(folder)
    const all = known.current
    const before = all?.get(folder)
    setReading(true)
    try {
      all?.set(folder, added(before, await listFolder(folder, before?.next ?? undefined)))
      redraw((n) => n + 1)
    } catch (error) {
      onRefused(error instanceof Refused ? error : new Refused(0))
    }
    underWay.current = underWay.current.filter((one) => one !== folder)
    setReading(underWay.current.length > 0)
  }
  const folder = known.current.get(at)
  const isKnown = folder !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: reads each folder once
  useEffect(() => {
    if (!isKnown) void read(at)
  }, [at, isKnown])
  return { folder, reading, more: () => void read(at) }
}
