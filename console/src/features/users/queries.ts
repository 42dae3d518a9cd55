import { queryOptions } from '@tanstack/react-query'
import type { Group } from '../../../../contract/groups.ts'
import type { User } from '../../../../contract/users.ts'
import type { Me } from '../../api/queries.ts'
import { client } from '../../api/session.ts'

export const userQuery = (id: string) =>
  queryOptions({ queryKey: ['user', id], queryFn: () => client.getUser({ params: { id } }) })

/** A user's groups with their permissions. */
export const groupsOf = (user: User, groups: readonly Group[]): Group[] =>
  groups.filter(({ id }) => user.groups.some((one) => one.id === id))

/** What the signed-in user can do with another account; the server uses the same rules. */
export function mayWith(me: Me, user: User, groups: readonly Group[]) {
  const own = user.id === me.id
  const touch = me.isAdmin || !user.is_admin
  return {
    own,
    /** Change it at all. */
    touch,
    /** Disable or delete it. */
    end: touch && !own,
    /** Change their sign-in methods. */
    takeOver: touch && (own || me.covers(groupsOf(user, groups))),
    tie: me.isAdmin,
    /** Remove them from a group. No one removes their own administrator access. */
    leave: (group: Group) =>
      (me.isAdmin || !group.global.includes('admin')) &&
      !(
        own &&
        group.global.includes('admin') &&
        !groupsOf(user, groups).some(({ id, global }) => id !== group.id && global.includes('admin'))
      ),
  }
}
