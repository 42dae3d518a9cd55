import { type Kind, kinds } from '../../../../contract/kinds.ts'

export const spans = ['today', '7d', '30d', '1y'] as const
export type Span = (typeof spans)[number]
/** What search results may be larger than, in bytes, by the address’s name for it. */
export const sizes = { '1mb': 1024 ** 2, '100mb': 1024 ** 2 * 100, '1gb': 1024 ** 3 } as const
export type Over = keyof typeof sizes

/** What search results are narrowed to, as the address has it. */
export interface Filters {
  kind?: Kind | undefined
  changed?: Span | undefined
  over?: Over | undefined
}
export const noFilters = { kind: undefined, changed: undefined, over: undefined } as const

export const filtersOf = (query: { readonly [name: string]: string | undefined }): Filters => ({
  kind: kinds.find((kind) => kind === query.kind),
  changed: spans.find((span) => span === query.changed),
  over: (Object.keys(sizes) as Over[]).find((over) => over === query.over),
})
export const isFiltered = ({ kind, changed, over }: Filters): boolean => (kind ?? changed ?? over) !== undefined

const DAYS = { today: 0, '7d': 7, '30d': 30, '1y': 365 }
/** The same as the server takes it. Times begin at midnight, so that one day's questions are one. */
export function queryOf({ kind, changed, over }: Filters) {
  const since = new Date()
  since.setHours(0, 0, 0, 0)
  since.setDate(since.getDate() - (changed ? DAYS[changed] : 0))
  return {
    ...(kind ? { kind } : {}),
    ...(changed ? { modified_since: since.toISOString() } : {}),
    ...(over ? { min_size: sizes[over] + 1 } : {}),
  }
}
