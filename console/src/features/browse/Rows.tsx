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
import { memo } from 'react'
import { formatAgo, formatBoth, formatBytes, formatCount } from '../../i18n.ts'
import type { Place as RowPlace } from '../../ui/VirtualGrid.tsx'
import type { Row, Sort } from './listing.ts'
import { text } from './messages.ts'
import { legible, nameOf } from './names.ts'

const icons: readonly (readonly [RegExp, typeof IconFile])[] = [
  [/^image\//, IconPhoto],
  [/^video\//, IconVideo],
  [/^audio\//, IconFileMusic],
  [/^text\/|json|xml|pdf|yaml/, IconFileText],
  [/zip|tar|gzip|compressed/, IconFileZip],
]
export const iconOf = (type: string): typeof IconFile => icons.find(([pattern]) => pattern.test(type))?.[1] ?? IconFile
const bare = (type: string): string => type.split(';', 1)[0] ?? ''

/** The address of a row: a folder's contents, or an object's details beside the list. */
export function hrefOf(bucket: string, prefix: string, row: Row): string {
  const search = new URLSearchParams(row.object ? { ...(prefix ? { prefix } : {}), sel: row.key } : { prefix: row.key })
  return `/console/b/${bucket}?${search}`
}

interface Props extends RowPlace {
  bucket: string
  prefix: string
  row: Row | undefined
  isSelected: boolean
  isOpen: boolean
  draggable: boolean
}

/** A line of the list, of plain tags; clicks on it are handled by the grid. */
export const GridRow = memo(function GridRow({ row, index, top, height, id, isCursor, ...rest }: Props) {
  const { bucket, prefix, isSelected, isOpen, draggable } = rest
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
  const name = legible(nameOf(row.key, prefix)) || text.noName
  const Icon = object ? iconOf(object.content_type) : IconFolder
  return (
    <div
      {...place}
      role="row"
      aria-selected={isSelected}
      className={isSelected ? 'vgrid-row selected' : 'vgrid-row'}
      data-cursor={isCursor || undefined}
      data-open={isOpen || undefined}
      data-folder={object ? undefined : row.key}
      draggable={draggable}
    >
      <span role="gridcell" className="cell-check" data-check>
        <input type="checkbox" tabIndex={-1} readOnly checked={isSelected} aria-label={text.select(name)} />
      </span>
      <span role="gridcell" className="cell-name">
        <Icon size={17} stroke={1.5} className={object ? 'browse-file-icon' : 'browse-folder-icon'} aria-hidden />
        <a href={hrefOf(bucket, prefix, row)} tabIndex={-1} draggable={false} data-name title={name}>
          <bdi>{name}</bdi>
        </a>
      </span>
      <span role="gridcell" className="cell-size number" title={object ? `${formatCount(object.size)} B` : undefined}>
        {object ? formatBytes(object.size) : ''}
      </span>
      <span role="gridcell" className="cell-type">
        {object ? bare(object.content_type) : text.folder}
      </span>
      <span role="gridcell" className="cell-time">
        {object ? (
          <time dateTime={object.last_modified} title={formatBoth(object.last_modified)}>
            {formatAgo(object.last_modified)}
          </time>
        ) : null}
      </span>
      <span role="gridcell" className="cell-more">
        <button type="button" tabIndex={-1} data-more aria-label={text.moreFor(name)} aria-haspopup="menu">
          <IconDots size={16} stroke={1.6} />
        </button>
      </span>
    </div>
  )
})

/** The header's cells; the columns that the server sorts by are buttons. */
export function GridHead({
  sort,
  dir,
  canSort,
  onSort,
  state,
  label,
  onToggle,
}: {
  sort: Sort
  dir: 'asc' | 'desc'
  canSort: boolean
  onSort: (sort: Sort) => void
  state: 'none' | 'some' | 'all'
  label: string
  onToggle: () => void
}) {
  const column = (key: Sort, title: string, shape: string) => (
    <span
      role="columnheader"
      className={shape}
      {...(canSort ? { 'aria-sort': sort !== key ? 'none' : dir === 'asc' ? 'ascending' : 'descending' } : {})}
    >
      {canSort ? (
        <button type="button" onClick={() => onSort(key)}>
          {title}
          {sort === key ? dir === 'asc' ? <IconChevronUp size={13} /> : <IconChevronDown size={13} /> : null}
        </button>
      ) : (
        title
      )}
    </span>
  )
  return (
    <>
      <span role="columnheader" className="cell-check">
        <input
          type="checkbox"
          aria-label={label}
          checked={state === 'all'}
          ref={(box) => {
            if (box) box.indeterminate = state === 'some'
          }}
          onChange={onToggle}
        />
      </span>
      {column('name', text.name, 'cell-name')}
      {column('size', text.size, 'cell-size number')}
      <span role="columnheader" className="cell-type">
        {text.type}
      </span>
      {column('modified', text.modified, 'cell-time')}
      <span role="columnheader" className="cell-more">
        <span className="visually-hidden">{text.more}</span>
      </span>
    </>
  )
}
