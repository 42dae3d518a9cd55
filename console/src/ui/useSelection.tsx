import { Checkbox } from '@mantine/core'
import { useState } from 'react'
import type { Column } from './ListTable.tsx'
import { text } from './messages.ts'

/** Selected rows by id, and the table column that selects them. */
export function useSelection<T>(idOf: (row: T) => string, nameOf: (row: T) => string) {
  const [picked, setPicked] = useState<ReadonlyMap<string, T>>(new Map())
  const put = (rows: readonly T[], on: boolean) =>
    setPicked((old) => {
      const next = new Map(old)
      for (const row of rows)
        if (on) next.set(idOf(row), row)
        else next.delete(idOf(row))
      return next
    })
  return {
    picked: [...picked.values()],
    put,
    clear: () => setPicked(new Map()),
    /** The checkbox column; the header's selects all `rows`. */
    column: (rows: readonly T[], free: (row: T) => boolean = () => true): Column<T> => {
      const pickable = rows.filter(free)
      const count = pickable.filter((row) => picked.has(idOf(row))).length
      return {
        key: 'pick',
        title: text.selectColumn,
        untitled: true,
        width: 40,
        head: (
          <Checkbox
            aria-label={text.selectAll}
            checked={count > 0 && count === pickable.length}
            indeterminate={count > 0 && count < pickable.length}
            disabled={pickable.length === 0}
            onChange={(event) => put(pickable, event.currentTarget.checked)}
          />
        ),
        cell: (row) => (
          <Checkbox
            aria-label={text.selectRow(nameOf(row))}
            checked={picked.has(idOf(row))}
            disabled={!free(row)}
            onChange={(event) => put([row], event.currentTarget.checked)}
          />
        ),
      }
    },
  }
}
