import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Group } from '../../../../contract/groups.ts'
import { readAll } from '../../api/pages.ts'
import { client } from '../../api/session.ts'

/** Every group; there are few enough to hold them all. */
export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: () => readAll((at) => client.listGroups({ query: { limit: 1000, ...at } })),
})
export const groupQuery = (id: string) =>
  queryOptions({ queryKey: ['group', id], queryFn: () => client.getGroup({ params: { id } }) })

/** After a change of groups or of who is in them: all that shows either is asked for again, and so are one's own rights. */
export const refreshPeople = (cache: QueryClient) =>
  Promise.all(
    ['groups', 'group', 'users', 'user', 'members', 'me', 'explain'].map((name) =>
      cache.invalidateQueries({ queryKey: [name] }),
    ),
  )

/** Whether these groups would take someone out of the administrators. */
export const givesAdmin = ({ global }: Pick<Group, 'global'>): boolean => global.includes('admin')
