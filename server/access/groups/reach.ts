import type { UserAccess } from '../../../contract/buckets.ts'
import { ServiceError } from '../../../contract/errors.ts'
import type { Via } from '../../../contract/groups.ts'
import {
  bucketActions,
  decide,
  type GlobalRight,
  type GrantingGroup,
  grantReaches,
  isAdmin,
  mayManageUsers,
} from '../../../contract/permissions.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { allow, type Ctx } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { describeGrant, toGrant } from './describe.ts'
import * as store from './store.ts'

interface AccessQuery {
  key?: string | undefined
  prefix?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

/**
 * Users with a permission on a key of a bucket, or on keys with a prefix, by email; for those who manage the bucket or
 * users. The database finds who may have one; what they have is decided as for a request of theirs. Whether there is such
 * a bucket is not asked here.
 */
export async function listAccess(ctx: Ctx, bucket: string, { key, prefix, limit = 100, cursor }: AccessQuery) {
  if (!mayManageUsers(ctx.actor.groups)) allow(ctx.actor, 'manage', bucket)
  if (key !== undefined && prefix !== undefined)
    throw new ServiceError('invalid_request', 'Pass either key or prefix, not both.', {
      faults: [{ path: 'query.prefix', message: 'cannot be combined with key' }],
    })
  const place = { bucket, key: key ?? prefix ?? '', below: key === undefined }
  const [after = ''] = decodeCursor(cursor, 1) ?? []
  const rows = await store.listReached(ctx.db, place, after, limit + 1)
  const { page, next_cursor } = pageOf(rows, limit, ({ email_key }) => [email_key])
  const groupsOf = await reachingGroups(ctx.db, place, page)
  const items = page.flatMap(({ id, email, display_name }): UserAccess[] => {
    const found = accessOf(groupsOf(id), place)
    return found.via.length > 0 ? [{ user_id: id, email, display_name, ...found }] : []
  })
  return { items, next_cursor }
}

/** The groups of users, each with only those of its grants that may reach the place. */
async function reachingGroups(db: Db, place: store.Place, users: readonly store.Reached[]) {
  const memberships = await store.findGroupsOfUsers(
    db,
    users.map(({ id }) => id),
  )
  const ids = [...new Set(memberships.map(({ id }) => id))]
  const grants = Map.groupBy(await store.findReaching(db, place, ids), ({ group_id }) => group_id)
  const byUser = Map.groupBy(memberships, ({ user_id }) => user_id)
  return (userId: string): GrantingGroup[] =>
    (byUser.get(userId) ?? []).map(({ id, name, global }) => ({
      id,
      name,
      global: JSON.parse(global) as GlobalRight[],
      grants: (grants.get(id) ?? []).map(toGrant),
    }))
}

function accessOf(groups: readonly GrantingGroup[], { bucket, key, below }: store.Place) {
  const permissions = bucketActions.filter((action) => decide(groups, action, bucket, key).allowed)
  const reaches = (prefix: string) => key.startsWith(prefix) || (below && prefix.startsWith(key))
  const via: Via[] = []
  for (const group of groups) {
    const of = { group_id: group.id, group: group.name }
    if (isAdmin([group])) via.push({ ...of, grant: null })
    for (const grant of group.grants)
      if (reaches(grant.prefix) && grantReaches(grant, bucket)) via.push({ ...of, grant: describeGrant(grant) })
  }
  const somewhere = new Set(via.flatMap(({ grant }) => grant?.actions ?? []))
  const permissions_in_part = bucketActions.filter((one) => somewhere.has(one) && !permissions.includes(one))
  return { permissions, permissions_in_part, via }
}
