import { legible } from '../../keys.ts'
import { usePreferences } from '../../preferences.ts'
import { useMedia } from '../../ui/useMedia.ts'
import { VirtualGrid } from '../../ui/VirtualGrid.tsx'
import { text } from './messages.ts'
import { GridHead, GridRow } from './Rows.tsx'
import { useFolderSizes } from './useFolderSizes.ts'
import { type Shown, useGridInput } from './useGridInput.ts'

/** Row height in pixels; on narrow screens rows have two lines. */
export const rowHeights = { compact: 30, normal: 36, comfortable: 44 }
export const TALL_ROW = 52

/** A folder or search results as rows. */
export function List(props: Shown) {
  const { place, listing, chosen, grid, mayDrag, mark } = props
  const { bucket, prefix, at } = place
  const { density } = usePreferences()
  const isNarrow = useMedia('(max-width: 640px)')
  const { isOpen, ...input } = useGridInput(props)
  const { look, sizeOf } = useFolderSizes(place, listing)
  return (
    <VirtualGrid
      label={text.grid(legible(prefix || bucket))}
      count={listing.count}
      columns={6}
      rowHeight={isNarrow ? TALL_ROW : rowHeights[density]}
      cursor={chosen.cursor}
      handle={grid}
      busy={listing.isFetching}
      onSight={(first, last) => {
        listing.look(first, last)
        look(first, last)
      }}
      {...input}
      header={<GridHead {...props} />}
      row={({ slot, ...rowPlace }) => {
        const row = listing.row(rowPlace.index)
        return (
          <GridRow
            key={slot}
            {...rowPlace}
            at={at}
            bucket={bucket}
            prefix={prefix}
            mark={mark}
            row={row}
            size={row && !row.object ? sizeOf(row.key) : undefined}
            isSelected={row !== undefined && chosen.isSelected(row.key)}
            isOpen={row !== undefined && isOpen(row)}
            draggable={mayDrag}
          />
        )
      }}
    />
  )
}
