import { queryOptions } from '@tanstack/react-query'
import { client } from './session.ts'

/** What the user should look at. Its key is among those of storages: what changes one of these changes this as well. */
export const attentionQuery = queryOptions({
  queryKey: ['storages', 'attention'],
  queryFn: () => client.getAttention(),
})
