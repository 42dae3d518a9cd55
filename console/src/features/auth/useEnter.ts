import { useQueryClient } from '@tanstack/react-query'
import { meQuery } from '../../api/queries.ts'
import { useView } from '../../navigation/useView.ts'

/** Opens the console, at a path in it, for the user who has just signed in. */
export function useEnter(): (next?: string) => Promise<void> {
  const { go } = useView()
  const cache = useQueryClient()
  return async (next = '/') => {
    await cache.fetchQuery({ ...meQuery, staleTime: 0 })
    const [path = '/', query = ''] = next.split('?')
    await go(path, Object.fromEntries(new URLSearchParams(query)))
  }
}
