import {
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'
import { preferences } from '../../preferences.ts'
import { isSecond } from '../../ui/shortcuts.ts'
import type { GridHandle } from '../../ui/VirtualGrid.tsx'
import type { Marker } from '../search/marks.tsx'
import type { Picked } from './bulk.tsx'
import { allowDrop, endDrag, folderAt, startDrag } from './drag.ts'
import type { Listing, Place, Row, Sort } from './listing.ts'
import { text } from './messages.ts'
import { useScrollPlace } from './useScrollPlace.ts'
import type { useSelection } from './useSelection.ts'

/** Keys that are shortcuts. Other letters start a search. */
const BOUND = new Set('/undfsmcir?g')

/** What lists and tiles get to show a folder or search results. */
export interface Shown {
  /** What is listed: a new value starts at the top. */
  id: string
  place: Place
  search: string
  /** Draws what a search has found; undefined in a folder. */
  mark: Marker | undefined
  listing: Listing
  chosen: ReturnType<typeof useSelection>
  /** The key with open details. */
  open: string
  grid: RefObject<GridHandle | null>
  mayDrag: boolean
  mayRead: (key: string) => boolean
  onOpen: (row: Row, index: number) => void
  onFollow: (row: Row) => void
  onUp: () => void
  onType: (letter: string) => void
  onSort: (sort: Sort) => void
  onMenu: (at: { x: number; y: number; row: Row }) => void
  /** What dragging this row takes along. */
  pick: (row: Row) => Picked
  onDrop: (event: DragEvent, prefix: string) => void
}

/** Touch has no double click: a tap anywhere on a row or tile opens it. */
export const isTap = ({ nativeEvent }: MouseEvent): boolean => (nativeEvent as PointerEvent).pointerType === 'touch'

/** Mouse, keyboard and drag handling for a grid of rows or tiles, each with its `data-index`. */
export function useGridInput(props: Shown) {
  const { listing, chosen, open, grid } = props
  const [target, setTarget] = useState('')
  const anchorOf = (event: { target: EventTarget }, what: string) =>
    (event.target as HTMLElement).closest<HTMLElement>(what)
  const indexOf = (event: { target: EventTarget }) => Number(anchorOf(event, '[data-index]')?.dataset.index ?? -1)

  const onClick = (event: MouseEvent) => {
    const index = indexOf(event)
    if (index < 0 || event.button !== 0) return
    const row = listing.row(index)
    const more = anchorOf(event, '[data-more]')
    const toggles = event.ctrlKey || event.metaKey || anchorOf(event, '[data-check]') !== null
    const isName = anchorOf(event, '[data-name]') !== null
    if (isName) event.preventDefault()
    grid.current?.focus()
    if (event.shiftKey) {
      getSelection()?.removeAllRanges()
      chosen.moveTo(index, false)
      return void chosen.range(index, toggles)
    }
    chosen.moveTo(index)
    if (more) {
      const { left, bottom } = more.getBoundingClientRect()
      return row && props.onMenu({ x: left, y: bottom, row })
    }
    if (toggles) return chosen.toggleAt(index)
    if (row && (isName || isTap(event))) props.onOpen(row, index)
    else if (row?.object && open !== '') props.onFollow(row)
  }
  const onDoubleClick = (event: MouseEvent) => {
    const row = listing.row(indexOf(event))
    if (row && !anchorOf(event, '[data-check], [data-more], [data-name]')) props.onOpen(row, indexOf(event))
  }
  const onContextMenu = (event: MouseEvent) => {
    const index = indexOf(event)
    if (index < 0 || event.shiftKey) return
    event.preventDefault()
    const row = listing.row(index)
    if (row && !chosen.isSelected(row.key)) chosen.clear()
    chosen.moveTo(index)
    if (row) props.onMenu({ x: event.clientX, y: event.clientY, row })
  }
  const onKey = (event: KeyboardEvent) => {
    if (anchorOf(event, 'button, input, a')) return
    const { cursor } = chosen
    const row = listing.row(cursor)
    const held = event.ctrlKey || event.metaKey
    const openIt = () => row && props.onOpen(row, cursor)
    const chooseIt = () => (event.shiftKey ? void chosen.range(cursor, true) : chosen.toggleAt(cursor))
    const does = new Map<string, () => void>([
      ['Enter', openIt],
      ['ArrowRight', openIt],
      ['ArrowLeft', props.onUp],
      ['Backspace', props.onUp],
      [' ', chooseIt],
    ])
    const act = held ? (event.key.toLowerCase() === 'a' ? chosen.selectAll : undefined) : does.get(event.key)
    if (act && !event.altKey) {
      event.preventDefault()
      return act()
    }
    const isLetter = event.key.length === 1 && !held && !event.altKey
    if (isLetter && !(preferences().shortcuts && (BOUND.has(event.key) || isSecond(event.key)))) {
      event.preventDefault()
      props.onType(event.key)
    }
  }

  // The details follow the cursor once it rests.
  const follow = useEffectEvent((index: number) => {
    const row = listing.row(index)
    if (open !== '' && row?.object && row.key !== open) props.onFollow(row)
  })
  const byKeys = useRef(false)
  useEffect(() => {
    if (!byKeys.current) return
    byKeys.current = false
    const timer = setTimeout(() => follow(chosen.cursor), 250)
    return () => clearTimeout(timer)
  }, [chosen.cursor])

  const onScrolled = useScrollPlace(props.id, listing.count > 0, grid, chosen.cursor)
  const folderOf = (event: DragEvent) => folderAt(event) ?? ''
  const isOpen = (row: Row) => row.key === open || (row.key === target && !row.object)
  return {
    isOpen,
    onKey,
    onScrolled,
    onCursor: (index: number, event: KeyboardEvent) => {
      byKeys.current = true
      chosen.moveTo(index, !event.shiftKey)
      if (event.shiftKey) void chosen.range(index, false)
    },
    events: {
      onClick,
      onDoubleClick,
      onContextMenu,
      onDragStart: (event: DragEvent) => {
        const row = listing.row(indexOf(event))
        if (!row) return event.preventDefault()
        const picked = props.pick(row)
        startDrag(event, picked, text.selected(picked.count))
      },
      onDragEnd: () => {
        endDrag()
        setTarget('')
      },
      onDragOver: (event: DragEvent) => {
        const folder = folderOf(event)
        setTarget(folder)
        if (folder) allowDrop(event)
      },
      onDragLeave: () => setTarget(''),
      onDrop: (event: DragEvent) => {
        const folder = folderOf(event)
        setTarget('')
        if (folder) props.onDrop(event, folder)
      },
    },
  }
}
