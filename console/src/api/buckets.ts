import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from './session.ts'

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
export const bucketQuery = (name: string) =>
  queryOptions({ queryKey: ['bucket', name], queryFn: () => client.getBucket({ params: { bucket: name } }) })

/**
 * Whether nothing in a bucket can be changed here, because it shows what others keep on an S3 engine; undefined until
 * that is known.
 */
export function useReadOnly(name: string): boolean | undefined {
  const { data, isError } = useQuery(bucketQuery(name))
  const listed = useQueryClient()
    .getQueryData(bucketsQuery.queryKey)
    ?.find((bucket) => bucket.name === name)
  const known = data ?? listed
  return known ? known.mode === 'read_only' : isError ? false : undefined
}
