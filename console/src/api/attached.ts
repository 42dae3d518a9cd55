import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from './session.ts'

/** How a read-only bucket would be taken over. */
export interface TakeOverPlan {
  /** The storage for new bytes. */
  storage: string
  quiet_hours: number
  /** How many objects marked as missing are left out. */
  without_missing?: number
}

/** What taking over a read-only bucket would do, and what is in the way. Nothing changes. For administrators. */
export const takeOverQuery = (bucket: string, plan: TakeOverPlan) =>
  queryOptions({
    queryKey: ['take-over', bucket, plan],
    queryFn: () => client.takeOverBucket({ params: { bucket }, body: { ...plan, dry_run: true } }),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    retry: false,
  })
