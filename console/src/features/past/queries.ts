import { queryOptions } from '@tanstack/react-query'
import { readAll } from '../../api/pages.ts'
import { client } from '../../api/session.ts'

/** All snapshots of a bucket, the latest moment first. */
export const snapshotsQuery = (bucket: string) =>
  queryOptions({
    queryKey: ['snapshots', bucket],
    queryFn: () => readAll((cursor) => client.listSnapshots({ params: { bucket }, query: { limit: 1000, ...cursor } })),
  })
