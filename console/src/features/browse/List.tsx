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
import { singleKeys } from '../../ui/shortcuts.ts'
import { useMedia } from '../../ui/useMedia.ts'
import { type GridHandle, VirtualGrid } from '../../ui/VirtualGrid.tsx'
import type { Picked } from './bulk.tsx'
import { allowDrop, endDrag, startDrag } from './drag.ts'
import type { Listing, Place, Row, Sort } from './listing.ts'
import { text } from './messages.ts'
import { legible } from './names.ts'
import { GridHead, GridRow } from './Rows.tsx'
import { countOf } from './selection.ts'
import type { useSelection } from './useSelection.ts'

const ROW = 36
const TALL_ROW = 52
/** Keys that are shortcuts of the browser; others begin a search. */
const BOUND = new Set('/undsmcir?g')

interface Props {
  place: Place
  search: string
  listing: Listing
  chosen: ReturnType<typeof useSelection>
  /** The key whose details are open. */
  open: string
  grid: RefObject<GridHandle | null>
  mayDrag: boolean
  onOpen: (row: Row, index: number) => void
  onFollow: (row: Row) => void
  onUp: () => void
  onType: (letter: string) => void
  onSort: (sort: Sort) => void
  onMenu: (at: { x: number; y: number }) => void
  onScrolled: (top: number) => void
  /** What a drag of this row takes with it. */
  pick: (row: Row) => Picked
  onDrop: (event: DragEvent, prefix: string) => void
}

/** The rows of a folder or a search: the grid, and what mouse and keys do in it. */
export function List(props: Props) {
  const { place, search, listing, chosen, open, grid, mayDrag } = props
  const { bucket, prefix, sort, dir } = place
  const isNarrow = useMedia('(max-width: 640px)')
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
      return props.onMenu({ x: left, y: bottom })
    }
    if (toggles) return chosen.toggleAt(index)
    if (row && isName) props.onOpen(row, index)
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
    props.onMenu({ x: event.clientX, y: event.clientY })
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
    if (isLetter && !(singleKeys() && BOUND.has(event.key))) {
      event.preventDefault()
      props.onType(event.key)
    }
  }

  // The details follow the cursor, once it rests.
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

  const folderOf = (event: DragEvent) => anchorOf(event, '[data-folder]')?.dataset.folder ?? ''
  const selected = countOf(chosen.selection, listing.count)
  const shown = `${prefix || bucket}`
  return (
    <VirtualGrid
      label={text.grid(legible(shown))}
      count={listing.count}
      columns={6}
      rowHeight={isNarrow ? TALL_ROW : ROW}
      cursor={chosen.cursor}
      handle={grid}
      busy={listing.isFetching}
      onSight={listing.look}
      onScrolled={props.onScrolled}
      onCursor={(index, event) => {
        byKeys.current = true
        chosen.moveTo(index, !event.shiftKey)
        if (event.shiftKey) void chosen.range(index, false)
      }}
      onKey={onKey}
      header={
        <GridHead
          sort={sort}
          dir={dir}
          canSort={search === ''}
          onSort={props.onSort}
          state={selected === 0 ? 'none' : selected >= listing.count && !listing.open ? 'all' : 'some'}
          label={search ? text.selectMatches : text.selectAll}
          onToggle={selected === 0 ? chosen.selectAll : chosen.clear}
        />
      }
      row={(at) => {
        const row = listing.row(at.index)
        return (
          <GridRow
            key={at.index}
            {...at}
            bucket={bucket}
            prefix={prefix}
            row={row}
            isSelected={row !== undefined && chosen.isSelected(row.key)}
            isOpen={row !== undefined && (row.key === open || (row.key === target && !row.object))}
            draggable={mayDrag}
          />
        )
      }}
      events={{
        onClick,
        onDoubleClick,
        onContextMenu,
        onDragStart: (event) => {
          const row = listing.row(indexOf(event))
          if (!row) return event.preventDefault()
          const picked = props.pick(row)
          startDrag(event, picked, text.selected(picked.count))
        },
        onDragEnd: () => {
          endDrag()
          setTarget('')
        },
        onDragOver: (event) => {
          const folder = folderOf(event)
          setTarget(folder)
          if (folder) allowDrop(event)
        },
        onDragLeave: () => setTarget(''),
        onDrop: (event) => {
          const folder = folderOf(event)
          setTarget('')
          if (folder) props.onDrop(event, folder)
        },
      }}
    />
  )
}
