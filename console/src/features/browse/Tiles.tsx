import './tiles.css'
import { IconChevronDown, IconChevronUp, IconFolder } from '@tabler/icons-react'
import { memo, useEffect, useRef, useState } from 'react'
import type { StoredObject } from '../../../../contract/objects.ts'
import { formatBytes, formatCount } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { type TilePlace, VirtualTiles } from '../../ui/VirtualTiles.tsx'
import type { Marker } from '../search/marks.tsx'
import { type Row, sortsOf } from './listing.ts'
import { text } from './messages.ts'
import { checkOf, iconOf, linkOf, moreOf, nameIn, pathOf } from './Rows.tsx'
import { SelectAll } from './SelectAll.tsx'
import { shownThumbnail, thumbnailOf, watchThumbnail } from './thumbnails.ts'
import { type Shown, useGridInput } from './useGridInput.ts'

/** A folder or search results as tiles with thumbnails. */
export default function Tiles(props: Shown) {
  const { place, mark, listing, chosen, grid, mayDrag, mayRead } = props
  const { bucket, prefix, at } = place
  const { isOpen, ...input } = useGridInput(props)
  return (
    <>
      <TilesHead {...props} />
      <VirtualTiles
        label={text.grid(legible(prefix || bucket))}
        count={listing.count}
        cursor={chosen.cursor}
        handle={grid}
        busy={listing.isFetching}
        onSight={listing.look}
        {...input}
        tile={(tile) => {
          const row = listing.row(tile.index)
          return (
            <Tile
              key={row?.key ?? tile.index}
              {...tile}
              at={at}
              bucket={bucket}
              prefix={prefix}
              mark={mark}
              row={row}
              isSelected={row !== undefined && chosen.isSelected(row.key)}
              isOpen={row !== undefined && isOpen(row)}
              draggable={mayDrag}
              pictured={row?.object != null && thumbnailOf(row.object) !== undefined && mayRead(row.key)}
            />
          )
        }}
      />
    </>
  )
}

/** Tiles have no column headers, so Select all and sorting have a bar of their own. */
function TilesHead({ place: { sort, dir, at }, search, listing, chosen, onSort }: Shown) {
  return (
    <div className="tiles-head">
      <label className="tile-check">
        <SelectAll search={search} listing={listing} chosen={chosen} />
      </label>
      {sortsOf(search, at).map((key) => {
        const isBy = key === sort
        const Arrow = dir === 'asc' ? IconChevronUp : IconChevronDown
        return (
          <button
            key={key}
            type="button"
            aria-pressed={isBy}
            aria-label={isBy ? text.sortedBy(text[key], dir === 'asc') : text.sortBy(text[key])}
            onClick={() => onSort(key)}
          >
            {text[key]}
            {isBy ? <Arrow size={13} aria-hidden /> : null}
          </button>
        )
      })}
    </div>
  )
}

interface Props extends TilePlace {
  bucket: string
  prefix: string
  at: string | undefined
  /** Draws what a search has found, which may be in a subfolder; undefined in a folder. */
  mark: Marker | undefined
  row: Row | undefined
  isSelected: boolean
  isOpen: boolean
  draggable: boolean
  pictured: boolean
}

/** A tile of plain elements. The grid handles its clicks. */
const Tile = memo(function Tile({ row, index, column, id, isCursor, ...rest }: Props) {
  const { bucket, prefix, at, mark, isSelected, isOpen, draggable, pictured } = rest
  const place = { id, 'data-index': index, 'aria-colindex': column + 1 }
  if (!row)
    return (
      <div
        {...place}
        role="gridcell"
        className="tile waits"
        aria-label={text.loadingRow}
        data-cursor={isCursor || undefined}
      >
        <span className="tile-picture" />
        <span className="bone" />
      </div>
    )
  const { object } = row
  const { name, above, path } = pathOf(row, prefix, mark !== undefined)
  return (
    <div
      {...place}
      role="gridcell"
      aria-selected={isSelected}
      className={isSelected ? 'tile selected' : 'tile'}
      data-cursor={isCursor || undefined}
      data-open={isOpen || undefined}
      data-folder={object ? undefined : row.key}
      draggable={draggable}
    >
      <span className="tile-picture" data-picture>
        {object && pictured ? <Thumbnail key={object.etag} object={object} /> : <Sign object={object} />}
      </span>
      <span className="tile-caption">
        <span className="tile-check" data-check>
          {checkOf(path, isSelected)}
        </span>
        {linkOf({ bucket, prefix, at }, row, name, mark && nameIn(path, above.length, mark))}
        {moreOf(path)}
      </span>
      <span className="tile-size number" title={object ? `${formatCount(object.size)} B` : undefined}>
        {object ? formatBytes(object.size) : text.folder}
        {above && mark ? (
          <bdi className="tile-folder" title={above}>
            {mark(path, 0, above.length - 1)}
          </bdi>
        ) : null}
      </span>
    </div>
  )
})

function Sign({ object }: { object: StoredObject | null }) {
  const Icon = object ? iconOf(object.content_type) : IconFolder
  return <Icon size={44} stroke={1.1} className={object ? 'browse-file-icon' : 'browse-folder-icon'} aria-hidden />
}

/** The thumbnail once it is visible and loaded; otherwise the icon of its type. */
function Thumbnail({ object }: { object: StoredObject }) {
  const place = useRef<HTMLSpanElement>(null)
  const { bucket, key, etag } = object
  // Of another object there is another thumbnail.
  const shown = useRef(object)
  const [picture, setPicture] = useState(() => shownThumbnail(bucket, key, etag))
  const isHere = picture !== undefined
  useEffect(() => {
    if (isHere || !place.current) return
    return watchThumbnail(place.current, shown.current, setPicture)
  }, [isHere])
  return (
    <span ref={place} className="tile-thumbnail">
      {picture === undefined ? (
        <Sign object={object} />
      ) : (
        <img src={picture} alt="" draggable={false} decoding="async" onError={() => setPicture(undefined)} />
      )}
    </span>
  )
}
