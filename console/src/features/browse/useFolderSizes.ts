import { useQueries } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { client } from '../../api/session.ts'
import { atOf } from '../past/at.ts'
import type { Listing, Place } from './listing.ts'

/** What is in a folder; there is more if it is not complete. */
export interface FolderSize {
  objects: number
  bytes: number
  complete: boolean
}

/** Rows whose folders one request asks about; a loaded page is a multiple of it. */
const PART = 50
/** Nothing is asked while the list is being scrolled. */
const REST_MS = 200

/** The sizes of the folders in sight, which come after the list. */
export function useFolderSizes({ bucket, prefix, at }: Place, listing: Listing) {
  const [[first, last], setParts] = useState<readonly [number, number]>([0, 0])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const look = (from: number, to: number) => {
    clearTimeout(timer.current)
    const next = [Math.floor(from / PART), Math.floor(to / PART)] as const
    timer.current = setTimeout(
      () => setParts((old) => (old[0] === next[0] && old[1] === next[1] ? old : next)),
      REST_MS,
    )
  }
  const parts = Array.from({ length: Math.min(last - first, 3) + 1 }, (_, i) => first + i)
  const results = useQueries({
    queries: parts.map((part) => {
      const rows = Array.from({ length: PART }, (_, i) => listing.row(part * PART + i))
      const prefixes = rows.flatMap((row) => (row && !row.object ? row.key : []))
      return {
        queryKey: ['browse', bucket, prefix, at ?? '', 'sizes', prefixes],
        queryFn: async ({ signal }: { signal: AbortSignal }) =>
          (await client.sizeFolders({ params: { bucket }, query: atOf(at), body: { prefixes }, signal })).items,
        enabled: prefixes.length > 0,
        // The list is whole without them.
        retry: false,
      }
    }),
  })
  const sizes = new Map<string, FolderSize>()
  for (const { data = [] } of results) for (const one of data) sizes.set(one.prefix, one)
  return { look, sizeOf: (key: string) => sizes.get(key) }
}
