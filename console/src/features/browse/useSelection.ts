import { useRef, useState } from 'react'
import { notify } from '../../ui/notify.tsx'
import type { Listing, Row } from './listing.ts'
import { text } from './messages.ts'
import { add, everything, isSelected, nothing, only, type Selection, toggle } from './selection.ts'

/** As many as a job takes by name. */
const LONGEST_RANGE = 10_000

/** The selection and the cursor of one listing; another one (`id`) begins with neither. */
export function useSelection(id: string, listing: Listing) {
  const [state, setState] = useState({ id, selection: nothing, cursor: 0, isReading: false })
  const own = state.id === id ? state : { id, selection: nothing, cursor: 0, isReading: false }
  if (state.id !== id) setState(own)
  const anchor = useRef(0)
  const current = useRef(id)
  current.current = id
  const change = (next: Partial<typeof own>) => setState((old) => (old.id === id ? { ...old, ...next } : old))
  const update = (work: (selection: Selection) => Selection) =>
    setState((old) => (old.id === id ? { ...old, selection: work(old.selection) } : old))

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
    moveTo: (cursor: number, withAnchor = true) => {
      if (withAnchor) anchor.current = cursor
      change({ cursor })
    },
    toggleAt: (index: number) => {
      const row = listing.row(index)
      anchor.current = index
      if (row) update((old) => toggle(old, row))
    },
    select: (row: Row) => update(() => only(row)),
    selectAll: () => update(() => everything),
    clear: () => update(() => nothing),
    range,
  }
}
