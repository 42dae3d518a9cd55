import { queryOptions } from '@tanstack/react-query'
import { client } from '../../api/session.ts'

/** The registered keys of key services, in name order. For administrators only. */
export const kmsKeysQuery = queryOptions({
  queryKey: ['kms-keys'],
  queryFn: async () => (await client.listKmsKeys()).items,
})
