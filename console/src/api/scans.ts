import { queryOptions } from '@tanstack/react-query'
import type { Scan } from '../../../contract/scans.ts'
import { client } from './session.ts'

const POLL_MS = 2000

export const isActive = ({ status }: Scan): boolean => status === 'queued' || status === 'running'

/**
 * The latest scan of an attached bucket, the one that is queued or running, and the one that is held; each if there is
 * one. Refetched while one runs. Needs `manage` on the bucket.
 */
export const latestScansQuery = (bucket: string) =>
  queryOptions({
    queryKey: ['scans', bucket, 'latest'],
    queryFn: async () => {
      // What runs comes first; a held scan stays the next one until it is superseded.
      const { items } = await client.listScans({ params: { bucket }, query: { limit: 2 } })
      return {
        latest: items[0],
        active: items.find(isActive),
        held: items.find(({ status }) => status === 'held'),
      }
    },
    staleTime: 30_000,
    refetchInterval: ({ state }) => (state.data?.active ? POLL_MS : false),
  })
