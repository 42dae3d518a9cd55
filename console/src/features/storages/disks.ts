import { queryOptions } from '@tanstack/react-query'
import type { Disk } from '../../../../contract/system.ts'
import { client } from '../../api/session.ts'

/** Milliseconds after which storages and disks are looked at again while a page shows their state. */
export const STATE_MS = 30_000

/** The disks of the service's own files. For administrators only. */
export const disksQuery = queryOptions({
  queryKey: ['storages', 'disks'],
  queryFn: async () => (await client.listDisks()).items,
})

/** The fuller half of them, one a file system: database and objects may share one, and then it is said once. */
export function distinct(disks: readonly Disk[]): (Disk & { shared: boolean })[] {
  const [first, second] = disks
  const shared = first !== undefined && second !== undefined && first.size_bytes === second.size_bytes
  const isOne = shared && Math.abs(first.free_bytes - second.free_bytes) < first.size_bytes / 1000
  if (!isOne) return disks.map((disk) => ({ ...disk, shared: false }))
  // The one that keeps more is short of space first.
  return [{ ...(first.kept_bytes >= second.kept_bytes ? first : second), shared: true }]
}
