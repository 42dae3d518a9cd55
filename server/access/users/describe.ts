// Users as the API returns them.

import { ServiceError } from '../../../contract/errors.ts'
import type { User } from '../../../contract/users.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { folded } from '../../base/folded.ts'
import type { Db, Row } from '../../db/schema.ts'
import { findGroup, findGroupsOfUsers } from '../groups/store.ts'
import { userMissing } from './service.ts'
import * as store from './store.ts'

/** What other tables have about users. */
const findAround = async (db: Db, ids: readonly string[]) => ({
  groups: await findGroupsOfUsers(db, ids),
  secured: await store.findSecured(db, ids),
  invited: await store.findInvited(db, ids),
})

const toUser = (row: Row<'users'>, { groups, secured, invited }: Awaited<ReturnType<typeof findAround>>): User => {
  const own = groups.filter((group) => group.user_id === row.id)
  return {
    id: row.id,
    email: row.email,
    display_name: row.display_name,
    is_active: row.disabled_at === null,
    is_admin: own.some((group) => (JSON.parse(group.global) as string[]).includes('admin')),
    has_password: row.password_hash !== null,
    has_second_factor: secured.has(row.id),
    must_change_password: row.must_change_password === 1,
    invitation_expires_at: invited.get(row.id) ?? null,
    idp_subject: row.idp_subject,
    groups: own.map(({ id, name }) => ({ id, name })),
    is_service_account: row.service_account === 1,
    created_at: row.created_at,
    last_login_at: row.last_login_at,
  }
}

/** A user as the API returns them. */
export const describeUser = async (db: Db, row: Row<'users'>): Promise<User> =>
  toUser(row, await findAround(db, [row.id]))

/** Gets a user; throws not_found. */
export async function getUser(db: Db, id: string): Promise<User> {
  const row = await store.findUser(db, id)
  if (!row) throw userMissing()
  return describeUser(db, row)
}

/** Users that match the filter, sorted by address. */
export async function listUsers(db: Db, filter: store.UserFilter, limit: number, cursor: string | undefined) {
  const [after = ''] = decodeCursor(cursor, 1) ?? []
  const q = filter.q === undefined ? undefined : folded(filter.q)
  const rows = await store.listUsers(db, { ...filter, q }, after, limit + 1)
  const { page, next_cursor } = pageOf(rows, limit, ({ email_key }) => [email_key])
  const ids = page.map(({ id }) => id)
  const around = await findAround(db, ids)
  return { items: page.map((row) => toUser(row, around)), next_cursor }
}

/** The members of a group; throws not_found. */
export async function listMembers(db: Db, groupId: string, limit: number, cursor: string | undefined) {
  if (!(await findGroup(db, groupId))) throw new ServiceError('not_found', 'No such group.')
  return listUsers(db, { groupId }, limit, cursor)
}
