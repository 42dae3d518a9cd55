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

/** The same as terms of a search. */
export function termsOf({ kind, changed, over }: Filters): string {
  return [
    kind && `kind:${kind}`,
    changed && `modified:${changed === 'today' ? `>=${midnight().toISOString()}` : `<${changed}`}`,
    over && `size:>${over.toUpperCase()}`,
  ]
    .filter(Boolean)
    .join(' ')
}

function midnight(): Date {
  const day = new Date()
  day.setHours(0, 0, 0, 0)
  return day
}
