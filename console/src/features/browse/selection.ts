import { isFolderKey } from '../../keys.ts'
import type { Row } from './listing.ts'

/**
 * The selection: these rows, or all rows except these. A folder of 100,000 objects is selected without loading it. Of a
 * search's results, a folder is left out together with what was found in it.
 */
export interface Selection {
  all: boolean
  rows: ReadonlyMap<string, Row>
}
export const nothing: Selection = { all: false, rows: new Map() }
export const everything: Selection = { all: true, rows: new Map() }

/** The outermost of these folders that a key is in. */
function folderAbove(key: string, rows: Selection['rows']): string | undefined {
  for (let slash = key.indexOf('/'); slash >= 0 && slash < key.length - 1; slash = key.indexOf('/', slash + 1))
    if (rows.has(key.slice(0, slash + 1))) return key.slice(0, slash + 1)
  return undefined
}
export const isSelected = ({ all, rows }: Selection, key: string): boolean =>
  all ? !rows.has(key) && folderAbove(key, rows) === undefined : rows.has(key)

/** How many of so many rows are selected. `found` are the rows of a search, which lists what is in folders too. */
export function countOf({ all, rows }: Selection, count: number, found: readonly Row[]): number {
  if (!all) return rows.size
  const hasFolder = found.length > 0 && [...rows.keys()].some(isFolderKey)
  const below = hasFolder ? found.filter(({ key }) => !rows.has(key) && folderAbove(key, rows) !== undefined) : []
  return Math.max(0, count - rows.size - below.length)
}

/** Selects a row, or leaves it out. */
export function toggle(selection: Selection, row: Row, listed: readonly Row[]): Selection {
  const { all, rows } = selection
  if (all && !isSelected(selection, row.key)) return add(selection, [row], listed)
  const next = new Map(rows)
  if (!next.delete(row.key)) next.set(row.key, row)
  return { all, rows: next }
}
/**
 * The same selection plus these rows. If one of them was left out with its folder, the folder's other `listed` rows stay
 * left out.
 */
export function add({ all, rows }: Selection, more: readonly Row[], listed: readonly Row[]): Selection {
  const next = new Map(rows)
  for (const row of more) {
    if (!all) next.set(row.key, row)
    else next.delete(row.key)
    for (let folder = folderAbove(row.key, next); all && folder !== undefined; folder = folderAbove(row.key, next)) {
      next.delete(folder)
      for (const other of listed)
        if (isIn(other, folder) && !isIn(row, other.key) && !isIn(other, row.key)) next.set(other.key, other)
    }
  }
  return { all, rows: next }
}
/** Whether a row is this one, or in this folder. */
const isIn = ({ key }: Row, folder: string): boolean =>
  key === folder || (isFolderKey(folder) && key.startsWith(folder))
