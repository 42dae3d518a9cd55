import { Button, Select } from '@mantine/core'
import { kinds } from '../../../../contract/kinds.ts'
import { formatBytes } from '../../i18n.ts'
import { type Filters, isFiltered, noFilters, type Over, sizes, spans } from './filters.ts'
import { type Place, type Sort, sortsOf } from './listing.ts'
import { text } from './messages.ts'

/** What search results can be narrowed to. */
export default function FilterRow({
  place: { sort, dir },
  search,
  filters,
  sortedFirst,
  onChange,
  onSort,
}: {
  place: Place
  search: string
  filters: Filters
  /** Only so many of the results are sorted. */
  sortedFirst: number | null
  onChange: (next: Filters) => void
  onSort: (sort: Sort, dir: Place['dir']) => void
}) {
  const set = (name: keyof Filters) => (value: string | null) => onChange({ ...filters, [name]: value || undefined })
  return (
    <fieldset className="browse-filters" aria-label={text.filters}>
      <Select
        aria-label={text.type}
        data={[{ value: '', label: text.anyKind }, ...kinds.map((kind) => ({ value: kind, label: text.kind(kind) }))]}
        value={filters.kind ?? ''}
        onChange={set('kind')}
      />
      <Select
        aria-label={text.modified}
        data={[
          { value: '', label: text.anyTime },
          ...spans.map((span) => ({ value: span, label: text.changedIn(span) })),
        ]}
        value={filters.changed ?? ''}
        onChange={set('changed')}
      />
      <Select
        aria-label={text.size}
        data={[
          { value: '', label: text.anySize },
          ...(Object.keys(sizes) as Over[]).map((over) => ({
            value: over,
            label: text.over(formatBytes(sizes[over])),
          })),
        ]}
        value={filters.over ?? ''}
        onChange={set('over')}
      />
      {/* For a list that has no room for the heads of all columns. */}
      <Select
        className="browse-order"
        aria-label={text.order}
        data={sortsOf(search).flatMap((one) =>
          (['asc', 'desc'] as const).map((way) => ({
            value: `${one} ${way}`,
            label: `${text[one]} ${way === 'asc' ? '↑' : '↓'}`,
          })),
        )}
        value={`${sort} ${dir}`}
        onChange={(value) => {
          const [one, way] = (value ?? '').split(' ')
          const next = sortsOf(search).find((sort) => sort === one)
          if (next) onSort(next, way === 'desc' ? 'desc' : 'asc')
        }}
      />
      {isFiltered(filters) ? (
        <Button variant="subtle" onClick={() => onChange(noFilters)}>
          {text.clearFilters}
        </Button>
      ) : null}
      <span className="warn" role="status">
        {sortedFirst === null ? '' : text.sortedFirst(sortedFirst)}
      </span>
    </fieldset>
  )
}
