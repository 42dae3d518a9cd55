import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Group } from '../../../../contract/groups.ts'
import { readAll } from '../../api/pages.ts'
import { client } from '../../api/session.ts'

/** All groups; few enough to keep in memory. */
export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: () => readAll((at) => client.listGroups({ query: { limit: 1000, ...at } })),
})
export const groupQuery = (id: string) =>
  queryOptions({ queryKey: ['group', id], queryFn: () => client.getGroup({ params: { id } }) })

/** After a change to groups or members: refetches everything that shows them, and the user's own permissions. */
export const refreshPeople = (cache: QueryClient) =>
  Promise.all(
    ['groups', 'group', 'users', 'user', 'members', 'me', 'explain', 'access'].map((name) =>
      cache.invalidateQueries({ queryKey: [name] }),
    ),
  )

/** Groups that have members. */
export const withMembers = (groups: readonly Group[] = []): Group[] => groups.filter((group) => !group.public)

/** Whether these groups would remove someone from the administrators. */
export const givesAdmin = ({ global }: Pick<Group, 'global'>): boolean => global.includes('admin')
