import { useEffect, useRef } from 'react'
import type { Scan } from '../../../../contract/scans.ts'
import { queries } from '../../api/queries.ts'

interface Scans {
  latest: Scan | undefined
  active: Scan | undefined
}

/**
 * Refetches what a bucket's views show once a scan of it has ended, or another has started. A short one may have ended
 * before it is seen to run.
 */
export function useScanEnd(bucket: string, scans: Scans | undefined): void {
  const seen = useRef<string>(undefined)
  const state = scans && (scans.active ? `${scans.active.id} runs` : `${scans.latest?.id} ended`)
  useEffect(() => {
    if (seen.current !== undefined && seen.current !== state)
      for (const queryKey of [
        ...['scans', 'bucket', 'browse', 'findings', 'take-over'].map((key) => [key, bucket]),
        ['buckets'],
        ['storages'],
      ])
        void queries.invalidateQueries({ queryKey })
    seen.current = state
  }, [bucket, state])
}
