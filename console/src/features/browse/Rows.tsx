import {
  IconChevronDown,
  IconChevronUp,
  IconDots,
  IconFile,
  IconFileMusic,
  IconFileText,
  IconFileZip,
  IconFolder,
  IconPhoto,
  IconVideo,
} from '@tabler/icons-react'
import { memo, type ReactNode } from 'react'
import { type Kind, kindOf } from '../../../../contract/kinds.ts'
import { formatAgo, formatBoth, formatBytes, formatCount } from '../../i18n.ts'
import { cutName, legible, nameOf, parentOf } from '../../keys.ts'
import type { Place as RowPlace } from '../../ui/VirtualGrid.tsx'
import type { Marker } from '../search/marks.tsx'
import { hrefOf } from './href.ts'
import { type Row, type Sort, sortsOf } from './listing.ts'
import { text } from './messages.ts'
import { SelectAll } from './SelectAll.tsx'
import type { FolderSize } from './useFolderSizes.ts'
import type { Shown } from './useGridInput.ts'

const icons: { readonly [K in Kind]: typeof IconFile } = {
  picture: IconPhoto,
  video: IconVideo,
  audio: IconFileMusic,
  document: IconFileText,
  archive: IconFileZip,
  other: IconFile,
}
export const iconOf = (type: string): typeof IconFile => icons[kindOf(type)]
const bare = (type: string): string => type.split(';', 1)[0] ?? ''

/** Created once, because dozens of rows render in a frame. */
const signs = new Map<string, ReactNode>()
export function signOf(object: Row['object']): ReactNode {
  const id = object ? `object ${bare(object.content_type)}` : 'folder'
  const known = signs.get(id)
  if (known) return known
  const Icon = object ? iconOf(object.content_type) : IconFolder
  const sign = (
    <Icon size={17} stroke={1.5} className={object ? 'browse-file-icon' : 'browse-folder-icon'} aria-hidden />
  )
  if (signs.size < 100) signs.set(id, sign)
  return sign
}
const dots = <IconDots size={16} stroke={1.6} />

// Shared by rows and tiles. Called as functions rather than rendered as components, because dozens render in a frame.
export const checkOf = (name: string, isSelected: boolean): ReactNode => (
  <input type="checkbox" tabIndex={-1} readOnly checked={isSelected} aria-label={text.select(name)} />
)
/** `shown` draws a part of the name: of what a search has found, with marks. */
export const linkOf = (
  place: Parameters<typeof hrefOf>[0],
  row: Row,
  name: string,
  shown = (from: number, to?: number): ReactNode => name.slice(from, to),
): ReactNode => {
  const [head, end] = cutName(name)
  return (
    <a href={hrefOf(place, row)} tabIndex={-1} draggable={false} data-name title={name}>
      {end === '' ? (
        <bdi>{shown(0)}</bdi>
      ) : (
        // The end is drawn by the style, because between two boxes a line would break in what is copied.
        <bdi className="cut" data-end={end} data-hit={typeof shown(head.length) !== 'string' || undefined}>
          <span>
            {shown(0, head.length)}
            <span>{end}</span>
          </span>
        </bdi>
      )}
    </a>
  )
}
export const moreOf = (name: string): ReactNode => (
  <button type="button" tabIndex={-1} data-more aria-label={text.moreFor(name)} aria-haspopup="menu">
    {dots}
  </button>
)

/** The bytes of an object or a folder in full. */
const exactOf = (of: { size: number } | FolderSize | undefined): string | undefined =>
  of && ('size' in of ? `${formatCount(of.size)} B` : atLeast(`${formatCount(of.bytes)} B`, of))
/** A size of which it is said where there is more. */
const atLeast = (size: string, { complete }: FolderSize): string => (complete ? size : `> ${size}`)
const folderOf = (size: FolderSize | undefined): ReactNode =>
  size ? (
    <>
      <span className="visually-hidden">{text.folder} </span>
      {size.complete ? text.objects(size.objects) : text.moreObjects(size.objects)}
    </>
  ) : (
    text.folder
  )

