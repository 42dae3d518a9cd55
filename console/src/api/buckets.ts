import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Bucket } from '../../../contract/buckets.ts'
import { GB } from '../i18n.ts'
import { queries } from './queries.ts'
import { client } from './session.ts'

const RELEASE_POLL_MS = 5000

/** All buckets a user has permissions on; few enough to keep in memory. */
export const bucketsQuery = queryOptions({
  queryKey: ['buckets'],
  queryFn: async () => {
    const items = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof client.listBuckets>> = await client.listBuckets({
        query: { limit: 1000, ...(cursor === null ? {} : { cursor }) },
      })
      items.push(...page.items)
      cursor = page.next_cursor
    } while (cursor !== null)
    return items
  },
})

/** One bucket; refetched while it is being released, which ends by itself. */
export const bucketQuery = (name: string) =>
  queryOptions({
    queryKey: ['bucket', name],
    queryFn: () => client.getBucket({ params: { bucket: name } }),
    refetchInterval: ({ state }) => (state.data?.source?.release_job ? RELEASE_POLL_MS : false),
  })

/** Has what is shown of a bucket asked for again, in lists too. */
export async function refreshBucket(name: string): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['buckets'] })
  await queries.invalidateQueries({ queryKey: ['bucket', name] })
}

/** The bytes that its quota leaves; null without one, and for a user who sees only parts of the bucket. */
export function roomIn(bucket: Bucket): number | null {
  const { quota_gb = null, counted_bytes = 0 } = totalsOf(bucket) ?? {}
  return quota_gb === null ? null : Math.max(0, quota_gb * GB - counted_bytes)
}

/** What becomes of objects that are deleted. */
export type Fate = 'trash' | 'versions' | 'gone'
export const fateIn = ({ trash_days, versioning }: Pick<Bucket, 'trash_days' | 'versioning'>): Fate =>
  versioning === 'enabled' ? 'versions' : trash_days > 0 ? 'trash' : 'gone'

/** Whether nothing in a bucket can be changed here: it shows what others keep, or is being released. */
export const isReadOnly = ({ mode, source }: Pick<Bucket, 'mode' | 'source'>): boolean =>
  mode === 'read_only' || (source !== null && source.release_job !== null)

/** The same of a bucket by its name; undefined until that is known. */
export function useReadOnly(name: string): boolean | undefined {
  const { data, isError } = useQuery(bucketQuery(name))
  const listed = useQueryClient()
    .getQueryData(bucketsQuery.queryKey)
    ?.find((bucket) => bucket.name === name)
  const known = data ?? listed
  return known ? isReadOnly(known) : isError ? false : undefined
}

/** What is in the whole of a bucket; null for a user who sees only parts of it. */
export function totalsOf(bucket: Bucket) {
  const { used_bytes, reserved_bytes, object_count, trash_bytes, version_bytes, quota_gb } = bucket
  if (used_bytes === null || reserved_bytes === null || object_count === null) return null
  const history_bytes = bucket.history_bytes ?? 0
  const filled_bytes = used_bytes + (bucket.quota_includes_history ? history_bytes : 0)
  return {
    used_bytes,
    reserved_bytes,
    object_count,
    quota_gb,
    /** What its quota counts, without and with what open uploads have reserved. */
    filled_bytes,
    counted_bytes: filled_bytes + reserved_bytes,
    history_bytes,
    trash_bytes: trash_bytes ?? 0,
    version_bytes: version_bytes ?? 0,
  }
}
