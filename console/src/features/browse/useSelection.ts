import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { notify } from '../../ui/notify.tsx'
import type { Listing, Place, Row } from './listing.ts'
import { text } from './messages.ts'
import { add, everything, isSelected, nothing, type Selection, toggle } from './selection.ts'

/** As many as a job takes by name. */
const LONGEST_RANGE = 10_000
/** Rows are looked for as far from the cursor. */
const NEAR = 2000

/** Where the first of some rows stands, as far as it is loaded; undefined when none of them is. */
function firstOf(listing: Listing, keys: ReadonlySet<string>, cursor: number): number | undefined {
  for (let index = Math.max(0, cursor - NEAR); index < Math.min(listing.count, cursor + NEAR); index++)
    if (keys.has(listing.row(index)?.key ?? '')) return index
  return undefined
}

/** The folder of `prefix` that one comes out of, from a folder below it. */
function leftBehind(from: Place, { bucket, prefix }: Place): string | undefined {
  if (from.bucket !== bucket || from.prefix === prefix || !from.prefix.startsWith(prefix)) return undefined
  return from.prefix.slice(0, from.prefix.indexOf('/', prefix.length) + 1)
}

/**
 * The selection and the cursor of one listing. Another one (`id`) begins with nothing selected, and with its cursor on
 * the folder that one came out of, or where it was when one goes back in the history, or else on the first row.
 */
export function useSelection(id: string, place: Place, listing: Listing) {
  const entry = useRouterState({ select: ({ location }) => location.state.__TSR_key ?? '' })
  const cursors = useRef(new Map<string, number>())
  const fresh = { id, place, selection: nothing, cursor: 0, isReading: false, sought: undefined as string | undefined }
  const [state, setState] = useState(fresh)
  const begin = () => {
    const known = cursors.current.get(`${entry} ${id}`)
    return { ...fresh, cursor: known ?? 0, sought: known === undefined ? leftBehind(state.place, place) : undefined }
  }
  const own = state.id === id ? state : begin()
  const isHere = !listing.isPending && (listing.count === 0 || listing.row(0) !== undefined)
  const found = own.sought && isHere ? firstOf(listing, new Set([own.sought]), own.cursor) : undefined
  if (state.id !== id) setState(own)
  else if (found !== undefined) setState({ ...own, cursor: found, sought: undefined })
  // What is shown may be from before it came: it is looked for until all is read.
  else if (own.sought && isHere && !listing.isFetching) setState({ ...own, sought: undefined })
  // Rows may have gone since it was put there.
  else if (isHere && listing.count > 0 && own.cursor >= listing.count) setState({ ...own, cursor: listing.count - 1 })
  useEffect(() => {
    cursors.current.set(`${entry} ${id}`, own.cursor)
  }, [entry, id, own.cursor])
  const anchor = useRef(0)
  const current = useRef(id)
  current.current = id
  const change = (next: Partial<typeof own>) => setState((old) => (old.id === id ? { ...old, ...next } : old))
  const update = (work: (selection: Selection) => Selection) =>
    setState((old) => (old.id === id ? { ...old, selection: work(old.selection) } : old))
  const moveTo = (cursor: number, withAnchor = true) => {
    if (withAnchor) anchor.current = cursor
    change({ cursor, sought: undefined })
  }

  /** From where the last one was chosen to here; what of it is not loaded is read first. */
  const range = async (to: number, keep: boolean) => {
    const [first, last] = [Math.min(anchor.current, to), Math.max(anchor.current, to)]
    if (last - first >= LONGEST_RANGE) return notify.failure(text.selecting, text.rangeTooLong(LONGEST_RANGE))
    const loaded: Row[] = []
    for (let index = first; index <= last; index++) {
      const row = listing.row(index)
      if (row) loaded.push(row)
    }
    let rows = loaded
    if (loaded.length <= last - first) {
      change({ isReading: true })
      try {
        rows = await listing.read(first, last)
      } catch (error) {
        notify.problem(error)
      }
      change({ isReading: false })
      if (current.current !== id) return
    }
    update((old) => add(keep ? old : nothing, rows))
  }
  return {
    selection: own.selection,
    cursor: own.cursor,
    isReading: own.isReading,
    isSelected: (key: string) => isSelected(own.selection, key),
    moveTo,
    /** To the row of this key, once it is listed. */
    seek: (key: string) => change({ sought: key }),
    /** Where the cursor belongs when these are gone: on what follows the first of them. */
    after: (all: boolean, rows: readonly Row[]): number =>
      all ? 0 : (firstOf(listing, new Set(rows.map(({ key }) => key)), own.cursor) ?? own.cursor),
    toggleAt: (index: number) => {
      const row = listing.row(index)
      anchor.current = index
      if (row) update((old) => toggle(old, row))
    },
    selectAll: () => update(() => everything),
    clear: () => update(() => nothing),
    range,
  }
}
