import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type HTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useEffectEvent,
  useId,
  useImperativeHandle,
  useRef,
} from 'react'

/** Browsers limit an element's height; below this no row is lost. */
export const MOST_ROWS = 500_000
const HEADER = 36
const OVERSCAN = 8

export interface GridHandle {
  focus: () => void
  /** Whether the grid itself has the focus; only then is its cursor shown. */
  hasFocus: () => boolean
  /** Whether most of an item is visible. */
  sees: (index: number) => boolean
  /** Scrolls an item into view. */
  reveal: (index: number, align?: 'auto' | 'start' | 'center') => void
  /** Scrolls to a position from `onScrolled`. */
  scrollTo: (place: number) => void
}
/** A row's position. Plain values, so that an unchanged row does not render again. */
export interface Place {
  index: number
  /** React's key: rows that leave on one side are reused on the other. */
  slot: number
  top: number
  height: number
  id: string
  isCursor: boolean
}

/** Props of a grid of rows or tiles. */
export interface GridProps {
  label: string
  count: number
  cursor: number
  onCursor: (index: number, event: KeyboardEvent) => void
  /** Keys other than cursor movement. */
  onKey: (event: KeyboardEvent) => void
  /** The rendered items, including those around the visible ones. */
  onSight: (first: number, last: number) => void
  /** A function for later use: reading the position while scrolling would force a layout. */
  onScrolled: (place: () => number | undefined) => void
  handle: Ref<GridHandle>
  busy: boolean
  /** Event handlers for all items. */
  events: HTMLAttributes<HTMLDivElement>
}
interface Props extends GridProps {
  columns: number
  rowHeight: number
  /** The header's cells. */
  header: ReactNode
  /** A row of plain elements (no compound components: dozens render in a frame). */
  row: (place: Place) => ReactNode
}

/**
 * A grid for any number of rows that renders only the visible ones. The grid has the focus, and `aria-activedescendant`
 * names the cursor's row while it is rendered.
 */
export function VirtualGrid(props: Props) {
  const { label, columns, rowHeight, header, row, cursor, onCursor, onKey, handle, busy, events } = props
  const count = Math.min(props.count, MOST_ROWS)
  const scroller = useRef<HTMLDivElement>(null)
  const name = useId()
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: HEADER,
    // Otherwise the header would cover the row.
    scrollPaddingStart: HEADER,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another height is measured anew
  useEffect(() => virtual.measure(), [rowHeight])
  const items = virtual.getVirtualItems()
  const slots = useRef(1)
  slots.current = Math.max(slots.current, items.length)
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  const onSight = useEffectEvent(props.onSight)
  // biome-ignore lint/correctness/useExhaustiveDependencies: with another count too
  useEffect(() => onSight(first, last), [first, last, count])
  useImperativeHandle(handle, () => ({
    focus: () => scroller.current?.focus({ preventScroll: true }),
    hasFocus: () => scroller.current !== null && document.activeElement === scroller.current,
    sees: (index) => {
      const { scrollTop = 0, clientHeight = 0 } = scroller.current ?? {}
      const middle = HEADER + (index + 0.5) * rowHeight - scrollTop
      return middle > HEADER && middle < clientHeight
    },
    reveal: (index, align = 'auto') => virtual.scrollToIndex(index, { align }),
    scrollTo: (top) => scroller.current?.scrollTo({ top }),
  }))

  const page = Math.max(1, Math.floor(((virtual.scrollRect?.height ?? 0) - HEADER) / rowHeight) - 1)
  const moves = new Map<string, number>([
    ['ArrowDown', 1],
    ['ArrowUp', -1],
    ['PageDown', page],
    ['PageUp', -page],
    ['Home', -count],
    ['End', count],
  ])
  const onKeyDown = (event: KeyboardEvent) => {
    const move = event.target === scroller.current && !event.altKey ? moves.get(event.key) : undefined
    if (move === undefined) return onKey(event)
    event.preventDefault()
    if (count === 0) return
    const next = Math.max(0, Math.min(count - 1, cursor + move))
    virtual.scrollToIndex(next)
    onCursor(next, event)
  }
  const isThere = cursor >= first && cursor <= last && items.length > 0
  return (
    <div
      ref={scroller}
      className="vgrid"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns}
      aria-multiselectable="true"
      aria-busy={busy}
      aria-activedescendant={isThere ? `${name}-${cursor}` : undefined}
      onKeyDown={onKeyDown}
      onScroll={() => props.onScrolled(() => scroller.current?.scrollTop)}
      {...events}
    >
      <div role="rowgroup" className="vgrid-head">
        <div role="row" aria-rowindex={1} className="vgrid-row">
          {header}
        </div>
      </div>
      <div role="rowgroup" className="vgrid-body" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) =>
          row({
            index,
            slot: index % slots.current,
            top: start - HEADER,
            height: rowHeight,
            id: `${name}-${index}`,
            isCursor: index === cursor,
          }),
        )}
      </div>
    </div>
  )
}
