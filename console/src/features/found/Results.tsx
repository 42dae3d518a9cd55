import type { KeyboardEvent, MouseEvent, RefObject } from 'react'
import { useMemo, useState } from 'react'
import type { StoredObject } from '../../../../contract/objects.ts'
import { formatAgo, formatBoth, formatBytes, formatCount } from '../../i18n.ts'
import { parentOf } from '../../keys.ts'
import { usePreferences } from '../../preferences.ts'
import { useMedia } from '../../ui/useMedia.ts'
import { type GridHandle, type Place, VirtualGrid } from '../../ui/VirtualGrid.tsx'
import { hrefOf } from '../browse/href.ts'
import { rowHeights, TALL_ROW } from '../browse/List.tsx'
import { text as browse } from '../browse/messages.ts'
import { linkOf, nameIn, pathOf, signOf } from '../browse/Rows.tsx'
import { isTap } from '../browse/useGridInput.ts'
import { useScrollPlace } from '../browse/useScrollPlace.ts'
import { type Marker, markerOf } from '../search/marks.tsx'
import { text } from '../search/messages.ts'

/** What a search has found, as rows that open an object or the folder that it is in. */
export function Results({
  query,
  rows,
  grid,
  busy,
  onSight,
  onOpen,
  onFolder,
}: {
  /** What is searched for: a new value starts at the top. */
  query: string
  rows: readonly StoredObject[]
  grid: RefObject<GridHandle | null>
  busy: boolean
  onSight: (first: number, last: number) => void
  onOpen: (object: StoredObject) => void
  onFolder: (object: StoredObject) => void
}) {
  const { density } = usePreferences()
  const isNarrow = useMedia('(max-width: 640px)')
  const mark = useMemo(() => markerOf(query), [query])
  const [at, setAt] = useState({ query, cursor: 0 })
  const cursor = at.query === query ? Math.min(at.cursor, rows.length - 1) : 0
  const onScrolled = useScrollPlace(query, rows.length > 0, grid, cursor)
  const onClick = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    const target = event.target as HTMLElement
    const index = Number(target.closest<HTMLElement>('[data-index]')?.dataset.index ?? -1)
    const object = rows[index]
    if (!object) return
    setAt({ query, cursor: index })
    grid.current?.focus()
    const isFolder = target.closest('[data-place]') !== null
    if (!isFolder && !isTap(event) && !target.closest('[data-name]')) return
    event.preventDefault()
    ;(isFolder ? onFolder : onOpen)(object)
  }
  const onKey = (event: KeyboardEvent) => {
    const object = rows[cursor]
    if (!object || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key !== 'Enter' && event.key !== 'ArrowRight') return
    event.preventDefault()
    onOpen(object)
  }
  return (
    <div className="search-results">
      <VirtualGrid
        label={text.results}
        count={rows.length}
        columns={4}
        rowHeight={isNarrow ? TALL_ROW : rowHeights[density]}
        cursor={cursor}
        onCursor={(index) => setAt({ query, cursor: index })}
        onKey={onKey}
        onSight={onSight}
        onScrolled={onScrolled}
        handle={grid}
        busy={busy}
        events={{
          onClick,
          onDoubleClick: (event) => {
            const object = rows[cursor]
            if (object && !(event.target as HTMLElement).closest('a')) onOpen(object)
          },
        }}
        header={
          <>
            <span role="columnheader" className="cell-name">
              {browse.name}
            </span>
            <span role="columnheader" className="cell-place">
              {text.place}
            </span>
            <span role="columnheader" className="cell-size number">
              {browse.size}
            </span>
            <span role="columnheader" className="cell-time">
              {browse.modified}
            </span>
          </>
        }
        row={(place) => drawn(place, rows[place.index], mark)}
      />
    </div>
  )
}

/** A row of plain elements. The grid handles its clicks. */
function drawn({ index, slot, top, height, id, isCursor }: Place, object: StoredObject | undefined, mark: Marker) {
  if (!object) return null
  const { bucket, key, size, last_modified } = object
  const folder = parentOf(key)
  const row = { key, object }
  const { name, above, path } = pathOf(row, '', true)
  const place = above === '' ? bucket : `${bucket}/${above}`
  const where = { bucket, prefix: folder, at: undefined }
  return (
    <div
      key={slot}
      id={id}
      role="row"
      aria-rowindex={index + 2}
      className="vgrid-row"
      data-index={index}
      data-cursor={isCursor || undefined}
      style={{ transform: `translateY(${top}px)`, height }}
    >
      <span role="gridcell" className="cell-name">
        {signOf(object)}
        {linkOf(where, row, name, nameIn(path, above.length, mark))}
      </span>
      <span role="gridcell" className="cell-place">
        <a href={hrefOf(where, { key: folder, object: null })} tabIndex={-1} data-place title={place}>
          <bdi>
            {above === '' ? bucket : `${bucket}/`}
            {mark(path, 0, above.length)}
          </bdi>
        </a>
      </span>
      <span role="gridcell" className="cell-size number" title={`${formatCount(size)} B`}>
        {formatBytes(size)}
      </span>
      <span role="gridcell" className="cell-time">
        <time dateTime={last_modified} title={formatBoth(last_modified)}>
          {formatAgo(last_modified)}
        </time>
      </span>
    </div>
  )
}
