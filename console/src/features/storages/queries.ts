import { queryOptions } from '@tanstack/react-query'
import { client } from '../../api/session.ts'

/** All storages, the default one first. For administrators only. */
export const storagesQuery = queryOptions({
  queryKey: ['storages', 'list'],
  queryFn: async () => (await client.listStorages()).items,
})

export const storageQuery = (name: string) =>
  queryOptions({
    queryKey: ['storages', 'one', name],
    queryFn: () => client.getStorage({ params: { storage: name } }),
  })

/** Takes up to 10 seconds for a storage that does not answer. */
export const healthQuery = (name: string) =>
  queryOptions({
    queryKey: ['storages', 'health', name],
    queryFn: () => client.getStorageHealth({ params: { storage: name } }),
    staleTime: 30_000,
  })
