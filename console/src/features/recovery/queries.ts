import { queryOptions } from '@tanstack/react-query'
import type { Replication } from '../../../../contract/replication.ts'
import { client } from '../../api/session.ts'

export type Replica = Replication & { bucket: string }

/** How often figures that change by themselves are asked for. */
export const LIVE_MS = 5000

export const backupQuery = queryOptions({
  queryKey: ['system', 'backup'],
  queryFn: () => client.getBackup(),
  refetchInterval: LIVE_MS,
})

export const replicationsQuery = queryOptions({
  queryKey: ['replications'],
  queryFn: async () => (await client.listReplications()).items,
  refetchInterval: LIVE_MS,
})

export const usageQuery = queryOptions({ queryKey: ['usage', 'now'], queryFn: () => client.usage() })
