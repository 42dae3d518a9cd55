import { Button, Select } from '@mantine/core'
import { kinds } from '../../../../contract/kinds.ts'
import { formatBytes } from '../../i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import { ExportList } from '../search/ExportList.tsx'
import { text as everywhere } from '../search/messages.ts'
import { type Filters, isFiltered, noFilters, type Over, sizes, spans } from './filters.ts'
import { type Listing, type Place, type Sort, sortsOf } from './listing.ts'
import { text } from './messages.ts'

/** What one filter offers. */
interface Choice<Value> {
  label: string
  any: string
  values: readonly Value[]
  words: (value: Value) => string
}

/** What search results can be narrowed to. */
export default function FilterRow({
  place: { bucket, prefix, sort, dir, at },
  search,
  filters,
  sortedFirst,
  unread,
  onChange,
  onSort,
}: {
  place: Place
  search: string
  filters: Filters
  /** Only so many of the results are sorted. */
  sortedFirst: number | null
  /** What the search could not ask. */
  unread: Listing['unread']
  onChange: (next: Filters) => void
  onSort: (sort: Sort, dir: Place['dir']) => void
}) {
  const filter = <Name extends keyof Filters>(
    name: Name,
    { label, any, values, words }: Choice<NonNullable<Filters[Name]>>,
  ) => (
    <Select
      aria-label={label}
      data={[{ value: '', label: any }, ...values.map((value) => ({ value, label: words(value) }))]}
      value={filters[name] ?? ''}
      onChange={(value) => onChange({ ...filters, [name]: value || undefined })}
    />
  )
  const overs = Object.keys(sizes) as Over[]
  const over = (one: Over) => text.over(formatBytes(sizes[one]))
  return (
    <fieldset className="browse-filters" aria-label={text.filters}>
      {filter('kind', { label: text.type, any: text.anyKind, values: kinds, words: text.kind })}
      {filter('changed', { label: text.modified, any: text.anyTime, values: spans, words: text.changedIn })}
      {filter('over', { label: text.size, any: text.anySize, values: overs, words: over })}
      {/* For a list that has no room for the heads of all columns. */}
      <Select
        className="browse-order"
        aria-label={text.order}
        data={sortsOf(search, at).flatMap((one) =>
          (['asc', 'desc'] as const).map((way) => ({
            value: `${one} ${way}`,
            label: `${text[one]} ${way === 'asc' ? '↑' : '↓'}`,
          })),
        )}
        value={`${sort} ${dir}`}
        onChange={(value) => {
          const [one, way] = (value ?? '').split(' ')
          const next = sortsOf(search, at).find((sort) => sort === one)
          if (next) onSort(next, way === 'desc' ? 'desc' : 'asc')
        }}
      />
      {isFiltered(filters) ? (
        <Button variant="subtle" onClick={() => onChange(noFilters)}>
          {text.clearFilters}
        </Button>
      ) : null}
      {search === '' ? null : (
        <Link to="/search" search={{ q: search }} className="browse-everywhere">
          {everywhere.inAll}
        </Link>
      )}
      {search === '' || at !== undefined ? null : <ExportList q={search} bucket={bucket} prefix={prefix} />}
      <span className="warn" role="status">
        {sortedFirst === null ? '' : text.sortedFirst(sortedFirst)}
        {sortedFirst !== null && unread ? ' ' : ''}
        {unread ? text.unread(unread.objects, unread.exact) : ''}
      </span>
    </fieldset>
  )
}
