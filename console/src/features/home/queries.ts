import { queryOptions } from '@tanstack/react-query'
import { client } from '../../api/session.ts'

const LIMIT = 200

/** The user's tokens and access keys. */
export const credentialsQuery = queryOptions({
  queryKey: ['home', 'credentials'],
  queryFn: async () => {
    const [tokens, keys] = await Promise.all([
      client.listTokens({ query: { limit: LIMIT } }),
      client.listAccessKeys({ query: { limit: LIMIT } }),
    ])
    return { tokens: tokens.items, keys: keys.items }
  },
})
/** For administrators. */
export const webhooksQuery = queryOptions({
  queryKey: ['home', 'webhooks'],
  queryFn: () => client.listWebhooks({ query: { limit: LIMIT } }),
})
