import type { Row } from './listing.ts'

/** The selection: these rows, or all rows except these. A folder of 100,000 objects is selected without loading it. */
export interface Selection {
  all: boolean
  rows: ReadonlyMap<string, Row>
}
export const nothing: Selection = { all: false, rows: new Map() }
export const everything: Selection = { all: true, rows: new Map() }

export const isSelected = ({ all, rows }: Selection, key: string): boolean => rows.has(key) !== all
export const countOf = ({ all, rows }: Selection, count: number): number =>
  all ? Math.max(0, count - rows.size) : rows.size

export function toggle({ all, rows }: Selection, row: Row): Selection {
  const next = new Map(rows)
  if (!next.delete(row.key)) next.set(row.key, row)
  return { all, rows: next }
}
/** The same selection plus these rows. */
export function add({ all, rows }: Selection, more: readonly Row[]): Selection {
  const next = new Map(rows)
  for (const row of more)
    if (all) next.delete(row.key)
    else next.set(row.key, row)
  return { all, rows: next }
}
