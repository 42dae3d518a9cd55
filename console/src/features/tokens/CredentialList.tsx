import { Switch } from '@mantine/core'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useView } from '../../navigation/useView.ts'
import { type Column, ListTable, moreOf } from '../../ui/ListTable.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { type Credential, isLive } from './columns.tsx'
import { text } from './messages.ts'

/** A user's own credentials of a kind; those that have ended only on request. */
export function CredentialList<T extends Credential & { id: string }>({
  label,
  query,
  columns,
  empty,
  onlyEnded,
  count,
}: {
  label: string
  query: UseInfiniteQueryResult<InfiniteData<{ items: T[] }>>
  columns: readonly Column<T>[]
  /** Shown while there are none. */
  empty: ReactNode
  /** Shown while all of them have ended. */
  onlyEnded: { title: string; hint: string; action: ReactNode }
  count: (n: number) => string
}) {
  const { search, change } = useView()
  const showEnded = search.ended === '1'
  return (
    <StateView query={query}>
      {({ pages }) => {
        const all = pages.flatMap(({ items }) => items)
        const rows = showEnded ? all : all.filter(isLive)
        if (all.length === 0) return empty
        return (
          <>
            <div className="filters">
              <Switch
                label={text.showEnded}
                checked={showEnded}
                onChange={(event) => void change({ ended: event.currentTarget.checked ? '1' : undefined })}
              />
              <span className="dim" role="status">
                {count(rows.length)}
              </span>
            </div>
            {rows.length === 0 ? (
              <EmptyView title={onlyEnded.title} action={onlyEnded.action}>
                {onlyEnded.hint}
              </EmptyView>
            ) : (
              <ListTable label={label} columns={columns} rows={rows} rowKey={({ id }) => id} more={moreOf(query)} />
            )}
          </>
        )
      }}
    </StateView>
  )
}
