import { keepPreviousData, queryOptions, useInfiniteQuery, useQueries, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { StoredObject } from '../../../../contract/objects.ts'
import { client } from '../../api/session.ts'

/** A row: a folder (its key ends with a slash) or an object. */
export interface Row {
  key: string
  object: StoredObject | null
}
export type Sort = 'name' | 'size' | 'modified'
export interface Place {
  bucket: string
  prefix: string
  sort: Sort
  dir: 'asc' | 'desc'
}

/** What a view lists. Only a part of it may be loaded. */
export interface Listing {
  /** The number of rows that can be scrolled to. */
  count: number
  /** There are more rows, which are counted only as they load. */
  open: boolean
  folders: number
  row: (index: number) => Row | undefined
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
  { bucket, prefix, sort, dir }: Place,
  offset: number,
  limit: number,
  signal?: AbortSignal,
): Promise<FolderPage> {
  const { common_prefixes, objects, total, total_folders } = await client.browse({
    params: { bucket },
    query: { prefix, sort, order: dir, offset, limit, folders: 'first' },
    ...(signal ? { signal } : {}),
  })
  // Folders come before objects, so the two lists form one order.
  const rows = [...common_prefixes.map((key) => ({ key, object: null })), ...objects.map(toRow)]
  return { rows, total, folders: total_folders ?? 0 }
}
const toRow = (object: StoredObject): Row => ({ key: object.key, object })

const pageQuery = (place: Place, page: number) =>
  queryOptions({
    queryKey: ['browse', place.bucket, place.prefix, place.sort, place.dir, page],
    queryFn: ({ signal }) => readPage(place, page * PAGE, PAGE, signal),
    gcTime: KEPT_MS,
  })

/** A folder of which only the visible pages are loaded. The server returns any page directly. */
export function useFolder(place: Place, enabled: boolean): Listing {
  const cache = useQueryClient()
  const [sight, setSight] = useState<readonly [number, number]>([0, 0])
  const id = `${place.bucket}/${place.prefix}`
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
    row: (index) => at(Math.floor(index / PAGE))?.rows[index % PAGE],
    loaded: () =>
      cache
        .getQueriesData<FolderPage>({ queryKey: ['browse', place.bucket, place.prefix, place.sort, place.dir] })
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

/** Objects below a prefix whose keys contain a text. Loaded while scrolling, because the total is not known. */
export function useMatches({ bucket, prefix }: Place, search: string): Listing {
  const enabled = search !== ''
  const found = useInfiniteQuery({
    queryKey: ['browse', bucket, prefix, 'search', search],
    queryFn: ({ pageParam, signal }) =>
      client.listObjects({
        params: { bucket },
        query: { prefix, search, limit: PAGE, ...(pageParam === '' ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    enabled,
  })
  const rows = found.data?.pages.flatMap(({ items }) => items.map(toRow)) ?? []
  const { hasNextPage, isFetchingNextPage, isFetching, fetchNextPage } = found
  const isShort = rows.length < PAGE && hasNextPage
  if (enabled && isShort && !isFetching) queueMicrotask(() => void fetchNextPage())
  return {
    count: rows.length,
    open: hasNextPage,
    folders: 0,
    row: (index) => rows[index],
    loaded: () => rows.length,
    look: (_first, last) => {
      if (hasNextPage && !isFetchingNextPage && last >= rows.length - 50) void fetchNextPage()
    },
    read: async (first, last) => rows.slice(first, last + 1),
    isPending: found.isPending || (rows.length === 0 && isShort),
    isFetching,
    error: found.error,
    refetch: found.refetch,
  }
}
