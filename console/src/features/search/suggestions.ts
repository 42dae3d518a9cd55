import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { kinds } from '../../../../contract/kinds.ts'
import { encryptions, fields } from '../../../../contract/query.ts'
import { bucketsQuery } from '../../api/buckets.ts'
import { client } from '../../api/session.ts'
import { text } from './messages.ts'
import type { Term } from './term.ts'

/** What can stand in place of a term. */
export interface Suggestion {
  /** What it is called in the list. */
  label: string
  /** What it means. */
  hint?: string
  /** The whole term. */
  query: string
  /** More of the term can follow. */
  isOpen: boolean
}

const PAUSE_MS = 150
const MOST = 8
const TIMES = ['<1d', '<7d', '<30d', '<1y', '>1y']
/** Values that are always the same. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  kind: kinds,
  encrypted: encryptions,
  size: ['>1MB', '>100MB', '>1GB', '<10KB'],
  modified: TIMES,
  created: TIMES,
  by: ['me'],
}

interface Asked {
  field: 'tag' | 'meta' | 'type'
  name?: string
  starts_with: string
}

const sortOf = (asked: Asked | undefined) => JSON.stringify([asked?.field, asked?.name])

/** What the server knows of the objects that the user may find, in a bucket or in all. */
function useKnown(asked: Asked | undefined, bucket: string | undefined) {
  const [settledText] = useDebouncedValue(JSON.stringify(asked ?? null), PAUSE_MS)
  const settled: Asked | undefined = JSON.parse(settledText) ?? undefined
  const { data } = useQuery({
    queryKey: ['search-suggestions', bucket ?? '', sortOf(settled), settled?.starts_with],
    queryFn: ({ signal }) =>
      client.suggestSearch({
        query: { ...(settled as Asked), ...(bucket === undefined ? {} : { bucket }), limit: MOST },
        signal,
      }),
    enabled: settled !== undefined,
    // What was there for fewer letters stays until there is more.
    placeholderData: (old, query) => (query?.queryKey[2] === sortOf(settled) ? old : undefined),
    staleTime: 30_000,
    retry: false,
  })
  if (!asked || sortOf(asked) !== sortOf(settled)) return undefined
  return data?.items.filter(({ value }) => value.startsWith(asked.starts_with))
}

/** Suggests what a term could be. */
export function useSuggestions(term: Term | undefined, bucket: string | undefined): readonly Suggestion[] {
  const { field, name, begun = '', sign = '' } = term ?? {}
  const isAsked = (field === 'tag' || field === 'meta' || field === 'type') && !begun.includes('*')
  const starts = field === 'tag' ? begun : begun.toLowerCase()
  const known = useKnown(
    isAsked ? { field, ...(name ? { name } : {}), starts_with: name ? begun : starts } : undefined,
    bucket,
  )
  // A name that is typed whole is followed by its values.
  const isWhole = name === undefined && field !== 'type' && known?.some(({ value }) => value === starts) === true
  const values = useKnown(isAsked && isWhole ? { field, name: starts, starts_with: '' } : undefined, bucket)
  const buckets = useQuery({ ...bucketsQuery, enabled: field === 'bucket' }).data
  if (!term || name === '') return []
  if (field === undefined)
    return fields
      .filter((one) => one.startsWith(begun) && (one !== 'bucket' || bucket === undefined))
      .map((one) => ({ label: `${one}:`, hint: text.fieldOf(one), query: `${sign}${one}:`, isOpen: true }))
  if (isAsked)
    return [
      ...(known ?? []).map(({ value, query }) => ({
        label: value,
        query: sign + query,
        isOpen: name === undefined && field !== 'type',
      })),
      ...(values ?? []).map(({ value, query }) => ({
        label: `${starts} = ${value}`,
        query: sign + query,
        isOpen: false,
      })),
    ]
      .filter((one) => one.label !== begun)
      .slice(0, MOST)
  const others = field === 'bucket' ? (buckets ?? []).map((one) => one.name) : (VALUES[field] ?? [])
  return others
    .filter((one) => one.toLowerCase().startsWith(begun.toLowerCase()) && one !== begun)
    .slice(0, MOST)
    .map((one) => ({ label: one, query: `${sign}${field}:${one}`, isOpen: false }))
}
