// Whether policies are about administrators, whom only administrators may touch.
import type { Db } from '../../db/schema.ts'

const administrators = (db: Db) =>
  db
    .selectFrom('group_members as m')
    .innerJoin('groups as g', 'g.id', 'm.group_id')
    .select('m.user_id')
    .where('g.global', 'like', '%"admin"%')
    .limit(1)

/** Whether a member of a group is an administrator. */
export const hasAdministrator = async (db: Db, groupId: string): Promise<boolean> =>
  (await administrators(db)
    .where('m.user_id', 'in', (e) => e.selectFrom('group_members').select('user_id').where('group_id', '=', groupId))
    .executeTakeFirst()) !== undefined

/** Whether a managed policy is attached to an administrator, or to a group that they are in. */
export const reachesAdministrator = async (db: Db, policy: string): Promise<boolean> =>
  (await administrators(db)
    .where((e) => {
      const owners = e.selectFrom('attached_policies').select('owner_id').where('policy', '=', policy)
      const groups = owners.where('owner_kind', '=', 'group')
      return e.or([
        e('m.user_id', 'in', owners.where('owner_kind', '=', 'user')),
        e('m.user_id', 'in', e.selectFrom('group_members').select('user_id').where('group_id', 'in', groups)),
      ])
    })
    .executeTakeFirst()) !== undefined
