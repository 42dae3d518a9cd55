import { useEffect, useRef } from 'react'
import type { Scan } from '../../../../contract/scans.ts'
import { queries } from '../../api/queries.ts'

/** Refetches what a bucket's views show once a scan of it has ended, or another has started. */
export function useScanEnd(bucket: string, active: Scan | undefined): void {
  const seen = useRef<string>(undefined)
  const id = active?.id
  useEffect(() => {
    if (seen.current !== undefined && seen.current !== id)
      for (const queryKey of [['scans', bucket], ['bucket', bucket], ['browse', bucket], ['buckets'], ['storages']])
        void queries.invalidateQueries({ queryKey })
    seen.current = id
  }, [bucket, id])
}
