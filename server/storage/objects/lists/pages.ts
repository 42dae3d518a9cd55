import { afterKey, afterPrefix, compareKeys, type KeyRange } from '../../../../contract/permissions.ts'
import type { ObjectRow } from '../store.ts'
import type { Walk } from './store.ts'

/** A page of a folder. */
export interface Listing {
  folders: string[]
  objects: ObjectRow[]
  next: string | null
  total: number
  exact: boolean
  totalFolders: number | null
}

/** What remains of the ranges after the entry `last`, in walking order. */
export function remaining(ranges: readonly KeyRange[], walk: Walk, last: string | undefined): KeyRange[] {
  const { order, depth } = walk
  const walked = order === 'asc' ? [...ranges] : [...ranges].reverse()
  if (last === undefined) return walked
  // The folder's own marker ends in a slash too; everything else in the folder comes after it.
  const isFolder = last.endsWith('/') && [...last].length > depth
  return walked.flatMap((range): KeyRange[] => {
    if (order === 'desc') {
      const to = range.to === null || compareKeys(last, range.to) < 0 ? last : range.to
      return compareKeys(range.from, to) < 0 ? [{ from: range.from, to }] : []
    }
    const after = isFolder ? (afterPrefix(last) ?? last) : afterKey(last)
    const from = compareKeys(after, range.from) > 0 ? after : range.from
    return range.to === null || compareKeys(from, range.to) < 0 ? [{ from, to: range.to }] : []
  })
}
