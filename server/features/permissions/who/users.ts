// The users who have access to a place of a bucket, page by page.
import type { UserAccess } from '../../../../contract/bucket-access.ts'
import { ServiceError } from '../../../../contract/errors.ts'
import type { Via } from '../../../../contract/groups.ts'
import {
  type GlobalRight,
  type GrantingGroup,
  grantReaches,
  isAdmin,
  mayManageUsers,
} from '../../../../contract/permissions.ts'
import { describeGrant, toGrant } from '../../../access/groups/describe.ts'
import { findGroupsOfUsers, findReaching, type MemberGroup } from '../../../access/groups/store.ts'
import { inForce as compiled } from '../../../access/identity-policies/of-user.ts'
import { EMPTY_BOOK, read as readBook } from '../../../access/policies/book.ts'
import { inForce } from '../../../access/policies/in-force.ts'
import { decodeCursor, encodeCursor } from '../../../base/cursor.ts'
import { allow, type Ctx } from '../../../context.ts'
import type { Db } from '../../../db/schema.ts'
import { userNameOf } from '../../../iam/names.ts'
import { leftOpen, type Place } from '../../../iam/outlook.ts'
import { findBesides } from './candidates.ts'
import { type About, asking, comparing, everyoneAt } from './everyone.ts'
import { namesIn } from './names.ts'
import { type Owned, rightsOf, type Somebody } from './rows.ts'
import { type Candidate, findOwned, listCandidates, type OwnedPolicy } from './store.ts'

/** What is asked about, and for which page. */
export interface AccessQuery {
  key?: string | undefined
  prefix?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

/** Of so many more than a page has, who may have access is asked about one by one before an answer is given. */
const MOST_IN_VAIN = 4

/** The place that is asked about. Throws forbidden for those who manage neither the bucket nor users. */
export function placeOf({ actor }: Ctx, bucket: string, { key, prefix }: AccessQuery): Place {
  if (!mayManageUsers(actor.groups)) allow(actor, 'manage', bucket)
  if (key !== undefined && prefix !== undefined)
    throw new ServiceError('invalid_request', 'Pass either key or prefix, not both.', {
      faults: [{ path: 'query.prefix', message: 'cannot be combined with key' }],
    })
  return { bucket, key: key ?? prefix ?? '', below: key === undefined }
}

/**
 * Users who may do something with a key of a bucket, or with keys that have a prefix, by email; for those who manage the
 * bucket or users. The database finds who may; what they may is decided as for a request of theirs. Whether there is such
 * a bucket is not asked here.
 */
export async function listAccess(ctx: Ctx, bucket: string, query: AccessQuery) {
  const place = placeOf(ctx, bucket, query)
  const { limit = 100 } = query
  let [after = ''] = decodeCursor(query.cursor, 1) ?? []
  const book = (await readBook(ctx.db)) ?? EMPTY_BOOK
  const policy = book.of(bucket)
  const besides = await findBesides(ctx.db, bucket, policy)
  const about = { book, place, found: await everyoneAt(ctx, place), now: ctx.now }
  const names = await namesIn(ctx.db, policy)
  const items: UserAccess[] = []
  for (let asked = 0; ; ) {
    const wanted = limit - items.length
    const rows = await listCandidates(ctx.db, { ...besides, place }, after, wanted + 1)
    const page = rows.slice(0, wanted)
    for (const { user, somebody, groups } of await askedAbout(ctx, about, page)) {
      const rights = rightsOf(somebody, place, names)
      const { id: user_id, email, display_name } = user
      if (rights.decisions.length > 0)
        items.push({ user_id, email, display_name, ...rights, via: viaOf(groups, place) })
    }
    after = page.at(-1)?.email_key ?? after
    asked += page.length
    if (rows.length <= wanted) return { items, next_cursor: null }
    if (items.length === limit || asked >= limit * MOST_IN_VAIN) return { items, next_cursor: encodeCursor([after]) }
  }
}

/** Users as they are asked about: with the grants that reach the place, and their policies. */
async function askedAbout(ctx: Ctx, about: About, users: readonly Candidate[]) {
  const { book, place } = about
  const compared = comparing(about)
  const memberships = await findGroupsOfUsers(
    ctx.db,
    users.map(({ id }) => id),
  )
  const groupIds = [...new Set(memberships.map(({ id }) => id))]
  const [groupsOf, policies] = await Promise.all([
    reachingGroups(ctx.db, place, memberships, groupIds),
    findOwned(ctx.db, [...users.map(({ id }) => id), ...groupIds]),
  ])
  const byOwner = Map.groupBy(policies, ({ owner_id }) => owner_id)
  return users.map((user) => {
    const groups = groupsOf(user.id)
    const owned = [
      ...ownedBy(byOwner.get(user.id), userNameOf(user.email)),
      ...groups.flatMap(({ id, name }) => ownedBy(byOwner.get(id), name)),
    ]
    const caller = { type: 'user', user_id: user.id, email: user.email, path: user.path, auth_method: null } as const
    const judged = inForce(
      book,
      owned.map((one) => one.policy),
      caller,
      asking(ctx),
    )
    const asker = { groups, policies: leftOpen(judged, 'user') }
    const somebody: Somebody = { asker, owned, ...compared(asker) }
    return { user, groups, somebody }
  })
}

/** Policies with what they and their owner are called. */
export const ownedBy = (rows: readonly OwnedPolicy[] = [], owner: string): Owned[] =>
  rows.map((row) => ({ row, owner, policy: compiled(row) }))

/** The groups of users, each with only those of its grants that may reach the place. */
async function reachingGroups(db: Db, place: Place, memberships: readonly MemberGroup[], ids: readonly string[]) {
  const grants = Map.groupBy(await findReaching(db, place, ids), ({ group_id }) => group_id)
  const byUser = Map.groupBy(memberships, ({ user_id }) => user_id)
  return (userId: string): GrantingGroup[] =>
    (byUser.get(userId) ?? []).map(({ id, name, global }) => ({
      id,
      name,
      global: JSON.parse(global) as GlobalRight[],
      grants: (grants.get(id) ?? []).map(toGrant),
    }))
}

/** The grants of groups that reach a place, and the groups that have everything. */
function viaOf(groups: readonly GrantingGroup[], { bucket, key, below }: Place): Via[] {
  const reaches = (prefix: string) => key.startsWith(prefix) || (below && prefix.startsWith(key))
  return groups.flatMap((group) => {
    const of = { group_id: group.id, group: group.name }
    const grants = group.grants.filter((grant) => reaches(grant.prefix) && grantReaches(grant, bucket))
    return [
      ...(isAdmin([group]) ? [{ ...of, grant: null }] : []),
      ...grants.map((grant) => ({ ...of, grant: describeGrant(grant) })),
    ]
  })
}
