import { keepPreviousData, queryOptions, useInfiniteQuery, useQueries, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { StoredObject } from '../../../../contract/objects.ts'
import { client } from '../../api/session.ts'
import { atOf } from '../past/at.ts'

/** A row: a folder (its key ends with a slash) or an object. */
export interface Row {
  key: string
  object: StoredObject | null
}
/** By type only search results can be sorted. */
export type Sort = 'name' | 'size' | 'type' | 'modified'
/** What was is listed by name only. */
export const sortsOf = (search: string, at: string | undefined): readonly Sort[] =>
  at !== undefined ? ['name'] : search === '' ? ['name', 'size', 'modified'] : ['name', 'size', 'type', 'modified']
export interface Place {
  bucket: string
  prefix: string
  sort: Sort
  dir: 'asc' | 'desc'
  /** The moment that is shown; undefined: now. */
  at: string | undefined
}

/** What a view lists. Only a part of it may be loaded. */
export interface Listing {
  /** The number of rows that can be scrolled to. */
  count: number
  /** There are more rows, which are counted only as they load. */
  open: boolean
  folders: number
  /** There are more folders than these. */
  moreFolders: boolean
  /** Only so many of a search's results are sorted and listed; null: all. */
  sortedFirst: number | null
  /** Objects that others keep and that were not read yet, which a search could not ask; null if there are none. */
  unread: { objects: number; exact: boolean } | null
  /** Whether there is more below the prefix, or that has the text, than what is listed. */
  isPart: boolean
  row: (index: number) => Row | undefined
  /** The loaded rows of a search, which lists what is in folders too; none of a folder. */
  found: readonly Row[]
  /** The number of loaded rows. */
  loaded: () => number
  /** Reports which rows are visible. */
  look: (first: number, last: number) => void
  /** Loads these rows, wherever they are. */
  read: (first: number, last: number) => Promise<Row[]>
  isPending: boolean
  isFetching: boolean
  error: unknown
  refetch: () => unknown
}

const PAGE = 200
/** Rows out of sight are dropped soon: a folder may have 100,000. */
const KEPT_MS = 60_000

interface FolderPage {
  rows: Row[]
  total: number
  folders: number
}
async function readPage(
  { bucket, prefix, sort, dir, at }: Place,
  offset: number,
  limit: number,
  signal?: AbortSignal,
): Promise<FolderPage> {
  const { common_prefixes, objects, total, total_folders } = await client.browse({
    params: { bucket },
    query: {
      prefix,
      sort: sort === 'type' || sort === 'name' ? 'natural' : sort,
      order: dir,
      offset,
      limit,
      folders: 'first',
      ...atOf(at),
    },
    ...(signal ? { signal } : {}),
  })
  // Folders come before objects, so the two lists form one order.
  const rows = [...common_prefixes.map((key) => ({ key, object: null })), ...objects.map(toRow)]
  return { rows, total, folders: total_folders ?? 0 }
}
const toRow = (object: StoredObject): Row => ({ key: object.key, object })

const keyOf = ({ bucket, prefix, sort, dir, at = '' }: Place) => ['browse', bucket, prefix, at, sort, dir] as const

const pageQuery = (place: Place, page: number) =>
  queryOptions({
    queryKey: [...keyOf(place), page],
    queryFn: ({ signal }) => readPage(place, page * PAGE, PAGE, signal),
    gcTime: KEPT_MS,
  })

/** A folder of which only the visible pages are loaded. The server returns any page directly. */
export function useFolder(place: Place, enabled: boolean): Listing {
  const cache = useQueryClient()
  const [sight, setSight] = useState<readonly [number, number]>([0, 0])
  const id = `${place.at ?? ''} ${place.bucket}/${place.prefix}`
  const [known, setKnown] = useState({ id, total: 0, folders: 0, isKnown: false })
  const current = known.id === id ? known : { id, total: 0, folders: 0, isKnown: false }
  const most = Math.max(0, Math.ceil(current.total / PAGE) - 1)
  const from = current.isKnown ? Math.min(sight[0], most) : 0
  const to = current.isKnown ? Math.min(sight[1], most, from + 2) : 0
  const pages = Array.from({ length: to - from + 1 }, (_, i) => from + i)
  const results = useQueries({ queries: pages.map((page) => ({ ...pageQuery(place, page), enabled })) })
  const fresh = results.find(({ data, isPlaceholderData }) => data && !isPlaceholderData)?.data
  if (fresh && (!current.isKnown || fresh.total !== current.total || fresh.folders !== current.folders))
    setKnown({ id, total: fresh.total, folders: fresh.folders, isKnown: true })

  // Called for every row in every frame, and looking up a page among the queries is slow.
  const found = new Map<number, FolderPage | undefined>()
  const at = (page: number) => {
    if (!found.get(page)) found.set(page, cache.getQueryData(pageQuery(place, page).queryKey))
    return found.get(page)
  }
  const read = async (first: number, last: number) => {
    const rows: Row[] = []
    for (let offset = first; offset <= last; offset += 1000)
      rows.push(...(await readPage(place, offset, Math.min(1000, last - offset + 1))).rows)
    return rows
  }
  return {
    count: fresh?.total ?? current.total,
    open: false,
    folders: fresh?.folders ?? current.folders,
    moreFolders: false,
    sortedFirst: null,
    unread: null,
    isPart: false,
    found: [],
    row: (index) => at(Math.floor(index / PAGE))?.rows[index % PAGE],
    loaded: () =>
      cache
        .getQueriesData<FolderPage>({ queryKey: keyOf(place) })
        .reduce((sum, [, page]) => sum + (page?.rows.length ?? 0), 0),
    look: (first, last) => {
      const next = [Math.floor(first / PAGE), Math.floor(last / PAGE)] as const
      setSight((old) => (old[0] === next[0] && old[1] === next[1] ? old : next))
    },
    read,
    isPending: enabled && !current.isKnown && !fresh && results.some(({ isPending }) => isPending),
    isFetching: results.some(({ isFetching }) => isFetching),
    error: results.find(({ error }) => error)?.error ?? null,
    refetch: () => Promise.all(results.map(({ refetch }) => refetch())),
  }
}

/** Sorted pages are larger: for each of them the server sorts all. */
const SORTED_PAGE = 1000

/** Folders and objects below a prefix that a search finds. Loaded while scrolling, because the total may not be known. */
export function useMatches({ bucket, prefix, sort, dir, at }: Place, search: string): Listing {
  const enabled = search !== ''
  const query = { prefix, q: search, sort, order: dir }
  const found = useInfiniteQuery({
    queryKey: ['browse', bucket, prefix, at ?? '', 'search', query],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === '' ? {} : { cursor: pageParam }
      return client.searchObjects({
        params: { bucket },
        query: { ...query, ...atOf(at), limit: sort === 'name' ? PAGE : SORTED_PAGE, ...cursor },
        signal,
      })
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    enabled,
  })
  const rowsOf = (data: typeof found.data): Row[] =>
    data?.pages.flatMap(({ folders, items }) => [
      ...folders.map((key) => ({ key, object: null })),
      ...items.map(toRow),
    ]) ?? []
  const rows = rowsOf(found.data)
  const [first] = found.data?.pages ?? []
  const { hasNextPage, isFetchingNextPage, isFetching, fetchNextPage } = found
  const isShort = rows.length < PAGE && hasNextPage
  if (enabled && isShort && !isFetching) queueMicrotask(() => void fetchNextPage())
  return {
    count: rows.length,
    open: hasNextPage,
    folders: first?.folders.length ?? 0,
    moreFolders: first?.folders_complete === false,
    sortedFirst: enabled ? (first?.sorted_first ?? null) : null,
    unread: enabled ? (first?.unread ?? null) : null,
    isPart: (first?.sorted_first ?? null) !== null,
    row: (index) => rows[index],
    found: enabled ? rows : [],
    loaded: () => rows.length,
    look: (_first, last) => {
      if (hasNextPage && !isFetchingNextPage && last >= rows.length - 50) void fetchNextPage()
    },
    read: async (from, to) => {
      let [read, more] = [rows, hasNextPage]
      while (more && read.length <= to) {
        const next = await fetchNextPage()
        if (next.error) throw next.error
        ;[read, more] = [rowsOf(next.data), next.hasNextPage]
      }
      return read.slice(from, to + 1)
    },
    isPending: found.isPending || (rows.length === 0 && isShort),
    isFetching,
    error: found.error,
    refetch: found.refetch,
  }
}