/** How a row is called. What a search has found has its name first, and then the folder that it is in. */
export function pathOf({ key }: Row, prefix: string, isFound: boolean) {
  const folder = isFound ? parentOf(key) : prefix
  const name = legible(nameOf(key, folder)) || text.noName
  const above = legible(folder.slice(prefix.length))
  return { name, above, path: above + name }
}
/** Draws a name that starts at a place of a path. */
export const nameIn =
  (path: string, start: number, mark: Marker) =>
  (from: number, to = path.length - start): ReactNode =>
    mark(path, start + from, start + to)

interface Props extends Omit<RowPlace, 'slot'> {
  bucket: string
  prefix: string
  at: string | undefined
  row: Row | undefined
  /** Draws what a search has found, which may be in a subfolder; undefined in a folder. */
  mark: Marker | undefined
  /** Of a folder, once it is known. */
  size: FolderSize | undefined
  isSelected: boolean
  isOpen: boolean
  draggable: boolean
}

/** A row of plain elements. The grid handles its clicks. */
export const GridRow = memo(function GridRow({ row, index, top, height, id, isCursor, ...rest }: Props) {
  const { bucket, prefix, at, mark, size, isSelected, isOpen, draggable } = rest
  const place = {
    id,
    'data-index': index,
    'aria-rowindex': index + 2,
    style: { transform: `translateY(${top}px)`, height },
  }
  if (!row)
    return (
      <div {...place} role="row" className="vgrid-row waits" data-cursor={isCursor || undefined}>
        <span role="gridcell" aria-colspan={6} aria-label={text.loadingRow}>
          <span className="bone" />
        </span>
      </div>
    )
  const { object } = row
  const { name, above, path } = pathOf(row, prefix, mark !== undefined)
  return (
    <div
      {...place}
      role="row"
      aria-selected={isSelected}
      className={isSelected ? 'vgrid-row selected' : 'vgrid-row'}
      data-cursor={isCursor || undefined}
      data-open={isOpen || undefined}
      data-folder={object ? undefined : row.key}
      data-sized={size ? true : undefined}
      draggable={draggable}
    >
      <span role="gridcell" className="cell-check" data-check>
        {checkOf(path, isSelected)}
      </span>
      <span role="gridcell" className="cell-name">
        {signOf(object)}
        {linkOf({ bucket, prefix, at }, row, name, mark && nameIn(path, above.length, mark))}
        {above && mark ? (
          <bdi className="cell-in" title={above}>
            {mark(path, 0, above.length)}
          </bdi>
        ) : null}
      </span>
      <span role="gridcell" className="cell-size number" title={exactOf(object ?? size)}>
        {object ? formatBytes(object.size) : size ? atLeast(formatBytes(size.bytes), size) : ''}
      </span>
      <span role="gridcell" className="cell-type">
        {object ? (object.erased ? text.erased : bare(object.content_type)) : folderOf(size)}
      </span>
      <span role="gridcell" className="cell-time">
        {object ? (
          <time dateTime={object.last_modified} title={formatBoth(object.last_modified)}>
            {formatAgo(object.last_modified)}
          </time>
        ) : null}
      </span>
      <span role="gridcell" className="cell-more">
        {moreOf(path)}
      </span>
    </div>
  )
})

/** The header cells. Columns that the server can sort by are buttons: the type's only in search results. */
export function GridHead({ place: { sort, dir, at }, search, listing, chosen, onSort }: Shown) {
  const sorts = sortsOf(search, at)
  const column = (key: Sort, title: string, shape: string) =>
    sorts.includes(key) ? (
      <span
        role="columnheader"
        className={shape}
        aria-sort={sort !== key ? 'none' : dir === 'asc' ? 'ascending' : 'descending'}
      >
        <button type="button" onClick={() => onSort(key)}>
          {title}
          {sort === key ? dir === 'asc' ? <IconChevronUp size={13} /> : <IconChevronDown size={13} /> : null}
        </button>
      </span>
    ) : (
      <span role="columnheader" className={shape}>
        {title}
      </span>
    )
  return (
    <>
      <span role="columnheader">
        <label className="cell-check">
          <SelectAll search={search} listing={listing} chosen={chosen} />
        </label>
      </span>
      {column('name', text.name, 'cell-name')}
      {column('size', text.size, 'cell-size number')}
      {column('type', text.type, 'cell-type')}
      {column('modified', text.modified, 'cell-time')}
      <span role="columnheader" className="cell-more">
        <span className="visually-hidden">{text.more}</span>
      </span>
    </>
  )
}
