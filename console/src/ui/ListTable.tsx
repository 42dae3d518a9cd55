import { Button, Table } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import { text } from './messages.ts'
import { TableFrame } from './TableFrame.tsx'
import { useMedia } from './useMedia.ts'

export interface Column<T> {
  key: string
  title: string
  /** Replaces the title if it is more than text. */
  head?: ReactNode
  /** Only screen readers get the title. */
  untitled?: boolean
  /** The cell. */
  cell: (row: T) => ReactNode
  /** Aligns numbers. */
  number?: boolean
  /** Hidden on narrow screens. */
  optional?: boolean
  width?: number | string
  /** Names, keys and the like, which may be one long word. Words in other columns are never broken. */
  breaks?: boolean
  /** Stays in sight when the table is wider than its frame: what can be done with the row. */
  pinned?: boolean
}

interface Props<T> {
  /** Names the table for screen readers. */
  label: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  rowKey: (row: T) => string
  onOpen?: (row: T) => void
  /** The expanded content below a row, if any. */
  below?: (row: T) => ReactNode
  /** Whether there are more rows, and how to load them. */
  more?: { available: boolean; loading: boolean; load: () => unknown } | undefined
}

/** How the next page of a query is loaded below a table. */
export const moreOf = (pages: {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}): NonNullable<Props<unknown>['more']> => ({
  available: pages.hasNextPage,
  loading: pages.isFetchingNextPage,
  load: pages.fetchNextPage,
})

/** The column of what can be done with a row. */
export const actionsShape = { pinned: true, title: text.actionsColumn, untitled: true } as const

/** What a phone shows in columns: what selects a row, its name, and what can be done with it. */
const staysOnPhones = <T,>({ pinned, untitled }: Column<T>): boolean => pinned === true || untitled === true

/**
 * A table of one or a few pages. On a phone, what other columns say is below the name of each row. The object
 * browser has its own grid.
 */
export function ListTable<T>({ label, columns: all, rows, rowKey, onOpen, below, more }: Props<T>) {
  const isPhone = useMedia('(max-width: 480px)')
  const always = all.filter((column) => !column.optional)
  const named = always.find((column) => column.breaks) ?? always.find((column) => !staysOnPhones(column))
  const columns = isPhone ? all.filter((column) => column === named || staysOnPhones(column)) : all
  const folded = all.filter((column) => !columns.includes(column) && !column.optional)
  const shape = ({ number, optional, breaks, pinned }: Column<T>) =>
    [number && 'number', optional && 'optional', breaks && 'breaks', pinned && 'pinned'].filter(Boolean).join(' ')
  return (
    <TableFrame label={label}>
      <Table aria-label={label} className="list-table">
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.key} className={shape(column)} {...(column.width ? { w: column.width } : {})}>
                {column.head ??
                  (column.untitled ? <span className="visually-hidden">{column.title}</span> : column.title)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => {
            const unfolded = below?.(row)
            return (
              <Fragment key={rowKey(row)}>
                <Table.Tr
                  className={onOpen ? 'opens' : ''}
                  onClick={(event) => {
                    const inner = (event.target as HTMLElement).closest(
                      'a, button, input, label, [role=menu], [role=dialog]',
                    )
                    if (onOpen && !inner && !getSelection()?.toString()) onOpen(row)
                  }}
                >
                  {columns.map((column) => (
                    <Table.Td key={column.key} className={shape(column)}>
                      {column.cell(row)}
                      {column === named && folded.length > 0 ? (
                        <dl className="row-facts">
                          {folded.map(({ key, title, cell }) => (
                            <div key={key}>
                              <dt>{title}</dt>
                              <dd>{cell(row)}</dd>
                            </div>
                          ))}
                        </dl>
                      ) : null}
                    </Table.Td>
                  ))}
                </Table.Tr>
                {unfolded ? (
                  <Table.Tr className="below">
                    <Table.Td colSpan={columns.length}>{unfolded}</Table.Td>
                  </Table.Tr>
                ) : null}
              </Fragment>
            )
          })}
        </Table.Tbody>
      </Table>
      {more?.available ? (
        <div className="table-more">
          <Button variant="default" loading={more.loading} onClick={() => void more.load()}>
            {text.loadMore}
          </Button>
        </div>
      ) : null}
    </TableFrame>
  )
}
