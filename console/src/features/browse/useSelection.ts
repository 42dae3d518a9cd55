import { useEffect, useMemo, useRef, useState } from 'react'
import { useHere } from '../../navigation/useView.ts'
import { notify } from '../../ui/notify.tsx'
import type { Listing, Place, Row } from './listing.ts'
import { text } from './messages.ts'
import { add, countOf, everything, isSelected, nothing, type Selection, toggle } from './selection.ts'

/** The most keys that a job takes. */
const LONGEST_RANGE = 10_000
/** How far from the cursor rows are searched. */
const NEAR = 2000

/** The first loaded row of some keys; undefined if none is loaded. */
function firstOf(listing: Listing, keys: ReadonlySet<string>, cursor: number): number | undefined {
  for (let index = Math.max(0, cursor - NEAR); index < Math.min(listing.count, cursor + NEAR); index++)
    if (keys.has(listing.row(index)?.key ?? '')) return index
  return undefined
}

/** The folder that was left for `prefix`, if it is below it. */
function leftBehind(from: Place, { bucket, prefix }: Place): string | undefined {
  if (from.bucket !== bucket || from.prefix === prefix || !from.prefix.startsWith(prefix)) return undefined
  return from.prefix.slice(0, from.prefix.indexOf('/', prefix.length) + 1)
}

/**
 * The selection and the cursor of one listing. A new one (`id`) starts with nothing selected and the cursor on the
 * folder the user came out of, otherwise where it was when going back, otherwise on the first row.
 */
export function useSelection(id: string, place: Place, listing: Listing) {
  const { entry } = useHere()
  const cursors = useRef(new Map<string, number>())
  const fresh = { id, place, selection: nothing, cursor: 0, isReading: false, sought: undefined as string | undefined }
  const [state, setState] = useState(fresh)
  const next = useRef<string>(undefined)
  const begin = () => {
    const known = cursors.current.get(`${entry} ${id}`)
    const sought = next.current ?? (known === undefined ? leftBehind(state.place, place) : undefined)
    return { ...fresh, cursor: known ?? 0, sought }
  }
  const own = state.id === id ? state : begin()
  const isHere = !listing.isPending && (listing.count === 0 || listing.row(0) !== undefined)
  const found = own.sought && isHere ? firstOf(listing, new Set([own.sought]), own.cursor) : undefined
  if (state.id !== id) setState(own)
  else if (found !== undefined) setState({ ...own, cursor: found, sought: undefined })
  // The rows shown may be older: search until everything is loaded.
  else if (own.sought && isHere && !listing.isFetching) setState({ ...own, sought: undefined })
  // Rows may have disappeared since.
  else if (isHere && listing.count > 0 && own.cursor >= listing.count) setState({ ...own, cursor: listing.count - 1 })
  useEffect(() => {
    cursors.current.set(`${entry} ${id}`, own.cursor)
  }, [entry, id, own.cursor])
  // biome-ignore lint/correctness/useExhaustiveDependencies: it was for what is listed now
  useEffect(() => {
    next.current = undefined
  }, [id])
  const anchor = useRef(0)
  const { count, open, found: rows } = listing
  const listed = open ? [] : rows
  // The rows are the same as long as there are as many: only their contents are loaded again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const selected = useMemo(() => countOf(own.selection, count, rows), [own.selection, count, listing.isFetching])
  const current = useRef(id)
  current.current = id
  const change = (next: Partial<typeof own>) => setState((old) => (old.id === id ? { ...old, ...next } : old))
  const update = (work: (selection: Selection) => Selection) =>
    setState((old) => (old.id === id ? { ...old, selection: work(old.selection) } : old))
  const moveTo = (cursor: number, withAnchor = true) => {
    if (withAnchor) anchor.current = cursor
    change({ cursor, sought: undefined })
  }

  /** Selects from the last selected row to this one, loading missing rows first. */
  const range = async (to: number, keep: boolean) => {
    const [first, last] = [Math.min(anchor.current, to), Math.max(anchor.current, to)]
    if (last - first >= LONGEST_RANGE) return notify.failure(text.selecting, text.rangeTooLong(LONGEST_RANGE))
    const loaded: Row[] = []
    for (let index = first; index <= last; index++) {
      const row = listing.row(index)
      if (row) loaded.push(row)
    }
    let picked = loaded
    if (loaded.length <= last - first) {
      change({ isReading: true })
      try {
        picked = await listing.read(first, last)
      } catch (error) {
        notify.problem(error)
      }
      change({ isReading: false })
      if (current.current !== id) return
    }
    update((old) => add(keep ? old : nothing, picked, listed))
  }
  return {
    selection: own.selection,
    selected,
    cursor: own.cursor,
    isReading: own.isReading,
    isSelected: (key: string) => isSelected(own.selection, key),
    moveTo,
    /** Moves to this key's row once it is listed. */
    seek: (key: string) => change({ sought: key }),
    /** Moves to this key's row in what is listed next. */
    seekNext: (key: string) => {
      next.current = key
    },
    /** The cursor's place once these are gone: the row after the first of them. */
    after: (all: boolean, rows: readonly Row[]): number =>
      all ? 0 : (firstOf(listing, new Set(rows.map(({ key }) => key)), own.cursor) ?? own.cursor),
    toggleAt: (index: number) => {
      const row = listing.row(index)
      anchor.current = index
      if (row) update((old) => toggle(old, row, listed))
    },
    selectAll: () => update(() => everything),
    clear: () => update(() => nothing),
    range,
  }
}
