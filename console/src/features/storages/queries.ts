import { queryOptions } from '@tanstack/react-query'
import { attentionQuery } from '../../api/attention.ts'
import { queries } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { STATE_MS } from './disks.ts'

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

/** Takes some seconds for a storage that does not answer. What it finds is in the list too, which other parts of a page show. */
export const healthQuery = (name: string) =>
  queryOptions({
    queryKey: ['storages', 'health', name],
    queryFn: async () => {
      const health = await client.getStorageHealth({ params: { storage: name } })
      queries.setQueryData(storagesQuery.queryKey, (items) =>
        items?.map((one) => (one.name === name && one.enabled ? { ...one, health } : one)),
      )
      const noticed = queries.getQueryData(attentionQuery.queryKey)?.administration?.storages
      if (noticed?.some((one) => one.name === name) === health.ok)
        void queries.invalidateQueries({ queryKey: attentionQuery.queryKey })
      return health
    },
    staleTime: STATE_MS,
    refetchInterval: STATE_MS,
  })
