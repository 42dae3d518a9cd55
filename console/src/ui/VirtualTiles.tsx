import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { type GridProps, MOST_ROWS } from './VirtualGrid.tsx'

/** The minimum tile width. Wide pages get larger tiles rather than more in a line. */
const LEAST_WIDTH = 150
const MOST_ACROSS = 8
const GAP = 8
const EDGE = 12
/** The part of a tile that is not the image: name and size. */
const CAPTION = 58
const PICTURE_RATIO = 0.7

/** A tile's position. Plain values, so that an unchanged tile does not render again. */
export interface TilePlace {
  index: number
  column: number
  id: string
  isCursor: boolean
}

/** `onScrolled` reports the first visible tile: at another width it is elsewhere, but the same tile. */
interface Props extends GridProps {
  tile: (place: TilePlace) => ReactNode
}

/**
 * A grid for any number of tiles that renders only those near the visible ones. All lines have the same height, so the
 * visible ones are computed, and the page renders when they change rather than with every pixel. The grid has the
 * focus, and `aria-activedescendant` names the cursor's tile while it is rendered.
 */
export function VirtualTiles(props: Props) {
  const { label, tile, cursor, onCursor, onKey, onScrolled, handle, busy, events } = props
  const count = Math.min(props.count, MOST_ROWS)
  const scroller = useRef<HTMLDivElement>(null)
  const name = useId()
  const [box, setBox] = useState({ width: 0, height: 0 })
  const [line, setLine] = useState(0)
  const inner = Math.max(0, box.width - 2 * EDGE)
  const across = Math.max(2, Math.min(MOST_ACROSS, Math.floor((inner + GAP) / (LEAST_WIDTH + GAP))))
  const width = (inner - GAP * (across - 1)) / across
  const height = Math.max(1, Math.round(width * PICTURE_RATIO) + CAPTION + GAP)
  const lines = Math.ceil(count / across)

  useLayoutEffect(() => {
    const element = scroller.current as HTMLDivElement
    const measure = () => setBox({ width: element.clientWidth, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  // At another width lines differ: keep the first tile at the top.
  const top = useRef(0)
  useLayoutEffect(() => {
    if (box.width > 0 && top.current > 0) scroller.current?.scrollTo({ top: Math.floor(top.current / across) * height })
  }, [across, height, box.width])

  const first = Math.max(0, Math.min(line, lines - 1) - 1)
  const last = box.width === 0 ? -1 : Math.min(lines - 1, line + Math.ceil(box.height / height) + 1)
  const onSight = useEffectEvent(props.onSight)
  useEffect(() => {
    if (last >= 0) onSight(first * across, Math.min(count, (last + 1) * across) - 1)
  }, [first, last, across, count])

  const reveal = (index: number, align: 'auto' | 'start' | 'center' = 'auto') => {
    const element = scroller.current
    if (!element) return
    const from = Math.floor(index / across) * height
    const { scrollTop, clientHeight } = element
    const end = from + height + EDGE - clientHeight
    if (align === 'center') element.scrollTop = from - (clientHeight - height) / 2
    else if (align === 'start' || from < scrollTop) element.scrollTop = from
    else if (end > scrollTop) element.scrollTop = end
  }
  useImperativeHandle(handle, () => ({
    focus: () => scroller.current?.focus({ preventScroll: true }),
    hasFocus: () => scroller.current !== null && document.activeElement === scroller.current,
    sees: (index) => {
      const { scrollTop = 0, clientHeight = 0 } = scroller.current ?? {}
      const middle = EDGE + (Math.floor(index / across) + 0.5) * height - scrollTop
      return middle > 0 && middle < clientHeight
    },
    reveal,
    scrollTo: (tile) => {
      top.current = tile
      scroller.current?.scrollTo({ top: Math.floor(tile / across) * height })
    },
  }))

  const page = Math.max(1, Math.floor(box.height / height)) * across
  const onKeyDown = (event: KeyboardEvent) => {
    const element = scroller.current as HTMLDivElement
    const ahead = getComputedStyle(element).direction === 'rtl' ? -1 : 1
    const moves = new Map<string, number>([
      ['ArrowRight', ahead],
      ['ArrowLeft', -ahead],
      ['ArrowDown', across],
      ['ArrowUp', -across],
      ['PageDown', page],
      ['PageUp', -page],
      ['Home', -count],
      ['End', count],
    ])
    const move = event.target === element && !event.altKey ? moves.get(event.key) : undefined
    if (move === undefined) return onKey(event)
    event.preventDefault()
    if (count === 0) return
    const isLine = event.key === 'ArrowUp' || event.key === 'ArrowDown'
    const to = cursor + move
    // Without a line to go to, the cursor stays in its column. In a shorter last line it goes to the end.
    if (isLine && (to < 0 || Math.floor(to / across) >= lines)) return
    const next = Math.max(0, Math.min(count - 1, to))
    reveal(next)
    onCursor(next, event)
  }
  const isThere = cursor >= first * across && cursor < (last + 1) * across
  return (
    <div
      ref={scroller}
      className="tiles"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={lines}
      aria-colcount={across}
      aria-multiselectable="true"
      aria-busy={busy}
      aria-activedescendant={isThere ? `${name}-${cursor}` : undefined}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget: { scrollTop } }) => {
        const next = Math.max(0, Math.floor(scrollTop / height))
        top.current = next * across
        setLine(next)
        onScrolled(() => top.current)
      }}
      {...events}
    >
      <div role="rowgroup" className="tiles-body" style={{ height: lines * height + 2 * EDGE - GAP }}>
        {Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i).map((row) => (
          <div
            key={row}
            role="row"
            className="tiles-line"
            aria-rowindex={row + 1}
            style={{
              transform: `translateY(${row * height + EDGE}px)`,
              height: height - GAP,
              gridTemplateColumns: `repeat(${across}, minmax(0, 1fr))`,
            }}
          >
            {Array.from({ length: Math.min(across, count - row * across) }, (_, column) => {
              const index = row * across + column
              return tile({ index, column, id: `${name}-${index}`, isCursor: index === cursor })
            })}
          </div>
        ))}
      </div>
    </div>
  )
}
